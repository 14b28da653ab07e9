//! Leased files: cache generations, the size, and the order of what is flushed.
#![allow(missing_docs)]

use renga_hal::memory::Frame;
use renga_pages::{CacheMemory, CachedLease, PageIndex};
use renga_proto::attributes::AttributeChange;
use renga_proto::inode::TIME_KEEP;
use renga_proto::pages::{FileId, NO_LEASE, NO_PAGE, PUSH_REFUSED, TO_END};
use renga_rt::Errno;
use renga_rt::host::HostBoard;

const PAGE: u64 = 4096;
const FILE: FileId = FileId { ino: 7, generation: 1 };
const OTHER: FileId = FileId { ino: 8, generation: 1 };
const LEASE: CachedLease = CachedLease { size: 0, below: 8, lease: 1 };

fn index(files: usize) -> PageIndex {
    PageIndex::new(CacheMemory::new(HostBoard::new(0, 1 << 20).arena, 64, files))
}

fn write(index: &mut PageIndex, file: FileId, page: u32, frame: u32) {
    let cache_generation = index.cache_generation(file).unwrap();
    assert_eq!(index.put(file, page, Frame(frame), cache_generation, 0), Ok(true));
    index.wrote(Frame(frame), u64::from(page + 1) * PAGE, 5);
}

#[test]
fn lease_revoked_before_arrival_is_void() {
    let mut index = index(8);
    let cache_generation = index.now();
    index.end_lease(FILE, 1, false);
    assert!(index.accept_lease(FILE, 1, cache_generation, LEASE).is_err(), "of a file without a record");
    let second = CachedLease { lease: 2, ..LEASE };
    assert_eq!(index.accept_lease(FILE, 1, index.now(), second), Ok(true));
    assert_eq!(index.lease_of(FILE), Some(second));
    index.end_lease(FILE, 2, false);
    assert!(index.accept_lease(FILE, 1, index.now(), second).is_err(), "by its number");
    assert_eq!(index.lease_of(FILE), None);
    let cache_generation = index.now();
    index.end_generations();
    assert!(
        index.accept_lease(FILE, 1, cache_generation, CachedLease { lease: 3, ..LEASE }).is_err(),
        "with its session"
    );
}

#[test]
fn lease_granted_after_revocation_is_valid() {
    let mut index = index(8);
    let cache_generation = index.cache_generation(FILE).unwrap();
    index.end_lease(FILE, 1, false);
    index.revoke(FILE, 1);
    let later = CachedLease { lease: 2, ..LEASE };
    assert_eq!(
        index.accept_lease(FILE, 1, cache_generation, later),
        Ok(true),
        "an earlier lease was revoked, and a page"
    );
    assert!(index.put(FILE, 0, Frame(1), cache_generation, PAGE).is_err(), "what was read before may be old");
    let renewed = index.cache_generation(FILE).unwrap();
    assert_eq!(index.put(FILE, 0, Frame(1), renewed, PAGE), Ok(true), "what came with the lease is not");
    // Nor if nothing is left that is known of the file.
    let cache_generation = index.cache_generation(OTHER).unwrap();
    let record = index.revoke(OTHER, TO_END).unwrap();
    index.forget(record);
    assert_eq!(index.accept_lease(OTHER, 1, cache_generation, LEASE), Ok(true));
}

#[test]
fn lease_of_forgotten_file_is_void() {
    let mut index = index(1);
    let cache_generation = index.now();
    index.cache_generation(FILE).unwrap();
    index.end_lease(FILE, 5, false);
    let file = index.oldest_file().unwrap();
    index.forget(file);
    let numbered = |lease| CachedLease { lease, ..LEASE };
    assert!(index.accept_lease(FILE, 1, cache_generation, numbered(5)).is_err());
    index.cache_generation(FILE).unwrap();
    assert!(
        index.accept_lease(FILE, 1, cache_generation, numbered(5)).is_err(),
        "nor does another record of the file know less"
    );
    let file = index.oldest_file().unwrap();
    index.forget(file);
    assert_eq!(index.accept_lease(OTHER, 1, cache_generation, numbered(6)), Ok(true), "others can be had");
    assert_eq!(index.accept_lease(FILE, 1, cache_generation, numbered(7)), Ok(false), "no room for another record");
}

