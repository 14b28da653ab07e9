//! Files that a board holds: tickets, the size, and what is given back in which order.
#![allow(missing_docs)]

use renga_hal::memory::Frame;
use renga_pages::{CacheMemory, Holding, PageIndex};
use renga_proto::pages::{FileId, TO_END};
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
    index.end_hold(FILE);
    assert!(index.hold(FILE, 1, ticket, HOLDING).is_err(), "of a file without a record");
    let ticket = index.now();
    assert_eq!(index.hold(FILE, 1, ticket, HOLDING), Ok(true));
    assert_eq!(index.holding(FILE), Some(HOLDING));
    let ticket = index.now();
    index.end_hold(FILE);
    assert!(index.hold(FILE, 1, ticket, HOLDING).is_err());
    assert_eq!(index.holding(FILE), None);
    let ticket = index.now();
    index.recall(FILE, TO_END);
    assert!(index.hold(FILE, 1, ticket, HOLDING).is_err(), "called back is taken back");
}

#[test]
fn a_lease_outlived_by_nothing_but_its_record_is_void_too() {
    let mut index = index(1);
    let ticket = index.now();
    index.ticket(FILE).unwrap();
    index.end_hold(FILE);
    let file = index.oldest_file().unwrap();
    index.forget(file);
    assert!(index.hold(FILE, 1, ticket, HOLDING).is_err());
    let ticket = index.now();
    assert_eq!(index.hold(OTHER, 1, ticket, HOLDING), Ok(true), "others can be had");
    assert_eq!(index.hold(FILE, 1, index.now(), HOLDING), Ok(false), "no room for another record");
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
    index.end_hold(FILE);
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
