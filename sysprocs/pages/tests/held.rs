//! Files that a board holds: tickets, the size, and what is given back in which order.
#![allow(missing_docs)]

use renga_hal::memory::Frame;
use renga_pages::{CacheMemory, Holding, PageIndex};
use renga_proto::attributes::AttributeChange;
use renga_proto::inode::TIME_KEEP;
use renga_proto::pages::{FileId, NO_LEASE, TO_END};
use renga_rt::host::Board;

const PAGE: u64 = 4096;
const FILE: FileId = FileId { ino: 7, generation: 1 };
const OTHER: FileId = FileId { ino: 8, generation: 1 };
const HOLDING: Holding = Holding { size: 0, below: 8, lease: 1 };

fn index(files: usize) -> PageIndex {
    PageIndex::new(CacheMemory::new(Board::new(0, 1 << 20).arena, 64, files))
}

fn write(index: &mut PageIndex, file: FileId, page: u32, frame: u32) {
    let ticket = index.ticket(file).unwrap();
    assert_eq!(index.put(file, page, Frame(frame), ticket, 0), Ok(true));
    index.wrote(Frame(frame), u64::from(page + 1) * PAGE, 5);
}

#[test]
fn a_lease_that_was_overtaken_by_its_end_is_void() {
    let mut index = index(8);
    let ticket = index.now();
    index.end_lease(FILE, 1, false);
    assert!(index.hold(FILE, 1, ticket, HOLDING).is_err(), "of a file without a record");
    let second = Holding { lease: 2, ..HOLDING };
    assert_eq!(index.hold(FILE, 1, index.now(), second), Ok(true));
    assert_eq!(index.holding(FILE), Some(second));
    index.end_lease(FILE, 2, false);
    assert!(index.hold(FILE, 1, index.now(), second).is_err(), "by its number");
    assert_eq!(index.holding(FILE), None);
    let ticket = index.now();
    index.end_tickets();
    assert!(index.hold(FILE, 1, ticket, Holding { lease: 3, ..HOLDING }).is_err(), "with its session");
}

#[test]
fn a_lease_is_not_void_for_what_was_called_back_before_it_was_given() {
    let mut index = index(8);
    let ticket = index.ticket(FILE).unwrap();
    index.end_lease(FILE, 1, false);
    index.recall(FILE, 1);
    let later = Holding { lease: 2, ..HOLDING };
    assert_eq!(index.hold(FILE, 1, ticket, later), Ok(true), "an earlier lease was taken back, and a page");
    assert!(index.put(FILE, 0, Frame(1), ticket, PAGE).is_err(), "what was read before may be old");
    let renewed = index.ticket(FILE).unwrap();
    assert_eq!(index.put(FILE, 0, Frame(1), renewed, PAGE), Ok(true), "what came with the lease is not");
    // Nor if nothing is left that is known of the file.
    let ticket = index.ticket(OTHER).unwrap();
    let record = index.recall(OTHER, TO_END).unwrap();
    index.forget(record);
    assert_eq!(index.hold(OTHER, 1, ticket, HOLDING), Ok(true));
}

#[test]
fn a_lease_outlived_by_nothing_but_its_record_is_void_too() {
    let mut index = index(1);
    let ticket = index.now();
    index.ticket(FILE).unwrap();
    index.end_lease(FILE, 5, false);
    let file = index.oldest_file().unwrap();
    index.forget(file);
    let numbered = |lease| Holding { lease, ..HOLDING };
    assert!(index.hold(FILE, 1, ticket, numbered(5)).is_err());
    index.ticket(FILE).unwrap();
    assert!(index.hold(FILE, 1, ticket, numbered(5)).is_err(), "nor does another record of the file know less");
    let file = index.oldest_file().unwrap();
    index.forget(file);
    assert_eq!(index.hold(OTHER, 1, ticket, numbered(6)), Ok(true), "others can be had");
    assert_eq!(index.hold(FILE, 1, ticket, numbered(7)), Ok(false), "no room for another record");
}

#[test]
fn leases_are_in_order_over_all_lives_of_the_inodes_board() {
    let mut index = index(2);
    let (before, after) = (0xff << 56 | 9, 3);
    index.end_lease(FILE, before, false);
    assert_eq!(index.hold(FILE, 1, index.now(), Holding { lease: after, ..HOLDING }), Ok(true));
    index.end_lease(FILE, after, false);
    assert!(index.hold(FILE, 1, index.now(), Holding { lease: before, ..HOLDING }).is_err());
    let ticket = index.now();
    index.end_lease(OTHER, NO_LEASE, false);
    assert!(index.hold(FILE, 1, ticket, Holding { lease: 4, ..HOLDING }).is_err(), "whichever was under way");
    assert_eq!(index.hold(FILE, 1, index.now(), Holding { lease: 5, ..HOLDING }), Ok(true));
}

