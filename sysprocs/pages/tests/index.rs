//! The index against a map as its model.
#![allow(missing_docs)]

use renga_hal::memory::Frame;
use renga_pages::{FrameList, PageIndex};
use renga_proto::pages::{FileId, TO_END};
use renga_rt::host::HostBoard;
use std::collections::BTreeMap;

const FRAMES: usize = 40;
const FILES: usize = 5;

fn index() -> PageIndex {
    PageIndex::new(renga_pages::CacheMemory::new(HostBoard::new(0, 1 << 20).arena, FRAMES, FILES))
}

fn file(ino: u32) -> FileId {
    FileId { ino: ino + 1, generation: ino ^ 7 }
}

/// Numbers that repeat in every run (xorshift64).
struct Random(u64);
impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(limit)) as u32
    }
}

fn frames(list: &FrameList) -> Vec<Frame> {
    renga_pages::frame_list::frames_in(list.as_bytes()).collect()
}

#[test]
fn page_index_random_use_matches_map() {
    let (mut index, mut random) = (index(), Random(0x1234_5678_9abc_def1));
    let mut model: BTreeMap<(u32, u32), Frame> = BTreeMap::new();
    let mut free: Vec<Frame> = (0..FRAMES as u32).map(Frame).collect();
    for step in 0..20_000 {
        let (ino, page) = (random.below(FILES as u32), random.below(12) * (1 + random.below(3) * 50));
        match random.below(10) {
            0..=5 => {
                let cache_generation = index.cache_generation(file(ino)).expect("there is a record for each");
                if let Some(frame) = free.pop() {
                    let put = index.put(file(ino), page, frame, cache_generation, 99).expect("nothing was revoked");
                    assert_eq!(put, !model.contains_key(&(ino, page)), "step {step}");
                    if put {
                        model.insert((ino, page), frame);
                    } else {
                        free.push(frame)
                    }
                }
            }
            6 => {
                let (to, mut list) =
                    (if random.below(2) == 0 { TO_END } else { page + random.below(9) }, FrameList::new());
                if let Some(record) = index.revoke(file(ino), to) {
                    assert!(!index.take_range(record, page, to, &mut list), "the list has room for all");
                    let left = model.keys().filter(|key| key.0 == ino && !(page..to).contains(&key.1)).count();
                    assert_eq!(index.count_of(record), left as u32);
                }
                let mut gone = frames(&list);
                let mut expected: Vec<Frame> =
                    model.extract_if((ino, page)..(ino, to), |_, _| true).map(|(_, frame)| frame).collect();
                free.extend(&gone);
                gone.sort();
                expected.sort();
                assert_eq!(gone, expected, "step {step}");
            }
            7 => {
                if let Some(frame) = index.take_oldest(&mut { u32::MAX }, |_| false) {
                    let key = *model.iter().find(|(_, mapped)| **mapped == frame).expect("it was put in").0;
                    model.remove(&key);
                    free.push(frame);
                }
            }
            _ => assert_eq!(index.find(file(ino), page), model.get(&(ino, page)).copied(), "step {step}"),
        }
        assert_eq!(index.count() as usize, model.len());
    }
}

#[test]
fn page_index_revocation_ends_cache_generation() {
    let mut index = index();
    let cache_generation = index.cache_generation(file(1)).unwrap();
    assert_eq!(index.put(file(1), 0, Frame(0), cache_generation, 10), Ok(true));
    assert_eq!(index.size(file(1)), Some(10));
    let record = index.revoke(file(1), 5).unwrap();
    assert!(index.put(file(1), 1, Frame(1), cache_generation, 10).is_err(), "it was revoked since");
    assert_eq!(index.size(file(1)), Some(10), "only a revocation to the end is about the size");
    index.revoke(file(1), TO_END);
    assert_eq!(index.size(file(1)), None);
    // A new record does not honour a cache generation of the former one.
    let cache_generation = index.cache_generation(file(1)).unwrap();
    let mut list = FrameList::new();
    assert!(!index.take_range(record, 0, TO_END, &mut list));
    index.forget(record);
    assert_ne!(index.cache_generation(file(1)), Some(cache_generation));
    assert!(index.put(file(1), 1, Frame(1), cache_generation, 10).is_err());
}

/// Holds: reclaim-lru.
#[test]
fn page_index_used_page_survives_eviction() {
    let mut index = index();
    let cache_generation = index.cache_generation(file(1)).unwrap();
    for page in 0..8 {
        index.put(file(1), page, Frame(page), cache_generation, 1 << 20).unwrap();
    }
    for page in [0, 1, 5] {
        assert!(index.find(file(1), page).is_some());
    }
    let gone: Vec<u32> = (0..8).map(|_| index.take_oldest(&mut { u32::MAX }, |_| false).unwrap().0).collect();
    assert_eq!(gone, [2, 3, 4, 6, 7, 0, 1, 5]);
    assert_eq!(index.take_oldest(&mut { u32::MAX }, |_| false), None);
}

#[test]
fn page_index_unused_file_record_is_evicted() {
    let mut index = index();
    for ino in 0..FILES as u32 {
        index.cache_generation(file(ino)).unwrap();
    }
    assert_eq!(index.cache_generation(file(100)), None);
    let oldest = index.oldest_file().unwrap();
    index.forget(oldest);
    assert!(index.cache_generation(file(100)).is_some());
    assert_eq!(index.cache_generation(file(0)), None, "it was the oldest");
}

#[test]
fn page_index_eviction_scan_is_bounded() {
    let mut index = index();
    let cache_generation = index.cache_generation(file(1)).unwrap();
    for page in 0..8 {
        index.put(file(1), page, Frame(page), cache_generation, 1 << 20).unwrap();
        assert!(index.find(file(1), page).is_some());
    }
    // All were used: each is passed over once.
    let mut scans = 5;
    assert_eq!((index.take_oldest(&mut scans, |_| false), scans), (None, 0));
    let mut scans = 5;
    assert_eq!((index.take_oldest(&mut scans, |_| false), scans), (Some(Frame(0)), 1));
    let mut scans = 5;
    assert_eq!((index.take_oldest(&mut scans, |frame| frame == Frame(1)), scans), (Some(Frame(2)), 3));
    assert_eq!((index.arrived(), index.count()), (8, 6));
}
