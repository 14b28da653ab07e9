//! Reads what mke2fs put on an image.

use crate::support::{EPOCH_NS, FEW, Medium512, Scratch, System, USUAL, check_image, make_image, sum};
use renga_fs::{NotExt2, Partition, recognise};
use renga_proto::file::Read;
use renga_proto::path::{self, NO_FOLLOW};
use renga_rt::Errno;

fn sample(scratch: &Scratch) -> std::path::PathBuf {
    let tree = scratch.dir("tree");
    std::fs::create_dir_all(tree.join("etc/deep/er")).unwrap();
    std::fs::write(tree.join("etc/motd"), "hello\n").unwrap();
    let big: Vec<u8> = (0..6_000_000u32).flat_map(|n| n.to_le_bytes()).collect();
    std::fs::write(tree.join("etc/deep/big"), &big).unwrap();
    std::os::unix::fs::symlink("deep/er/../big", tree.join("etc/link")).unwrap();
    std::os::unix::fs::symlink("/etc/deep", tree.join("abs")).unwrap();
    std::os::unix::fs::symlink("loop", tree.join("loop")).unwrap();
    for n in 0..500 {
        std::fs::write(tree.join(format!("etc/deep/er/file-number-{n}")), format!("{n}")).unwrap();
    }
    tree
}

fn device(bytes: Vec<u8>) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = bytes;
    device
}

fn read_everything(counts: crate::support::Counts, medium: &'static str) {
    let scratch = Scratch::new(&format!("read-{medium}-{}", counts.buffers));
    let tree = sample(&scratch);
    let device = device(make_image(&scratch, 64, Some(&tree), &[]));
    let system = System::new(&device, medium, counts);
    system.run(|mut user| async move {
        assert_eq!(user.read_file("/etc/motd").await.unwrap(), b"hello\n");
        let want = sum(&std::fs::read(tree.join("etc/deep/big")).unwrap());
        assert_eq!(sum(&user.read_file("etc/link").await.unwrap()), want);
        assert_eq!(sum(&user.read_file("/abs/big").await.unwrap()), want);
        assert_eq!(user.readlink("abs").await.unwrap(), "/etc/deep");
        assert_eq!(user.read_file("loop").await, Err(Errno::ELOOP));
        assert_eq!(user.read_file("etc/none").await, Err(Errno::ENOENT));
        assert_eq!(user.read_file("etc/motd/x").await, Err(Errno::ENOTDIR));
        assert_eq!(user.read_file("etc").await, Err(Errno::EISDIR));
        let names = user.list("/etc/deep/er").await.unwrap();
        assert_eq!(names.len(), 502);
        for n in (0..500).step_by(37) {
            let name = format!("/abs/er/file-number-{n}");
            assert_eq!(user.read_file(&name).await.unwrap(), format!("{n}").as_bytes());
        }
        assert_eq!(
            user.list("/etc").await.unwrap()[2..].to_vec(),
            [("deep".into(), 4), ("link".into(), 10), ("motd".into(), 8)]
        );
        let stat = user.stat("/etc/motd", 0).await.unwrap();
        assert_eq!((stat.size, stat.links, stat.mode), (6, 1, 0o100_644));
        assert_eq!(user.stat("abs", NO_FOLLOW).await.unwrap().mode, 0o120_777);
        assert_eq!(user.stat("abs/", NO_FOLLOW).await.unwrap().mode & 0o170_000, 0o040_000);
        let at = user.open_facts("/etc/deep/er", path::OPEN_DIRECTORY, 0).await.unwrap();
        let mut out = [0; 64];
        let bytes = user.path.call(path::AbsolutePath { at: at.ino.into() }, &mut out[..]).await.unwrap();
        assert_eq!(&out[..bytes as usize], b"/etc/deep/er");
        let short = user.path.call(path::AbsolutePath { at: at.ino.into() }, &mut out[..8]).await;
        assert_eq!(short, Err(Errno::ENAMETOOLONG), "ERANGE would have the C library ask again and again");
        let bytes = user.path.call(path::AbsolutePath { at: crate::support::ROOT.into() }, &mut out[..]).await.unwrap();
        assert_eq!(&out[..bytes as usize], b"/");
    });
    system.unmount();
    let (bytes, _) = (device.bytes.borrow(), EPOCH_NS);
    check_image(&scratch, &bytes, "-fn");
}

