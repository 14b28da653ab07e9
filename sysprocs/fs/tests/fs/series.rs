//! The number of successive disk writes of an fsync or sync; and commits and freeing delay no reader.

use crate::support::{Medium512, O_WRONLY, Scratch, System, USUAL, check_image, make_image};
use renga_proto::file::{SyncFile, WriteTo};
use renga_proto::path::{OPEN_CREATE, OPEN_WRITE};
use std::cell::Cell;
use std::rc::Rc;

fn empty(scratch: &Scratch) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(scratch, 16, None, &[]);
    device
}

/// Holds: fsync-writes.
#[test]
fn fsync_of_one_block_is_three_writes() {
    let scratch = Scratch::new("series");
    let device = empty(&scratch);
    let writes = device.writes.clone();
    let system = System::new(&device, "none", USUAL);
    system.run(|mut user| async move {
        let file = user.open("/file", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        // Behind the twelfth block of the journal's file lies its indirect block: the copies are one run behind that.
        for block in 0..4 {
            user.file(file).call(WriteTo { offset: block * 4096 }, &[0; 4096][..]).await.unwrap();
            user.file(file).call(SyncFile {}, ()).await.unwrap();
        }
        for block in 0..8 {
            let before = writes.get();
            user.file(file).call(WriteTo { offset: block * 4096 }, &[1; 4096][..]).await.unwrap();
            assert_eq!(writes.get(), before, "nothing is written before the sync");
            user.file(file).call(SyncFile {}, ()).await.unwrap();
            assert_eq!(writes.get() - before, 3, "content, copies, commit block");
        }
        let before = writes.get();
        user.file(file).call(SyncFile {}, ()).await.unwrap();
        user.sync().await.unwrap();
        assert_eq!(writes.get(), before, "nothing was changed");
        // Sixteen blocks side by side are one write; their order does not matter.
        for block in (8..24).rev() {
            user.file(file).call(WriteTo { offset: block * 4096 }, &[2; 4096][..]).await.unwrap();
        }
        user.file(file).call(SyncFile {}, ()).await.unwrap();
        assert!(writes.get() - before <= 5, "{} writes", writes.get() - before);
        user.close(file).await.unwrap();
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

/// Holds: commit-shared.
#[test]
fn fsync_concurrent_callers_share_commit() {
    let scratch = Scratch::new("shared");
    let device = empty(&scratch);
    let system = System::new(&device, "sd", USUAL);
    let ended: Vec<_> = (0..8)
        .map(|number| {
            system.client(move |mut user| async move {
                let file = user.open(&format!("/file{number}"), OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
                for block in 0..4 {
                    user.file(file).call(WriteTo { offset: block * 4096 }, &[number; 4096][..]).await.unwrap();
                    user.file(file).call(SyncFile {}, ()).await.unwrap();
                }
            })
        })
        .collect();
    let before = device.writes.get();
    system.board.run_through_alarms();
    assert!(ended.iter().all(|ended| ended.get()));
    let writes = device.writes.get() - before;
    assert!(writes < 8 * 4 * 2, "{writes} writes for 32 calls");
}

/// Reads and stats while a large file is freed and committed, on a medium that takes 1.2 ms for each write.
/// Holds: commit-nonblocking.
#[test]
fn commit_and_reclaim_block_no_reader() {
    let scratch = Scratch::new("delays");
    let device = empty(&scratch);
    let system = System::new(&device, "sd", USUAL);
    system.run(|mut user| async move {
        user.write_file("/large", &vec![1; 6 << 20]).await.unwrap();
        user.write_file("/small", b"text").await.unwrap();
        user.sync().await.unwrap();
        user.read_file("/small").await.unwrap();
    });
    let busy = Rc::new(Cell::new(true));
    let (over, writes) = (busy.clone(), device.writes.clone());
    let changes = system.client(move |mut user| async move {
        for round in 0..4 {
            user.write_file(&format!("/new{round}"), &[round; 50_000]).await.unwrap();
            user.sync().await.unwrap();
        }
        user.unlink("/large").await.unwrap();
        user.sync().await.unwrap();
        over.set(false);
    });
    let longest = Rc::new(Cell::new(0));
    let (busy, most) = (busy, longest.clone());
    let reads = system.client(move |mut user| async move {
        while busy.get() {
            let before = writes.get();
            user.stat("/small", 0).await.unwrap();
            assert_eq!(user.read_file("/small").await, Ok(b"text".to_vec()));
            most.set(most.get().max(writes.get() - before));
            user.pause(100_000).await;
        }
    });
    system.board.run_through_alarms();
    assert!(changes.get() && reads.get());
    assert!(longest.get() <= 1, "a reader waited for {} writes", longest.get());
}
