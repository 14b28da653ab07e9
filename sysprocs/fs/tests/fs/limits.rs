//! Full disks, holes, open files without names, failing media, many users at once.

use crate::support::{FEW, Medium512, O_APPEND, O_RDWR, O_WRONLY, Scratch, System, check_image, make_image};
use renga_proto::file::{AddReference, Close, Read, ReadFrom, Seek, SetSize, SyncFile, Whence, Write, WriteTo};
use renga_proto::path::{self, OPEN_CREATE, OPEN_DIRECTORY, OPEN_EXCLUSIVE, OPEN_WRITE};
use renga_rt::Errno;

fn empty(scratch: &Scratch, megabytes: u32, more: &[&str]) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(scratch, megabytes, None, more);
    device
}

#[test]
fn disk_full_refuses_writes_and_recovers() {
    let scratch = Scratch::new("full");
    let device = empty(&scratch, 4, &["-N", "64"]);
    let system = System::new(&device, "none", FEW);
    system.run(|mut user| async move {
        let statfs = async |user: &mut crate::support::User| {
            let mut out = [0; 120];
            user.path.call(path::FileSystemStatus {}, &mut out[..]).await.unwrap();
            (u64::from_le_bytes(out[24..32].try_into().unwrap()), u64::from_le_bytes(out[48..56].try_into().unwrap()))
        };
        let before = statfs(&mut user).await;
        assert!(before.0 > 900 && before.1 == 53, "{before:?}");
        let block = [7; 4096];
        let full = user.open("/full", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        let mut written = 0;
        let refused = loop {
            match user.file(full).call(Write {}, &block[..]).await {
                Ok(_) => written += 1,
                Err(errno) => break errno,
            }
        };
        assert_eq!(refused, Errno::ENOSPC);
        // All but an indirect block or two contain data.
        assert!(before.0 - written < 4, "{written} of {}", before.0);
        assert_eq!(user.close(full).await, Ok(()), "the failure was reported already");
        assert_eq!(user.mkdir("/dir").await, Err(Errno::ENOSPC));
        assert_eq!(user.symlink("short", "/link").await, Ok(()));
        assert_eq!(user.symlink(&"long".repeat(20), "/long").await, Err(Errno::ENOSPC));
        user.unlink("/full").await.unwrap();
        user.unlink("/link").await.unwrap();
        user.sync().await.unwrap(); // they are freed by then
        assert_eq!(statfs(&mut user).await, before);
        for n in 0..before.1 {
            user.write_file(&format!("/file{n}"), b"x").await.unwrap();
        }
        assert_eq!(user.write_file("/more", b"x").await, Err(Errno::ENOSPC));
        assert_eq!(user.read_file("/more").await, Err(Errno::ENOENT));
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn sparse_file_of_terabyte_takes_few_blocks() {
    let scratch = Scratch::new("sparse");
    let device = empty(&scratch, 16, &[]);
    let system = System::new(&device, "none", FEW);
    system.run(|mut user| async move {
        const FAR: u64 = 1 << 40;
        let file = user.open("/sparse", OPEN_CREATE | OPEN_WRITE, O_RDWR).await.unwrap();
        for offset in [0, 100_000, 5_000_000, 5_000_000_000, FAR] {
            assert_eq!(user.file(file).call(WriteTo { offset }, &b"here"[..]).await, Ok(4));
        }
        let stat = user.stat("/sparse", 0).await.unwrap();
        assert_eq!(stat.size, FAR + 4);
        // 5 of data, and 1, 2, 3 and 2 on the ways to the last four.
        assert_eq!(stat.sectors / 8, 13);
        let mut out = [1; 8];
        assert_eq!(user.file(file).call(ReadFrom { offset: FAR - 2 }, &mut out[..]).await, Ok(6));
        assert_eq!(&out[..6], b"\0\0here");
        assert_eq!(user.file(file).call(ReadFrom { offset: 3_000_000_000 }, &mut out[..]).await, Ok(8));
        assert_eq!(out, [0; 8]);
        let far = WriteTo { offset: 2_196_873_666_560 };
        assert_eq!(user.file(file).call(far, &b"x"[..]).await, Err(Errno::EFBIG));
        let end = user.file(file).call(Seek { offset: -4, whence: Whence::End }, ()).await;
        assert_eq!(end, Ok(FAR));
        user.file(file).call(SetSize { bytes: 5_000_001 }, ()).await.unwrap();
        assert_eq!(user.stat("/sparse", 0).await.unwrap().sectors / 8, 6);
        user.file(file).call(SetSize { bytes: 6_000_000 }, ()).await.unwrap();
        assert_eq!(user.file(file).call(ReadFrom { offset: 5_000_000 }, &mut out[..]).await, Ok(8));
        assert_eq!(&out, b"h\0\0\0\0\0\0\0");
        assert_eq!(user.close(file).await, Ok(()));
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn open_file_unlinked_stays_readable() {
    let scratch = Scratch::new("nameless");
    let device = empty(&scratch, 16, &[]);
    let system = System::new(&device, "none", FEW);
    system.run(|mut user| async move {
        user.write_file("/gone", &[5; 100_000]).await.unwrap();
        let file = user.open("/gone", OPEN_WRITE, O_RDWR | O_APPEND).await.unwrap();
        user.unlink("/gone").await.unwrap();
        assert_eq!(user.open("/gone", 0, 0).await, Err(Errno::ENOENT));
        assert_eq!(user.file(file).call(Write {}, &b"more"[..]).await, Ok(4));
        let mut out = [0; 8];
        assert_eq!(user.file(file).call(ReadFrom { offset: 99_998 }, &mut out[..]).await, Ok(6));
        assert_eq!(&out[..6], b"\x05\x05more");
        // The first generation of the process was in `write_file`.
        assert_eq!(user.file(file).call(AddReference { generation: 1 }, ()).await, Err(Errno::ESTALE));
        assert_eq!(user.file(file).call(Close { generation: 1 }, ()).await, Err(Errno::EBADF));
        user.file(file).call(AddReference { generation: 2 }, ()).await.unwrap();
        user.close(file).await.unwrap();
        assert_eq!(user.file(file).call(Seek { offset: 0, whence: Whence::Start }, ()).await, Ok(0));
        assert_eq!(user.file(file).call(Read {}, &mut out[..]).await, Ok(8));
        user.close(file).await.unwrap();
        assert_eq!(user.file(file).call(Close { generation: 2 }, ()).await, Err(Errno::EBADF));
        // A working directory that is removed.
        user.mkdir("/dir").await.unwrap();
        let dir = user.open_facts("/dir", OPEN_DIRECTORY, 0).await.unwrap();
        user.rmdir("/dir").await.unwrap();
        let flags = OPEN_CREATE | OPEN_WRITE | OPEN_EXCLUSIVE;
        let inside = user
            .path
            .call(
                path::Open { at: dir.ino.into(), flags, mode: 0o644, owner: renga_proto::inode::InodeOwner::default() },
                &b"file"[..],
            )
            .await;
        assert_eq!(inside, Err(Errno::ENOENT));
        let path = user.path.call(path::AbsolutePath { at: dir.ino.into() }, &mut out[..]).await;
        assert_eq!(path, Err(Errno::ENOENT));
        // Left open and nameless: the unmount frees both.
        user.write_file("/left", &[6; 50_000]).await.unwrap();
        user.open("/left", 0, 0).await.unwrap();
        user.unlink("/left").await.unwrap();
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

/// Holds: disk-errors.
#[test]
fn medium_failure_is_reported_by_sync_and_close() {
    let scratch = Scratch::new("failing");
    let device = empty(&scratch, 16, &[]);
    let system = System::new(&device, "none", FEW);
    let fail = device.fail_writes.clone();
    system.run(|mut user| async move {
        let one = user.open("/one", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        user.file(one).call(Write {}, &b"text"[..]).await.unwrap();
        fail.set(true);
        assert_eq!(user.file(one).call(SyncFile {}, ()).await, Err(Errno::EIO));
        fail.set(false);
        assert_eq!(user.file(one).call(SyncFile {}, ()).await, Ok(()));
        // More than fit into the buffers: some are lost on their way out.
        fail.set(true);
        user.write_all(one, &[1; 100_000]).await.unwrap();
        assert_eq!(user.close(one).await, Err(Errno::EIO));
        fail.set(false);
        assert_eq!(user.write_file("/two", &[1; 100_000]).await, Ok(()));
    });
}

#[test]
fn users_concurrent_operations_complete() {
    let scratch = Scratch::new("many");
    let device = empty(&scratch, 64, &[]);
    let counts = crate::support::Counts { buffers: 12, inodes: 24, paths: 3, files: 12, frames: 256 };
    let system = System::new(&device, "sd", counts);
    let ended: Vec<_> = (0..8)
        .map(|number| {
            system.client(move |mut user| async move {
                let own = format!("/dir{number}");
                user.mkdir(&own).await.unwrap();
                for round in 0..12 {
                    let name = format!("{own}/file{round}");
                    user.write_file(&name, &vec![number; 9000 + round]).await.unwrap();
                    user.rename(&name, &format!("{own}/moved{}", round % 3)).await.unwrap();
                    // Everybody fights for one name.
                    let _ = user.link(&format!("{own}/moved{}", round % 3), "/shared").await;
                    let _ = user.rename(&own, "/dir").await;
                    let _ = user.rename("/dir", &own).await;
                    if round % 4 == 3 {
                        let _ = user.unlink("/shared").await;
                    }
                    let _ = user.stat("/shared", 0).await;
                    if user.stat(&own, 0).await.is_err() {
                        user.mkdir(&own)
                            .await
                            .or_else(|errno| if errno == Errno::EEXIST { Ok(()) } else { Err(errno) })
                            .unwrap();
                    }
                }
            })
        })
        .collect();
    system.board.run_through_alarms();
    assert!(ended.iter().all(|ended| ended.get()));
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn users_with_few_buffers_see_own_data() {
    for (buffers, medium) in [(1, "none"), (2, "sd"), (5, "hdd-1989")] {
        let scratch = Scratch::new(&format!("mix-{buffers}"));
        let device = empty(&scratch, 64, &[]);
        let system = System::new(
            &device,
            medium,
            crate::support::Counts { buffers, inodes: 20, paths: 4, files: 8, frames: 256 },
        );
        let ended: Vec<_> = (0..6u8)
            .map(|number| {
                system.client(move |mut user| async move {
                    let name = format!("/file{number}");
                    let file = user.open(&name, OPEN_CREATE | OPEN_WRITE, O_RDWR).await.unwrap();
                    let mut out = [0; 4096];
                    for round in 0..40u64 {
                        // In a different order for each; some blocks behind indirect ones.
                        let block = round * (u64::from(number) * 2 + 7) % 40;
                        let offset = block * 4096 + u64::from(number) * 100;
                        let data = [number.wrapping_mul(40).wrapping_add(block as u8); 4096];
                        assert_eq!(user.file(file).call(WriteTo { offset }, &data[..]).await, Ok(4096));
                        assert_eq!(user.file(file).call(ReadFrom { offset }, &mut out[..]).await, Ok(4096));
                        assert_eq!(out, data);
                        if round % 10 == 9 {
                            user.file(file).call(SyncFile {}, ()).await.unwrap();
                        }
                    }
                    user.close(file).await.unwrap();
                    let all = user.read_file(&name).await.unwrap();
                    assert!(
                        all.len() > 30 * 4096
                            && all.iter().all(|b| *b == 0 || b.wrapping_sub(number.wrapping_mul(40)) < 40)
                    );
                })
            })
            .collect();
        system.board.run_through_alarms();
        assert!(ended.iter().all(|ended| ended.get()), "{buffers} buffers");
        system.unmount();
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
}