#[test]
fn lease_numbers_are_ordered_across_reboots() {
    let mut index = index(2);
    let (before, after) = (0xff << 56 | 9, 3);
    index.end_lease(FILE, before, false);
    assert_eq!(index.accept_lease(FILE, 1, index.now(), CachedLease { lease: after, ..LEASE }), Ok(true));
    index.end_lease(FILE, after, false);
    assert!(index.accept_lease(FILE, 1, index.now(), CachedLease { lease: before, ..LEASE }).is_err());
    let cache_generation = index.now();
    index.end_lease(OTHER, NO_LEASE, false);
    assert!(
        index.accept_lease(FILE, 1, cache_generation, CachedLease { lease: 4, ..LEASE }).is_err(),
        "whichever was under way"
    );
    assert_eq!(index.accept_lease(FILE, 1, index.now(), CachedLease { lease: 5, ..LEASE }), Ok(true));
}

#[test]
fn leased_file_size_follows_local_writes() {
    let mut index = index(8);
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    write(&mut index, FILE, 0, 10);
    let cache_generation = index.cache_generation(FILE).unwrap();
    index.put(FILE, 3, Frame(13), cache_generation, 1).unwrap();
    index.accept_lease(FILE, 1, index.now(), CachedLease { size: 0, below: 16, lease: 1 }).unwrap();
    assert_eq!(index.lease_of(FILE), Some(CachedLease { size: PAGE, below: 16, lease: 1 }));
    assert_eq!(index.take_facts(FILE), (PAGE, Some(5)));
    assert_eq!(index.take_facts(FILE), (PAGE, None), "reported once");
}

#[test]
fn leased_file_dirty_pages_flush_in_order() {
    let mut index = index(8);
    index.accept_lease(FILE, 1, index.now(), CachedLease { size: 0, below: 2_000, lease: 1 }).unwrap();
    for (page, frame) in [(5, 20), (0, 21), (1_000, 22), (1, 23)] {
        write(&mut index, FILE, page, frame);
    }
    index.accept_lease(OTHER, 2, index.now(), LEASE).unwrap();
    write(&mut index, OTHER, 0, 30);
    assert_eq!(index.oldest_leased(), Some((FILE, 1)));
    index.end_lease(FILE, 1, false);
    let (mut from, mut given) = (0, Vec::new());
    while let Some((page, frame)) = index.first_dirty(FILE, from) {
        assert_eq!(index.first_dirty(FILE, from), Some((page, frame)), "not taken yet");
        given.push((page, frame.0));
        index.flushed(FILE, page);
        from = page + 1;
    }
    assert_eq!(given, [(0, 21), (1, 23), (5, 20), (1_000, 22)]);
    assert_eq!((index.first_dirty(FILE, 0), index.dirty_count(), index.count()), (None, 1, 5));
    assert!(!index.is_leased(FILE) && index.is_leased(OTHER));
}

#[test]
fn leased_file_is_visible_to_inode_only() {
    let mut index = index(2);
    let cache_generation = index.cache_generation(FILE).unwrap();
    index.put(FILE, 0, Frame(1), cache_generation, PAGE).unwrap();
    assert!(index.set_leased_out(FILE, true, PAGE));
    assert!(index.put(FILE, 1, Frame(2), cache_generation, PAGE).is_err(), "read before the lease");
    assert_eq!((index.is_open(FILE), index.find_leased_out(FILE, 0)), (false, Some(Frame(1))));
    index.cache_generation(OTHER).unwrap();
    let oldest = index.oldest_file().unwrap();
    index.forget(oldest);
    assert_eq!(index.find_leased_out(FILE, 0), Some(Frame(1)), "the other was older");
    assert!(index.set_leased_out(FILE, false, 2 * PAGE));
    assert_eq!((index.is_open(FILE), index.size(FILE)), (true, Some(2 * PAGE)));
}

#[test]
fn lease_grants_under_way_are_expected() {
    // The simulator's tests `mapped::` cover the pages of delayed calls.
    let mut index = index(2);
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    assert!(index.is_expected(FILE, LEASE.lease, 3) && !index.is_expected(FILE, LEASE.lease, 2));
    assert!(index.is_expected(FILE, 2, 1) && index.is_expected(OTHER, 1, 1), "one that is not known");
}

