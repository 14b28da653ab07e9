//! Tests of which process has which inode.

use super::{AccountNumber, Activation, ActiveTable, Errno, InodeSlot, ReclaimedInode};
use crate::leases::referrers::Referrers;
use core::cell::Cell;
extern crate std;

fn table(count: usize) -> ActiveTable {
    let sets = std::vec![Cell::new(0); count].leak();
    ActiveTable::new(
        std::vec![InodeSlot::EMPTY; count].leak(),
        std::boxed::Box::leak(std::boxed::Box::new(Referrers::new(sets))),
    )
}

fn reclaimed(slot: u16, ino: u32) -> Option<ReclaimedInode> {
    Some(ReclaimedInode { slot, ino, account: AccountNumber::SYSTEM.0, aware: 0 })
}

#[test]
fn active_table_leased_idle_inodes_are_passed_over() {
    const LEASED: u16 = 40;
    let mut table = table(LEASED as usize + 1);
    for number in 0..=LEASED {
        assert_eq!(table.activate(u32::from(number) + 10, 0), Ok(Activation::Fresh(number)));
        table.referrers.set_leased(number, number < LEASED);
    }
    for number in 0..=LEASED {
        table.release(number, u32::from(number) + 10, 0).unwrap();
    }
    assert_eq!(table.activate(9, 0), Ok(Activation::Later));
    assert_eq!(table.next_reclaim(), reclaimed(LEASED, u32::from(LEASED) + 10));
}

#[test]
fn active_table_idle_inode_stays_until_process_is_needed() {
    let mut table = table(3);
    assert_eq!(table.activate(7, 0), Ok(Activation::Fresh(0)));
    assert_eq!(table.activate(8, 0), Ok(Activation::Fresh(1)));
    assert_eq!(table.activate(7, 1), Ok(Activation::Active(0)));
    assert_eq!((table.release(0, 7, 0), table.release(0, 7, 0)), (Ok(()), Err(Errno::EINVAL)));
    assert_eq!((table.release(0, 7, 1), table.release(1, 7, 0)), (Ok(()), Err(Errno::EINVAL)));
    assert_eq!(table.activate(7, 0), Ok(Activation::Active(0)));
    table.release(0, 7, 0).unwrap();
    // The last vacant one is taken: the idle one is given up in time.
    assert_eq!(table.activate(9, 0), Ok(Activation::Fresh(2)));
    assert_eq!(table.activate(10, 0), Ok(Activation::Later));
    assert_eq!(table.next_reclaim(), reclaimed(0, 7));
    assert_eq!(table.activate(7, 0), Ok(Activation::Later));
    table.reclaimed(0);
    assert_eq!(table.activate(10, 0), Ok(Activation::Fresh(0)));
    assert_eq!(table.activate(11, 0), Err(Errno::ENFILE));
}

#[test]
fn active_table_unlinked_inode_is_reclaimed_at_last_release() {
    let mut table = table(4);
    table.activate(5, 0).unwrap();
    table.activate(5, 2).unwrap();
    assert_eq!(table.set_unlinked(0, 4), Ok((5, 0b101, false)), "board 2 refers to it, too");
    table.release(0, 5, 0).unwrap();
    assert_eq!(table.next_reclaim(), None);
    table.drop_board(2);
    assert_eq!(table.activate(5, 0), Ok(Activation::Later));
    assert_eq!((table.next_reclaim(), table.is_settled()), (reclaimed(0, 5), false));
    table.reclaimed(0);
    assert!(table.is_settled() && !table.is_unlinked(0));
    assert_eq!(table.set_unlinked(0, 0), Err(Errno::EINVAL));
}

#[test]
fn active_table_sole_unlinked_inode_is_dropped_by_aware_boards() {
    let mut table = table(4);
    table.activate(5, 0).unwrap();
    assert_eq!(table.set_unlinked(0, 4), Ok((5, 1, true)));
    table.release(0, 5, 0).unwrap();
    assert_eq!(table.next_reclaim(), reclaimed(0, 5).map(|inode| ReclaimedInode { aware: 4, ..inode }));
    table.reclaimed(0);
    assert_eq!(table.activate(6, 0), Ok(Activation::Fresh(1)));
    table.activate(6, 0).unwrap();
    assert_eq!(table.set_unlinked(1, 4), Ok((6, 1, false)), "a program has it open");
    table.release(1, 6, 0).unwrap();
    table.release(1, 6, 0).unwrap();
    assert_eq!(table.next_reclaim(), reclaimed(1, 6));
}

#[test]
fn active_table_retire_queues_everything_for_reclaim() {
    let mut table = table(4);
    for ino in [5, 6, 7] {
        table.activate(ino, 0).unwrap();
    }
    table.release(1, 6, 0).unwrap();
    table.retire();
    for slot in [1, 0, 2] {
        let number = table.next_reclaim().unwrap().slot;
        let _ = slot;
        table.reclaimed(number);
    }
    assert!(table.is_settled() && table.next_reclaim().is_none());
    assert_eq!(table.activate(5, 0), Err(Errno::EROFS));
}

#[test]
fn active_table_half_of_leases_is_flushed_in_rounds() {
    // Of 64 inodes 16 may be leased.
    let mut table = table(64);
    let lease = |table: &ActiveTable, slots: core::ops::Range<u16>, leased| {
        slots.for_each(|slot| table.referrers.set_leased(slot, leased));
    };
    lease(&table, 20..28, true);
    assert_eq!(table.next_reclaim(), None, "not more than half");
    lease(&table, 28..29, true);
    // Nothing comes of the flushes.
    for slot in 20..29 {
        assert_eq!(table.next_reclaim(), reclaimed(slot, 0));
    }
    assert_eq!(table.next_reclaim(), None, "no other has been leased since the round began");
    lease(&table, 29..30, true);
    assert_eq!((table.next_reclaim(), table.next_reclaim()), (reclaimed(20, 0), reclaimed(21, 0)), "the next round");
    lease(&table, 20..23, false);
    assert_eq!(table.next_reclaim(), None, "there is room");
    // An inode that is to be given up comes first.
    lease(&table, 20..23, true);
    table.activate(5, 0).unwrap();
    table.retire();
    assert_eq!((table.next_reclaim(), table.next_reclaim()), (reclaimed(0, 5), None), "which flushes it, too");
}