#[test]
fn mount_host_image_reads_tree() {
    read_everything(USUAL, "none");
}

#[test]
fn mount_host_image_with_few_processes_reads_tree() {
    read_everything(FEW, "hdd-2006");
}

#[test]
fn partition_recognise_finds_ext2_or_names_reason() {
    let scratch = Scratch::new("recognise");
    let image = make_image(&scratch, 8, None, &[]);
    let blocks = image.len() as u64 / 4096;
    assert_eq!(recognise(&mut device(image.clone())), Ok(Partition { first_sector: 0, blocks }));
    let mut disk = vec![0; 1 << 20];
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    assert_eq!(recognise(&mut device(disk.clone())), Err(NotExt2::NoLinuxPartition));
    disk[446 + 16 + 4] = 0x83;
    disk[446 + 16 + 8..][..4].copy_from_slice(&2048u32.to_le_bytes());
    disk[446 + 16 + 12..][..4].copy_from_slice(&((image.len() / 512) as u32).to_le_bytes());
    disk.extend_from_slice(&image);
    assert_eq!(recognise(&mut device(disk.clone())), Ok(Partition { first_sector: 2048, blocks }));
    disk.truncate(disk.len() - 4096);
    assert_eq!(recognise(&mut device(disk)), Err(NotExt2::Geometry));
    assert_eq!(recognise(&mut device(vec![0; 1 << 20])), Err(NotExt2::NoSuperblock));
    let small = make_image(&scratch, 8, None, &["-b", "1024"]);
    assert_eq!(recognise(&mut device(small)), Err(NotExt2::BlockSize));
    let journal = make_image(&scratch, 32, None, &["-O", "dir_index"]);
    assert_eq!(recognise(&mut device(journal)), Err(NotExt2::Features));
    assert_eq!(recognise(&mut device(vec![])), Err(NotExt2::Unreadable));
}

/// The SD card model's time for `bytes` in runs of 128 KiB, the longest ones, ns.
fn medium_ns(bytes: u64) -> u64 {
    bytes.div_ceil(128 << 10) * 400_000 + bytes * 1_000_000_000 / 25_000_000
}

/// In a host program nothing takes time but the medium: so this is what the reader makes of that.
/// Holds: read-ahead.
#[test]
fn read_first_sequential_runs_at_medium_speed() {
    const BYTES: usize = 16 << 20;
    let scratch = Scratch::new("rate");
    let tree = scratch.dir("tree");
    std::fs::write(tree.join("large"), vec![7; BYTES]).unwrap();
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 64, Some(&tree), &[]);
    for thinks_ns in [0, 20_000, 300_000] {
        let system = System::new(&device, "sd", crate::support::Counts { frames: 8192, ..USUAL });
        let (requests, reads) = (device.reads.get(), device.reads.clone());
        system.run(move |mut user| async move {
            let file = user.open("/large", 0, 0).await.unwrap();
            let (begin, mut out) = (user.me.now_ns(), [0; 4096]);
            for _ in 0..BYTES / 4096 {
                assert_eq!(user.file(file).call(Read {}, &mut out[..]).await, Ok(4096));
                assert_eq!(out, [7; 4096]);
                if thinks_ns > 0 {
                    user.pause(thinks_ns).await;
                }
            }
            let (took, least) = (user.me.now_ns() - begin, medium_ns(BYTES as u64));
            let pages = (BYTES / 4096) as u64;
            eprintln!(
                "{thinks_ns} ns a page: {took} ns in {} requests; the medium takes {least} ns, the reader {}",
                reads.get() - requests,
                pages * thinks_ns
            );
            assert!(took >= least, "{took} ns: it was not read from the medium");
            // A reader that thinks for longer than the medium takes waits for the first pages of each window.
            let bound = if pages * thinks_ns > least { pages * thinks_ns * 13 / 10 } else { least * 102 / 100 };
            assert!(took <= bound, "{thinks_ns} ns a page: {took} ns instead of {bound}");
            user.close(file).await.unwrap();
        });
    }
}