#[test]
fn leased_file_attributes_are_reported_once() {
    let mut index = index(2);
    assert!(!index.change(FILE, AttributeChange::mode(0o600), 1), "it is not leased");
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    assert!(index.change(FILE, AttributeChange::mode(0o600), 1) && index.change(FILE, AttributeChange::owner(7, 8), 2));
    index.cache_generation(OTHER).unwrap();
    let oldest = index.oldest_file().unwrap();
    index.forget(oldest);
    index.end_lease(FILE, LEASE.lease, true);
    assert!(index.is_leased(FILE), "it makes no room for others");
    assert!(!index.change(FILE, AttributeChange::mode(0o640), 3), "it is being taken back");
    let expected = AttributeChange::mode(0o600).then(AttributeChange::owner(7, 8));
    assert_eq!((index.take_attributes(FILE), index.take_attributes(FILE)), (Some((expected, 2)), None));
    assert!(!index.is_leased(FILE));
}

#[test]
fn leased_file_later_of_write_and_utimes_wins() {
    let mut index = index(2);
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    write(&mut index, FILE, 0, 10);
    let times = AttributeChange::times(11, 12).unwrap();
    index.change(FILE, times, 6);
    assert_eq!(index.take_facts(FILE), (PAGE, None));
    index.wrote(Frame(10), PAGE, 7);
    assert_eq!(index.take_attributes(FILE), Some((AttributeChange { modify_ns: TIME_KEEP, ..times }, 6)));
    assert_eq!(index.take_facts(FILE), (PAGE, Some(7)));
}

#[test]
fn leased_file_pushed_page_is_clean_unless_it_was_written_meanwhile() {
    let mut index = index(2);
    assert_eq!(index.enter_push(FILE, NO_LEASE), Err(Errno::ENOLCK));
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    write(&mut index, FILE, 0, 10);
    write(&mut index, FILE, 1, 11);
    assert_eq!(index.enter_push(FILE, NO_LEASE).map(|lease| lease.lease), Ok(LEASE.lease));
    assert_eq!(index.enter_push(FILE, NO_LEASE), Err(Errno::EBUSY), "another caller");
    assert_eq!(index.enter_push(FILE, LEASE.lease + 1), Err(Errno::ENOLCK), "another lease");
    index.send(10);
    index.accepted_push(FILE, PUSH_REFUSED);
    assert_eq!(index.dirty_count(), 2, "the inode's process has it not");
    index.send(10);
    index.wrote(Frame(10), PAGE, 6);
    index.accepted_push(FILE, 0);
    assert_eq!(index.first_dirty(FILE, 0), Some((0, Frame(10))), "it has an older version");
    index.send(10);
    index.accepted_push(FILE, 0);
    assert_eq!(index.first_dirty(FILE, 0), Some((1, Frame(11))));
    assert!(index.lease_of(FILE).is_some(), "the lease goes on");
    index.end_push(FILE);
    assert!(index.enter_push(FILE, NO_LEASE).is_ok(), "the next push");
    index.end_lease(FILE, LEASE.lease, true);
    assert_eq!(index.enter_push(FILE, LEASE.lease), Err(Errno::ENOLCK), "the lease has ended meanwhile");
}

#[test]
fn leased_file_pushed_attributes_complete_its_status_until_the_lease_ends() {
    let mut index = index(2);
    index.accept_lease(FILE, 1, index.now(), LEASE).unwrap();
    let mode = |mode| AttributeChange::mode(mode);
    index.change(FILE, mode(0o600), 1);
    assert_eq!(index.push_changes(FILE), Some((mode(0o600), 1)));
    index.accepted_push(FILE, PUSH_REFUSED);
    assert_eq!(index.push_changes(FILE), Some((mode(0o600), 1)), "the inode's process has them not");
    index.change(FILE, mode(0o640), 2);
    index.accepted_push(FILE, NO_PAGE);
    assert_eq!(index.push_changes(FILE), Some((mode(0o640), 2)), "changed again meanwhile");
    index.accepted_push(FILE, NO_PAGE);
    assert_eq!(index.push_changes(FILE), None, "the inode's process has them");
    assert_eq!(index.facts(FILE).2, Some((mode(0o640), 2)));
    index.cache_generation(OTHER).unwrap();
    let oldest = index.oldest_file().unwrap();
    index.forget(oldest);
    assert!(index.lease_of(FILE).is_some(), "it makes no room for others");
    index.end_lease(FILE, LEASE.lease, true);
    assert!(!index.is_leased(FILE), "nothing of it is here only");
}
