//! Dirty pages: which pages the medium lacks, and in which order they are written.
//!
//! Invariant: a dirty page has a block, is found by it, and is in the list of dirty pages, oldest first. It stays
//! dirty, and in memory, until a write of its present content has succeeded or the page is given up. One run at a time
//! is being written. A page cut from its file while a commit refers to it (`ordered`) is detached: no lookup finds it,
//! but it is written. Not here: writing (`renga_fs`), frames.

use crate::index::PageIndex;
use crate::records::{DETACHED, DirtyPlace, FileRecord, PageRecord, RUN_MAX};
use renga_hal::memory::{Frame, PAGE_BYTES};
use renga_proto::pages::FileId;
use renga_rt::linked_list;

/// Times that a page is offered to the medium before it is given up.
const TRIES_MAX: u8 = 4;
impl PageIndex {
    /// How many pages are dirty.
    pub fn dirty_count(&self) -> u32 {
        self.dirty.list.count
    }

    /// How many the medium has refused for good, or were lost with a lease.
    pub fn lost(&self) -> u32 {
        self.dirty.lost
    }

    /// All that is dirty of the file in record `file` is about to be dropped; how many pages.
    pub(crate) fn lose_dirty(&mut self, file: u32) -> u32 {
        let record = &self.files[file as usize];
        let lost = record.dirty;
        self.dirty.lost = self.dirty.lost.wrapping_add(lost + u32::from(record.has_changes()));
        lost
    }

    pub(crate) fn oldest_dirty(&self) -> Option<u32> {
        self.dirty.list.oldest()
    }

    /// Whether pages that leave their files now are to be written all the same.
    pub fn set_ordered(&mut self, ordered: bool) {
        self.dirty.ordered = ordered;
    }

    /// The page in frame `at` is dirty from now on, and `block` its block.
    pub fn make_dirty(&mut self, at: u32, block: u32) {
        if let Some(place) = &mut self.pages[at as usize].dirty {
            // A page keeps its block until it leaves its file.
            return place.writing = false;
        }
        self.leave_order(at);
        self.dirty.list.push(self.pages, |slot| &mut slot.in_order, at);
        linked_list::chain(self.pages, self.dirty.chain(block), |slot| &mut slot.next_dirty, at);
        let slot = &mut self.pages[at as usize];
        slot.written = true;
        slot.dirty = Some(DirtyPlace { block, writing: false, tries: 0 });
        self.files[slot.file as usize].dirty += 1;
    }

    pub(crate) fn make_clean(&mut self, at: u32) {
        self.leave_order(at);
        let slot = &mut self.pages[at as usize];
        slot.dirty = None;
        self.enter_order(at);
    }

    /// A program that maps the page in frame `at` is about to write it; returns whether it is dirty, and no other
    /// board caches it.
    pub fn begin_store(&mut self, at: u32) -> bool {
        let slot = &mut self.pages[at as usize];
        // What is on its way to the medium is not what the page will be.
        slot.sole && slot.dirty.as_mut().map(|place| place.writing = false).is_some()
    }

    pub(crate) fn is_dirty(&self, at: u32) -> bool {
        self.pages[at as usize].dirty.is_some()
    }

    /// A copy of the dirty page in frame `at` is on its way from now on.
    pub fn send(&mut self, at: u32) {
        if let Some(place) = &mut self.pages[at as usize].dirty {
            place.writing = true;
        }
    }

    /// Whether a copy of the page in frame `at` is on its way.
    pub(crate) fn is_on_way(&self, at: u32) -> bool {
        self.pages[at as usize].dirty.is_some_and(|place| place.writing)
    }

    /// Whether no other board caches the page in frame `at`, nor will before the page is protected.
    pub(crate) fn set_sole(&mut self, at: u32, sole: bool) {
        let slot = &mut self.pages[at as usize];
        slot.sole = sole;
        if let Some(file) = self.files.get_mut(slot.file as usize).filter(|_| sole) {
            file.mapped = true;
        }
    }

    /// Other boards may cache any page of the file in record `file`.
    pub(crate) fn end_sole(&mut self, file: u32) {
        let FileRecord { mapped: true, pages, .. } = self.files[file as usize] else { return };
        let mut at = pages.first;
        // Each of the file's pages.
        while let Some(slot) = self.pages.get_mut(at as usize) {
            slot.sole = false;
            at = slot.in_file.next;
        }
    }

