//! The table against a model that knows of each byte who has it.

extern crate std;
use super::{LockPlace, LockRequest, LockTable, Locking};
use renga_proto::locks::Owner;
use renga_rt::Errno;
use std::vec;
use std::vec::Vec;

const BYTES: usize = 24;
const OWNERS: [Owner; 4] =
    [Owner::process(8), Owner::process(17), Owner::open_file(1, 3, 9), Owner::open_file(1, 3, 9).whole()];

fn table(places: usize) -> LockTable {
    LockTable::new(Vec::leak(vec![LockPlace::FREE; places]), 0)
}

fn lock(owner: Owner, first: u64, last: u64, locking: Locking) -> LockRequest {
    LockRequest { owner, ino: 5, first, last, locking }
}

#[test]
fn lock_table_random_requests_match_byte_map() {
    let (mut table, mut model) = (table(100), [[Locking::Unlock; BYTES]; OWNERS.len()]);
    let mut state = 1u32;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    for _ in 0..20_000 {
        let (owner, first) = (draw(OWNERS.len()), draw(BYTES));
        let last = first + draw(BYTES - first);
        let locking = [Locking::Unlock, Locking::Shared, Locking::Exclusive][draw(3)];
        let whole = |owner: usize| OWNERS[owner].is_whole();
        let refused = locking != Locking::Unlock
            && (0..OWNERS.len()).filter(|&other| other != owner && whole(other) == whole(owner)).any(|other| {
                let exclusive = |had: Locking| had != Locking::Unlock && locking == Locking::Exclusive;
                model[other][first..=last].iter().any(|&had| exclusive(had) || had == Locking::Exclusive)
            });
        let wanted = lock(OWNERS[owner], first as u64, last as u64, locking);
        assert_eq!(table.conflict(&wanted).found, refused);
        assert_eq!(table.set(wanted), if refused { Err(Errno::EAGAIN) } else { Ok(()) });
        if !refused {
            model[owner][first..=last].fill(locking);
        }
        if draw(50) == 0 {
            table.release(OWNERS[owner], 5);
            let same = |other: usize| OWNERS[other].is_that_of(OWNERS[owner]);
            (0..OWNERS.len()).filter(|&other| same(other)).for_each(|other| model[other] = [Locking::Unlock; BYTES]);
        }
    }
}

#[test]
fn lock_table_bound_and_board_failure_release_locks() {
    let mut table = table(4);
    for first in [0, 2, 4] {
        table.set(lock(OWNERS[0], first, first, Locking::Shared)).unwrap();
    }
    assert_eq!(table.set(lock(OWNERS[1], 9, 9, Locking::Shared)), Err(Errno::ENOLCK));
    assert_eq!(table.boards(), 1);
    // What gives room needs none.
    let mut full = self::table(3);
    full.set(lock(OWNERS[0], 0, 9, Locking::Exclusive)).unwrap();
    full.set(lock(OWNERS[0], 20, 29, Locking::Shared)).unwrap();
    full.set(lock(OWNERS[0], 4, 5, Locking::Unlock)).unwrap();
    assert_eq!(full.set(lock(OWNERS[0], 24, 25, Locking::Unlock)), Err(Errno::ENOLCK));
    full.set(lock(OWNERS[0], 20, 22, Locking::Unlock)).unwrap();
    full.set(lock(OWNERS[0], 0, u64::MAX, Locking::Unlock)).unwrap();
    assert_eq!(full.boards(), 0);
    table.release_all(OWNERS[0]);
    table.set(lock(OWNERS[1], 9, u64::MAX, Locking::Exclusive)).unwrap(); // of board 1
    table.set(lock(OWNERS[3], 0, u64::MAX, Locking::Exclusive)).unwrap();
    assert_eq!((table.boards(), table.conflict(&lock(OWNERS[0], 9, 9, Locking::Shared)).pid), (2, 17));
    table.drop_board(1);
    assert_eq!(table.boards(), 0);
    table.set(lock(OWNERS[0], 0, u64::MAX, Locking::Exclusive)).unwrap();
}

#[test]
fn lock_table_conflict_is_first_of_file() {
    let (mut table, wanted) = (table(9), lock(OWNERS[1], 0, u64::MAX, Locking::Shared));
    table.set(lock(OWNERS[0], 10, 19, Locking::Exclusive)).unwrap();
    table.set(lock(OWNERS[0], 13, 17, Locking::Unlock)).unwrap();
    assert_eq!((table.conflict(&wanted).first, table.conflict(&wanted).last), (10, 12));
    table.set(lock(OWNERS[2], 2, 2, Locking::Exclusive)).unwrap();
    assert_eq!(table.conflict(&wanted).first, 2);
    assert_eq!(table.conflict(&LockRequest { first: 11, ..wanted }).first, 10);
}
