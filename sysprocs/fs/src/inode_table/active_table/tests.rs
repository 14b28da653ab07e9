//! Tests of which process has which inode.

use super::{AccountNumber, ActiveTable, Errno, Found, InodeSlot};
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

#[test]
fn however_many_idle_inodes_are_lent_another_is_given_up() {
    const LENT: u16 = 40;
    let mut table = table(LENT as usize + 1);
    for number in 0..=LENT {
        assert_eq!(table.activate(u32::from(number) + 10, 0), Ok(Found::Fresh(number)));
        table.referrers.set_lent(number, number < LENT);
    }
    for number in 0..=LENT {
        table.release(number, u32::from(number) + 10, 0).unwrap();
    }
    assert_eq!(table.activate(9, 0), Ok(Found::Later));
    assert_eq!(table.next_reap(), Some((LENT, u32::from(LENT) + 10, AccountNumber::SYSTEM)));
}

#[test]
fn an_idle_inode_stays_until_its_process_is_needed() {
    let mut table = table(3);
    assert_eq!(table.activate(7, 0), Ok(Found::Fresh(0)));
    assert_eq!(table.activate(8, 0), Ok(Found::Fresh(1)));
    assert_eq!(table.activate(7, 1), Ok(Found::Active(0)));
    assert_eq!((table.release(0, 7, 0), table.release(0, 7, 0)), (Ok(()), Err(Errno::EINVAL)));
    assert_eq!((table.release(0, 7, 1), table.release(1, 7, 0)), (Ok(()), Err(Errno::EINVAL)));
    assert_eq!(table.activate(7, 0), Ok(Found::Active(0)));
    table.release(0, 7, 0).unwrap();
    // The last vacant one is taken: the idle one is given up in time.
    assert_eq!(table.activate(9, 0), Ok(Found::Fresh(2)));
    assert_eq!(table.activate(10, 0), Ok(Found::Later));
    assert_eq!(table.next_reap(), Some((0, 7, AccountNumber::SYSTEM)));
    assert_eq!(table.activate(7, 0), Ok(Found::Later));
    table.reaped(0);
    assert_eq!(table.activate(10, 0), Ok(Found::Fresh(0)));
    assert_eq!(table.activate(11, 0), Err(Errno::ENFILE));
}

#[test]
fn one_without_links_is_reaped_when_the_last_reference_goes() {
    let mut table = table(4);
    table.activate(5, 0).unwrap();
    table.activate(5, 2).unwrap();
    table.set_unlinked(0).unwrap();
    table.release(0, 5, 0).unwrap();
    assert_eq!(table.next_reap(), None);
    table.drop_board(2);
    assert_eq!(table.activate(5, 0), Ok(Found::Later));
    assert_eq!((table.next_reap(), table.is_settled()), (Some((0, 5, AccountNumber::SYSTEM)), false));
    table.reaped(0);
    assert!(table.is_settled() && !table.is_unlinked(0));
    assert_eq!(table.set_unlinked(0), Err(Errno::EINVAL));
}

#[test]
fn retiring_gives_everything_to_the_reaper() {
    let mut table = table(4);
    for ino in [5, 6, 7] {
        table.activate(ino, 0).unwrap();
    }
    table.release(1, 6, 0).unwrap();
    table.retire();
    for slot in [1, 0, 2] {
        let (number, ..) = table.next_reap().unwrap();
        let _ = slot;
        table.reaped(number);
    }
    assert!(table.is_settled() && table.next_reap().is_none());
    assert_eq!(table.activate(5, 0), Err(Errno::EROFS));
}
