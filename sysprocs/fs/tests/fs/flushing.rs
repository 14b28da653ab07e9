//! A flush of a file from a board that keeps to nothing.

use crate::support::{FEW, Medium512, Scratch, System, check_image, make_image};
use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::inode::{LeaseWrite, ONLY_WATCHED, Sync};
use renga_proto::pages::{FlushedBytes, FlushedPage, Pages, PagesCall};
use renga_rt::{Address, Errno, Members, Never, Port};
use std::cell::Cell;
use std::rc::Rc;

/// Answers each flush with a changed mode, and no page.
async fn changes_for_ever(mut port: Port<Pages>, flushes: Rc<Cell<u32>>) -> Never {
    loop {
        let PagesCall::FlushLease(mut call) = port.accept().await else { panic!("only flushes are expected") };
        flushes.set(flushes.get() + 1);
        let mut change = [0; ATTRIBUTES_BYTES];
        let changes = AttributeChange::mode(0o600).put(1, &mut change);
        call.lent()[..changes].copy_from_slice(&change[..changes]);
        call.set_taken_used(changes);
        let bytes = FlushedBytes { page: 0, changes: changes as u16 };
        call.reply(Ok(FlushedPage { bytes, ..FlushedPage::NONE }));
    }
}

#[test]
fn flush_answered_with_changes_only_ends_after_two_answers() {
    let (scratch, device) = (Scratch::new("changes"), Medium512::default());
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let flushes = Rc::new(Cell::new(0));
    let counted = flushes.clone();
    let system = System::beside(&device, "none", FEW, |board, pages| {
        let other: Address<Pages> = board.server(|_, port| changes_for_ever(port, counted));
        let families: [&'static [Members]; 2] = [board.family(&[pages]), board.family(&[other])];
        board.arena.put_slice(2, |number| families[number][0])
    });
    system.run(|mut user| async move {
        user.write_file("/file", b"text").await.unwrap();
        let facts = user.open_facts("/file", 0, 0).await.unwrap();
        let mut inode = user.inodes.at(0, facts.slot.into()).unwrap();
        let lease = inode.call(LeaseWrite { ino: facts.ino, board: 1, page: 0 }, ()).await.unwrap();
        assert!(lease.below > 0, "it is leased to board 1");
        let flushed = inode.call(LeaseWrite::flush(facts.ino), ()).await.unwrap();
        assert_eq!((flushed.below, flushes.get()), (0, 2));
        let report = inode.call(Sync {}, ()).await.unwrap();
        assert_eq!((report.count, report.errno), (1, Errno::EIO.0));
        assert_eq!(inode.call(LeaseWrite::flush(facts.ino), ()).await.map(|lease| lease.below), Ok(0), "it has ended");
        assert_eq!(flushes.get(), 2);
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

/// Only the lease of what is watched, or was found in what is watched, ends when a watch begins.
#[test]
fn flush_of_watched_leaves_other_leases() {
    let (scratch, device) = (Scratch::new("watched"), Medium512::default());
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let flushes = Rc::new(Cell::new(0));
    let counted = flushes.clone();
    let system = System::beside(&device, "none", FEW, |board, pages| {
        let other: Address<Pages> = board.server(|_, port| changes_for_ever(port, counted));
        let families: [&'static [Members]; 2] = [board.family(&[pages]), board.family(&[other])];
        board.arena.put_slice(2, |number| families[number][0])
    });
    let watched = system.servers.watched;
    system.run(move |mut user| async move {
        user.write_file("/file", b"text").await.unwrap();
        let facts = user.open_facts("/file", 0, 0).await.unwrap();
        let mut inode = user.inodes.at(0, facts.slot.into()).unwrap();
        let to_other = LeaseWrite { ino: facts.ino, board: 1, page: 0 };
        for (inodes, wanted) in [([facts.ino + 1], 0), ([facts.ino], 2), ([2], 2)] {
            watched.inodes.set([].into_iter());
            flushes.set(0);
            assert!(inode.call(to_other, ()).await.unwrap().below > 0, "it is leased to board 1");
            watched.inodes.set(inodes.into_iter());
            assert_eq!(inode.call(LeaseWrite::flush_only(ONLY_WATCHED), ()).await.unwrap().below, 0);
            assert_eq!(flushes.get(), wanted, "of {inodes:?}");
        }
    });
}
