//! Blocks given back are not given out again before the commit that makes it permanent: until then a cut
//! brings their file back.

use crate::support::{Counts, Medium512, Scratch, System, check_image, make_image};
use renga_proto::allocator::{FreeBlocks, TakeBlock};
use renga_rt::Errno;

const COUNTS: Counts = Counts { buffers: 24, inodes: 8, paths: 2, files: 4, frames: 256 };
const BYTES: usize = 400_000;

fn empty(scratch: &Scratch) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(scratch, 16, None, &[]);
    device
}

/// Holds: freed-blocks.
#[test]
fn commit_failed_frees_nothing() {
    let scratch = Scratch::new("failed");
    let device = empty(&scratch);
    let fail = device.fail_journal.clone();
    System::new(&device, "none", COUNTS).run(|mut user| async move {
        user.write_file("/old", &[1; BYTES]).await.unwrap();
        for number in 0..100 {
            if user.write_file(&format!("/full{number}"), &[3; BYTES]).await == Err(Errno::ENOSPC) {
                break;
            }
        }
        user.sync().await.unwrap();
        fail.set(true);
        user.unlink("/old").await.unwrap();
        assert_eq!(user.sync().await, Err(Errno::EIO));
        // Without a commit there are no other blocks than those that were free all along.
        let written = user.write_file("/new", &[2; BYTES]).await;
        assert_eq!(written, Err(Errno::EIO), "it is not the room that is missing");
    });
    // The power goes: nothing since the first commit has happened.
    device.fail_journal.set(false);
    let again = System::new(&device, "none", COUNTS);
    again.run(|mut user| async move {
        assert!(user.read_file("/old").await == Ok(vec![1; BYTES]), "the file has another file's content");
    });
    again.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn commit_after_failure_frees_its_blocks() {
    let scratch = Scratch::new("next");
    let device = empty(&scratch);
    let fail = device.fail_journal.clone();
    let system = System::new(&device, "none", COUNTS);
    system.run(|mut user| async move {
        user.write_file("/old", &[1; BYTES]).await.unwrap();
        user.sync().await.unwrap();
        fail.set(true);
        user.unlink("/old").await.unwrap();
        assert_eq!(user.sync().await, Err(Errno::EIO));
        fail.set(false);
        assert_eq!(user.write_file("/new", &[2; BYTES]).await, Ok(()), "the commit that it waits for succeeds");
        assert_eq!(user.mkdir("/directory").await, Ok(()));
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

/// More runs than the allocator remembers.
/// Holds: freed-blocks.
#[test]
fn allocator_freed_blocks_wait_for_commit() {
    let scratch = Scratch::new("runs");
    let device = empty(&scratch);
    let fail = device.fail_journal.clone();
    System::new(&device, "none", COUNTS).run(|mut user| async move {
        let mut taken = vec![];
        for _ in 0..800 {
            taken.push(user.allocator.call(TakeBlock { goal: 0 }, ()).await.unwrap());
        }
        fail.set(true);
        for (number, block) in taken.into_iter().step_by(2).enumerate() {
            user.allocator.call(FreeBlocks { first: block, count: 1, metadata: true }, ()).await.unwrap();
            let next = user.allocator.call(TakeBlock { goal: block }, ()).await;
            assert_ne!(next, Ok(block), "after {number} others");
        }
    });
}