    pub(crate) fn leave_order(&mut self, at: u32) {
        let PageRecord { file, dirty, .. } = self.pages[at as usize];
        let Some(place) = dirty else {
            return self.leave_clean(at);
        };
        linked_list::unchain(self.pages, self.dirty.chain(place.block), |slot| &mut slot.next_dirty, at);
        self.dirty.list.remove(self.pages, |slot| &mut slot.in_order, at);
        if let Some(file) = self.files.get_mut(file as usize) {
            file.dirty -= 1;
        }
    }

    fn find_dirty(&mut self, block: u32) -> Option<u32> {
        let first = *self.dirty.chain(block);
        let is = |slot: &PageRecord| slot.dirty.is_some_and(|place| place.block == block);
        linked_list::find(self.pages, first, |slot| slot.next_dirty, is)
    }

    /// A page leaves its file; whether it has become an orphan instead of free.
    pub(crate) fn orphan(&mut self, at: u32) -> bool {
        let slot = &mut self.pages[at as usize];
        if slot.dirty.is_none() || !self.dirty.ordered {
            return false;
        }
        let file = core::mem::replace(&mut slot.file, DETACHED);
        self.files[file as usize].dirty -= 1;
        true
    }

    /// Begins to write the run of at most `most` pages that the oldest dirty page is in; its block and frames.
    pub fn take_run(&mut self, most: usize) -> Option<(u32, &[u32])> {
        let mut block = self.pages.get(self.dirty.list.first as usize)?.dirty?.block;
        let most = most.min(RUN_MAX);
        for _ in 1..most {
            match block.checked_sub(1).filter(|&before| self.find_dirty(before).is_some()) {
                Some(before) => block = before,
                None => break,
            }
        }
        let mut count = 0;
        while let Some(at) = self.find_dirty(block + count as u32).filter(|_| count < most) {
            self.dirty.run[count] = at;
            count += 1;
            // To the newest end, so that each iteration writes others.
            self.dirty.list.remove(self.pages, |slot| &mut slot.in_order, at);
            self.dirty.list.push(self.pages, |slot| &mut slot.in_order, at);
            if let Some(place) = &mut self.pages[at as usize].dirty {
                place.writing = true;
            }
        }
        self.dirty.in_run = count;
        Some((block, &self.dirty.run[..count]))
    }

    /// How many bytes of the page in frame `at` are within its file, as far as that is known.
    pub(crate) fn bytes_in_file(&self, at: u32) -> usize {
        let PageRecord { file, page, .. } = self.pages[at as usize];
        let size = self.files.get(file as usize).and_then(|file| file.size);
        let from = u64::from(page) * PAGE_BYTES as u64;
        size.map_or(PAGE_BYTES, |size| size.saturating_sub(from).min(PAGE_BYTES as u64) as usize)
    }

    /// The run's write has ended. Calls `free` with the frames that are no longer needed.
    pub fn end_run(&mut self, done: bool, evicting: bool, mut free: impl FnMut(Frame)) {
        for place in 0..core::mem::take(&mut self.dirty.in_run) {
            let at = self.dirty.run[place];
            let slot = &mut self.pages[at as usize];
            // It may have been freed meanwhile, or changed.
            let Some(place) = slot.dirty.as_mut().filter(|place| place.writing) else { continue };
            place.writing = false;
            place.tries = if done { 0 } else { place.tries.saturating_add(1) };
            let given_up = !done && evicting && place.tries >= TRIES_MAX;
            self.dirty.lost = self.dirty.lost.wrapping_add(u32::from(given_up));
            if (done || given_up) && slot.file == DETACHED {
                self.leave_order(at);
                self.pages[at as usize] = PageRecord::EMPTY;
                free(Frame(at));
            } else if done || given_up {
                self.make_clean(at);
            }
        }
    }

    /// How many pages from `page` on are not here, up to `count`.
    pub fn absent(&self, id: FileId, page: u32, count: u32) -> u32 {
        let Some(file) = self.find_file(id) else { return count };
        (0..count)
            .find(|&at| page.checked_add(at).is_none_or(|page| self.find_page(file, page).is_some()))
            .unwrap_or(count)
    }
}
