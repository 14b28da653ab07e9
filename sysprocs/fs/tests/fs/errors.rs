//! Transfers that fail at random, and a medium that fails for good: errors are reported, and other data stay as they
//! are.

use crate::support::{Counts, Medium512, O_WRONLY, Random, Scratch, System, User, check_image, make_image, sum};
use renga_proto::file::SyncFile;
use renga_proto::path::{OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE};
use renga_rt::Errno;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const COUNTS: Counts = Counts { buffers: 40, inodes: 12, paths: 2, files: 8, frames: 256 };

/// Files that no test touches later, and their contents.
async fn untouched(user: &mut User) -> Vec<(String, u64)> {
    let mut files = vec![];
    for number in 0..10u8 {
        let (name, data) = (format!("/kept{number}"), vec![number; 5000 * usize::from(number)]);
        user.write_file(&name, &data).await.unwrap();
        files.push((name, sum(&data)));
    }
    user.sync().await.unwrap();
    files
}

/// Random work; sums of the files whose `fsync` and `close` found nothing wrong.
async fn work(user: &mut User, random: &mut Random) -> BTreeMap<String, u64> {
    let mut well = BTreeMap::new();
    for round in 0..120u64 {
        let (directory, name) =
            (format!("/d{}", random.below(3)), format!("/d{}/f{}", random.below(3), random.below(9)));
        let _ = user.mkdir(&directory).await;
        well.remove(&name);
        let _ = user.unlink(&name).await;
        let Ok(file) = user.open(&name, OPEN_CREATE | OPEN_TRUNCATE | OPEN_WRITE, O_WRONLY).await else { continue };
        let data = vec![round as u8; random.below(60_000) as usize];
        let written = user.write_all(file, &data).await;
        let synced = user.file(file).call(SyncFile {}, ()).await;
        if user.close(file).await.and(written).and(synced) == Ok(()) {
            well.insert(name, sum(&data));
        }
        if round % 7 == 0 {
            let (from, to) = (format!("/d{}/r", random.below(3)), format!("/d{}/r", random.below(3)));
            let _ = user.mkdir(&from).await;
            let _ = user.rename(&from, &to).await;
            let _ = user.rmdir(&to).await;
        }
    }
    well
}

#[test]
fn medium_random_errors_are_reported() {
    let scratch = Scratch::new("random");
    let made = make_image(&scratch, 16, None, &[]);
    for seed in 1..=6u64 {
        eprintln!("seed {seed}");
        let device = Medium512::default();
        *device.bytes.borrow_mut() = made.clone();
        device.cut_after(u64::MAX - 1, Random::new(seed));
        let fail_per_mille = device.fail_per_mille.clone();
        let expected = Rc::new(RefCell::new((vec![], BTreeMap::new())));
        let results = expected.clone();
        System::new(&device, "none", COUNTS).run(move |mut user| async move {
            let mut random = Random::new(seed);
            results.borrow_mut().0 = untouched(&mut user).await;
            fail_per_mille.set(5 * seed);
            let well = work(&mut user, &mut random).await;
            fail_per_mille.set(0);
            results.borrow_mut().1 = well;
            // It may have been given up, and then it can still be read.
            let _ = user.sync().await;
        });
        // The board is started again, without an unmount.
        let (kept, well) = expected.take();
        let system = System::new(&device, "none", COUNTS);
        let count = well.len();
        system.run(move |mut user| async move {
            for (name, want) in kept.into_iter().chain(well) {
                assert_eq!(user.read_file(&name).await.map(|bytes| sum(&bytes)), Ok(want), "{name}");
            }
        });
        system.unmount();
        assert!(count > 0, "nothing went well");
        // Errors may have left changes half done, which takes blocks, not data.
        let image = check_after_errors(&scratch, &device.bytes.borrow());
        check_image(&scratch, &image, "-fn");
    }
}