#[test]
fn the_size_of_a_held_file_is_what_was_written_here() {
    let mut index = index(8);
    index.hold(FILE, 1, index.now(), HOLDING).unwrap();
    write(&mut index, FILE, 0, 10);
    let ticket = index.ticket(FILE).unwrap();
    index.put(FILE, 3, Frame(13), ticket, 1).unwrap();
    index.hold(FILE, 1, index.now(), Holding { size: 0, below: 16, lease: 1 }).unwrap();
    assert_eq!(index.holding(FILE), Some(Holding { size: PAGE, below: 16, lease: 1 }));
    assert_eq!(index.take_facts(FILE), (PAGE, Some(5)));
    assert_eq!(index.take_facts(FILE), (PAGE, None), "told once");
}

#[test]
fn dirty_pages_are_given_back_in_order_and_stay_dirty_until_taken() {
    let mut index = index(8);
    index.hold(FILE, 1, index.now(), Holding { size: 0, below: 2_000, lease: 1 }).unwrap();
    for (page, frame) in [(5, 20), (0, 21), (1_000, 22), (1, 23)] {
        write(&mut index, FILE, page, frame);
    }
    index.hold(OTHER, 2, index.now(), HOLDING).unwrap();
    write(&mut index, OTHER, 0, 30);
    assert_eq!(index.oldest_held(), Some((FILE, 1)));
    index.end_lease(FILE, 1, false);
    let (mut from, mut given) = (0, Vec::new());
    while let Some((page, frame)) = index.first_dirty(FILE, from) {
        assert_eq!(index.first_dirty(FILE, from), Some((page, frame)), "not taken yet");
        given.push((page, frame.0));
        index.taken(FILE, page);
        from = page + 1;
    }
    assert_eq!(given, [(0, 21), (1, 23), (5, 20), (1_000, 22)]);
    assert_eq!((index.first_dirty(FILE, 0), index.dirty_count(), index.count()), (None, 1, 5));
    assert!(!index.is_held(FILE) && index.is_held(OTHER));
}

#[test]
fn what_is_lent_is_shown_to_the_inode_only_and_not_forgotten() {
    let mut index = index(2);
    let ticket = index.ticket(FILE).unwrap();
    index.put(FILE, 0, Frame(1), ticket, PAGE).unwrap();
    assert!(index.lend(FILE, true, PAGE));
    assert!(index.put(FILE, 1, Frame(2), ticket, PAGE).is_err(), "read before it was lent");
    assert_eq!((index.is_open(FILE), index.find_lent(FILE, 0)), (false, Some(Frame(1))));
    index.ticket(OTHER).unwrap();
    let oldest = index.oldest_file().unwrap();
    index.forget(oldest);
    assert_eq!(index.find_lent(FILE, 0), Some(Frame(1)), "the other was older");
    assert!(index.lend(FILE, false, 2 * PAGE));
    assert_eq!((index.is_open(FILE), index.size(FILE)), (true, Some(2 * PAGE)));
}

#[test]
fn a_lease_is_expected_until_it_has_arrived_as_often_as_it_was_granted() {
    // What is looked at by the calls that are put off is tried by `mapped::` in the simulator.
    let mut index = index(2);
    index.hold(FILE, 1, index.now(), HOLDING).unwrap();
    index.hold(FILE, 1, index.now(), HOLDING).unwrap();
    assert!(index.is_expected(FILE, HOLDING.lease, 3) && !index.is_expected(FILE, HOLDING.lease, 2));
    assert!(index.is_expected(FILE, 2, 1) && index.is_expected(OTHER, 1, 1), "one that is not known");
}

#[test]
fn what_was_changed_is_kept_until_it_is_told_and_told_once() {
    let mut index = index(2);
    assert!(!index.change(FILE, AttributeChange::mode(0o600), 1), "it is not held");
    index.hold(FILE, 1, index.now(), HOLDING).unwrap();
    assert!(index.change(FILE, AttributeChange::mode(0o600), 1) && index.change(FILE, AttributeChange::owner(7, 8), 2));
    index.ticket(OTHER).unwrap();
    let oldest = index.oldest_file().unwrap();
    index.forget(oldest);
    index.end_lease(FILE, HOLDING.lease, true);
    assert!(index.is_held(FILE), "it makes no room for others");
    assert!(!index.change(FILE, AttributeChange::mode(0o640), 3), "it is being taken back");
    let told = AttributeChange::mode(0o600).then(AttributeChange::owner(7, 8));
    assert_eq!((index.take_changed(FILE), index.take_changed(FILE)), (Some((told, 2)), None));
    assert!(!index.is_held(FILE));
}

#[test]
fn of_a_write_and_a_time_that_was_set_the_later_counts() {
    let mut index = index(2);
    index.hold(FILE, 1, index.now(), HOLDING).unwrap();
    write(&mut index, FILE, 0, 10);
    let times = AttributeChange::times(11, 12).unwrap();
    index.change(FILE, times, 6);
    assert_eq!(index.take_facts(FILE), (PAGE, None));
    index.wrote(Frame(10), PAGE, 7);
    assert_eq!(index.take_changed(FILE), Some((AttributeChange { modify_ns: TIME_KEEP, ..times }, 6)));
    assert_eq!(index.take_facts(FILE), (PAGE, Some(7)));
}
