//! Dirty pages: none is lost, written twice at a time, or dropped while a commit refers to it.
#![allow(missing_docs)]

use renga_hal::memory::Frame;
use renga_pages::{CacheMemory, FrameList, PageIndex};
use renga_proto::pages::FileId;
use renga_rt::host::HostBoard;

const PAGE: u64 = 4096;
const FILE: FileId = FileId { ino: 7, generation: 1 };
const OTHER: FileId = FileId { ino: 8, generation: 1 };

fn index() -> PageIndex {
    PageIndex::new(CacheMemory::new(HostBoard::new(0, 1 << 20).arena, 64, 8))
}

/// Frame `frame` shows page `page` of `file`, and its block is `block` if it is dirty.
fn put(index: &mut PageIndex, file: FileId, page: u32, frame: u32, block: Option<u32>) {
    let cache_generation = index.cache_generation(file).unwrap();
    assert_eq!(index.put(file, page, Frame(frame), cache_generation, 100 * PAGE), Ok(true));
    if let Some(block) = block {
        index.make_dirty(frame, block);
    }
}

fn run(index: &mut PageIndex, most: usize) -> Option<(u32, Vec<u32>)> {
    index.take_run(most).map(|(block, frames)| (block, frames.to_vec()))
}

fn end(index: &mut PageIndex, done: bool, evicting: bool) -> Vec<Frame> {
    let mut freed = Vec::new();
    index.end_run(done, evicting, |frame| freed.push(frame));
    freed
}

/// Cuts all of the file; the frames that are free at once.
fn cut(index: &mut PageIndex, file: FileId) -> usize {
    let record = index.revoke(file, u32::MAX).unwrap();
    let mut list = FrameList::new();
    assert!(!index.take_range(record, 0, u32::MAX, &mut list));
    list.len()
}

#[test]
fn dirty_pages_adjacent_blocks_form_one_run() {
    let mut index = index();
    for (file, page, frame, block) in [(FILE, 0, 1, 20), (FILE, 1, 2, 12), (OTHER, 9, 3, 11), (OTHER, 3, 4, 13)] {
        put(&mut index, file, page, frame, Some(block));
    }
    assert_eq!(run(&mut index, 8), Some((20, vec![1])), "the oldest first");
    assert!(end(&mut index, true, false).is_empty());
    assert_eq!(run(&mut index, 8), Some((11, vec![3, 2, 4])));
    end(&mut index, true, false);
    assert_eq!((run(&mut index, 8), index.dirty_count(), index.count()), (None, 0, 4));
}

#[test]
fn dirty_run_is_bounded_by_buffer() {
    let mut index = index();
    (0..5).for_each(|page| put(&mut index, FILE, page, page, Some(30 + page)));
    assert_eq!(run(&mut index, 2), Some((30, vec![0, 1])));
    end(&mut index, true, false);
    assert_eq!(run(&mut index, 2), Some((32, vec![2, 3])));
    end(&mut index, true, false);
    assert_eq!(run(&mut index, 2), Some((34, vec![4])));
}

#[test]
fn dirty_page_rewritten_or_refused_stays_dirty() {
    let mut index = index();
    put(&mut index, FILE, 0, 1, Some(10));
    put(&mut index, FILE, 1, 2, Some(11));
    run(&mut index, 8);
    index.make_dirty(1, 10);
    end(&mut index, true, false);
    assert_eq!(run(&mut index, 8), Some((10, vec![1])));
    end(&mut index, false, false);
    assert_eq!(index.dirty_count(), 1);
}

#[test]
fn dirty_page_is_dropped_after_four_refusals() {
    let mut index = index();
    put(&mut index, FILE, 0, 1, Some(10));
    for _ in 0..9 {
        run(&mut index, 8).unwrap();
        end(&mut index, false, false);
    }
    assert_eq!((index.dirty_count(), index.lost()), (1, 0));
    run(&mut index, 8).unwrap();
    end(&mut index, false, true);
    assert_eq!((index.dirty_count(), index.lost()), (0, 1));
}

#[test]
fn dirty_pages_are_not_evicted() {
    let mut index = index();
    put(&mut index, FILE, 0, 1, Some(10));
    put(&mut index, FILE, 1, 2, None);
    assert_eq!(
        (index.take_oldest(&mut { u32::MAX }, |_| false), index.take_oldest(&mut { u32::MAX }, |_| false)),
        (Some(Frame(2)), None)
    );
    assert_eq!(index.oldest_file(), None, "its page is dirty");
    run(&mut index, 8);
    end(&mut index, true, false);
    assert_eq!(index.take_oldest(&mut { u32::MAX }, |_| false), Some(Frame(1)));
}

#[test]
fn truncated_page_is_written_only_for_commit() {
    let mut index = index();
    put(&mut index, FILE, 0, 1, Some(10));
    assert_eq!((cut(&mut index, FILE), index.dirty_count()), (1, 0));
    put(&mut index, FILE, 0, 2, Some(20));
    put(&mut index, FILE, 1, 3, None);
    index.set_ordered(true);
    assert_eq!((cut(&mut index, FILE), index.dirty_count()), (1, 1), "the clean one is free");
    index.set_ordered(false);
    assert_eq!(index.find(FILE, 0), None);
    // The page is another one from now on.
    put(&mut index, FILE, 0, 4, Some(30));
    assert_eq!(run(&mut index, 8), Some((20, vec![2])));
    assert_eq!(end(&mut index, true, false), [Frame(2)]);
    assert_eq!(run(&mut index, 8), Some((30, vec![4])));
    assert!(end(&mut index, true, false).is_empty());
}

#[test]
fn truncated_page_under_way_is_not_confused_with_frame_successor() {
    let mut index = index();
    put(&mut index, FILE, 0, 1, Some(10));
    run(&mut index, 8);
    assert_eq!(cut(&mut index, FILE), 1);
    put(&mut index, OTHER, 0, 1, Some(50));
    end(&mut index, true, false);
    assert_eq!(run(&mut index, 8), Some((50, vec![1])), "that has not been written");
}

#[test]
fn dirty_chain_lookup_survives_removals() {
    let mut index = index();
    // Blocks so far apart are in one chain, whatever the number of chains.
    put(&mut index, FILE, 0, 1, Some(1 << 20));
    put(&mut index, FILE, 1, 2, Some(1 << 21));
    assert_eq!(run(&mut index, 8), Some((1 << 20, vec![1])));
    index.make_dirty(1, 1 << 20);
    end(&mut index, true, false);
    assert_eq!(run(&mut index, 8), Some((1 << 21, vec![2])));
    end(&mut index, true, false);
    assert_eq!(run(&mut index, 8), Some((1 << 20, vec![1])));
}