/// `e2fsck -p` mends what is left of half changes.
fn check_after_errors(scratch: &Scratch, bytes: &[u8]) -> Vec<u8> {
    let image = scratch.0.join("errors.img");
    std::fs::write(&image, bytes).unwrap();
    let output = crate::support::tool("e2fsck").args(["-fp"]).arg(&image).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code().is_some_and(|code| code <= 1), "e2fsck -fp refuses:\n{text}");
    std::fs::read(&image).unwrap()
}

/// Holds: disk-errors.
#[test]
fn medium_refusing_writes_leaves_read_only_volume() {
    let scratch = Scratch::new("gone");
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let system = System::new(&device, "none", COUNTS);
    let fail = device.fail_writes.clone();
    system.run(move |mut user| async move {
        let kept = untouched(&mut user).await;
        fail.set(true);
        assert_eq!(user.write_file("/kept3", b"other").await, Ok(()), "it waits in the buffers");
        drop(kept);
    });
    // Meanwhile commits were tried again and again.
    let fail = device.fail_writes.clone();
    system.run(move |mut user| async move {
        assert_eq!(user.mkdir("/new").await, Err(Errno::EROFS));
        assert_eq!(user.write_file("/kept4", b"other").await, Err(Errno::EROFS));
        assert!(user.sync().await.is_err());
        assert_eq!(user.read_file("/kept2").await.map(|bytes| bytes.len()), Ok(10_000));
        fail.set(false);
        assert_eq!(user.mkdir("/new").await, Err(Errno::EROFS), "for good");
    });
    let again = System::new(&device, "none", COUNTS);
    again.run(|mut user| async move {
        assert_eq!(user.read_file("/kept3").await.map(|bytes| bytes.len()), Ok(15_000));
        assert_eq!(user.mkdir("/new").await, Ok(()));
    });
    again.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

/// Of the journal's inode, which is number 8 of the first group's table.
struct JournalInode {
    /// Where the image has its pointers, and those of its indirect block.
    pointers: usize,
    indirect: usize,
}

fn journal_inode(image: &[u8]) -> JournalInode {
    let u32_at = |at: usize| u32::from_le_bytes(image[at..at + 4].try_into().unwrap()) as usize;
    let inode_bytes = usize::from(u16::from_le_bytes(image[1024 + 88..1024 + 90].try_into().unwrap()));
    let pointers = u32_at(4096 + 8) * 4096 + 7 * inode_bytes + 40;
    JournalInode { pointers, indirect: u32_at(pointers + 12 * 4) * 4096 }
}

/// With a block more at its end the journal of 4 MiB is long enough for what it says of itself, and all blocks
/// behind a hole would be taken for the ones before them.
#[test]
fn mount_journal_with_hole_is_refused() {
    let scratch = Scratch::new("hole");
    let made = make_image(&scratch, 16, None, &[]);
    let JournalInode { pointers, indirect } = journal_inode(&made);
    let (direct, behind) = (pointers + 5 * 4, indirect + 1012 * 4);
    for (hole, mounts) in
        [(None, true), (Some(direct), false), (Some(indirect + 7 * 4), false), (Some(pointers), false)]
    {
        let mut image = made.clone();
        assert_eq!(image[behind..behind + 4], [0; 4], "the journal is longer than requested");
        image.copy_within(direct..direct + 4, behind);
        if let Some(hole) = hole {
            assert_ne!(image[hole..hole + 4], [0; 4], "the journal has no block there");
            image[hole..hole + 4].fill(0);
        }
        let device = Medium512::default();
        *device.bytes.borrow_mut() = image.clone();
        System::new(&device, "none", COUNTS).run(move |mut user| async move {
            let made = user.mkdir("/new").await;
            assert_eq!(made, if mounts { Ok(()) } else { Err(Errno::EIO) }, "a hole at {hole:?}");
        });
        assert!(mounts || *device.bytes.borrow() == image, "what cannot be mounted stays as it is");
    }
}
