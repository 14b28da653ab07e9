//! The index: which frame has which page of which file.
//!
//! A hash finds a page. A file's pages are in a list of their own, so that dropping them costs time by their number. A
//! clock (Corbató 1969) finds the page to evict.
//!
//! Invariant: a frame has at most one page, a page at most one frame, and a page's file has a record. A file's `since`
//! changes with each revocation, each change of size, and when a written page leaves; no value is used twice, so it
//! recognises pages read earlier. A clean page is in the clock, unless it is mapped (`reverse_mappings.rs`) or an
//! object's; a dirty page is in the list of dirty ones. Not here: eviction (`eviction.rs`), dirty pages (`dirty.rs`),
//! calls (`page_cache.rs`).

use crate::frame_list::FrameList;
use crate::lease::later;
use crate::records::{CacheMemory, DirtyPages, FileRecord, NONE, PageRecord, ReverseMappings};
use renga_hal::memory::Frame;
use renga_proto::pages::{FileId, NO_LEASE, TO_END};
use renga_rt::linked_list::{self, LinkedList};

renga_rt::with_defaults! {
    /// The index.
    pub struct PageIndex {
        pub(crate) pages: &'static mut [PageRecord] = room.pages,
        /// First of each chain; as many as a power of two, of pages and of files alike.
        page_chains: &'static mut [u32] = room.page_chains,
        pub(crate) files: &'static mut [FileRecord] = room.files,
        file_chains: &'static mut [u32] = room.file_chains,
        pub(crate) page_clock: LinkedList<u32> = LinkedList::EMPTY,
        pub(crate) dirty: DirtyPages = DirtyPages::new(room.block_chains),
        pub(crate) reverse_mappings: ReverseMappings = ReverseMappings::new(room.reverse_mappings),
        /// Pages of objects: they have no other place, so they stay.
        objects: LinkedList<u32> = LinkedList::EMPTY,
        pub(crate) file_clock: LinkedList<u32> = LinkedList::EMPTY,
        /// Records that were never used begin here.
        pub(crate) fresh_file: u32 = 0,
        free_files: LinkedList<u32> = LinkedList::EMPTY,
        pub(crate) last_since: u64 = 0,
        /// The last number that a file got which has no record any more, or never had one.
        pub(crate) unknown_since: u64 = 0,
        /// The last lease that was taken back of a file that has no record any more, or never had one.
        pub(crate) unknown_ended: u64 = NO_LEASE,
        /// Leases requested before are void: a number as `since`.
        pub(crate) void_since: u64 = 0,
        /// Pages that have come, modulo 2^32, and those of them that have gone.
        arrived: u32 = 0,
        gone: u32 = 0,
    }
    /// An empty one in `room`.
    pub fn new(room: &'static mut CacheMemory);
}

/// Where a walk over a file's cached pages is.
pub(crate) struct PageWalk {
    file: u32,
    pages: core::ops::Range<u32>,
    listed: Option<u32>,
}

/// Fibonacci hashing (Knuth, vol. 3, 6.4).
fn hash(first: u32, second: u32, chains: usize) -> usize {
    let word = (u64::from(first) << 32 | u64::from(second)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word >> 40) as usize & (chains - 1)
}

impl PageIndex {
    /// How many pages there are.
    pub fn count(&self) -> u32 {
        self.arrived.wrapping_sub(self.gone)
    }

    /// How many have come since boot, modulo 2^32.
    pub fn arrived(&self) -> u32 {
        self.arrived
    }

    pub(crate) fn frames(&self) -> u32 {
        self.pages.len() as u32
    }

    pub(crate) fn find_file(&self, id: FileId) -> Option<u32> {
        let first = self.file_chains[hash(id.ino, id.generation, self.file_chains.len())];
        linked_list::find(self.files, first, |file| file.chained, |file| file.id == id)
    }

    pub(crate) fn find_page(&self, file: u32, page: u32) -> Option<u32> {
        let first = self.page_chains[hash(page, file, self.page_chains.len())];
        linked_list::find(self.pages, first, |slot| slot.chained, |slot| slot.page == page && slot.file == file)
    }

    /// The size of a file, if it is known.
    pub fn size(&self, id: FileId) -> Option<u64> {
        self.files[self.find_file(id)? as usize].size
    }

    /// The size of a file and its record, for [`PageIndex::page_of`]; not of one that is leased out or orphaned.
    pub(crate) fn sized_file(&mut self, id: FileId) -> Option<(u32, u64)> {
        let file = self.find_file(id)?;
        let slot = &mut self.files[file as usize];
        slot.used = true;
        slot.size.filter(|_| !slot.is_withheld()).map(|size| (file, size))
    }

    /// Since when a file has its present data, and how many of its pages are here; nothing of a file that programs
    /// write by shared mappings, or that a board leases.
    pub(crate) fn content(&self, id: FileId) -> Option<(u64, u32)> {
        let file = &self.files[self.record(id)? as usize];
        (!file.mapped && file.writable == 0).then_some((file.since.max(file.written), file.pages.count))
    }

    /// The record of a file that is neither leased out nor orphaned, for [`PageIndex::page_of`].
    pub(crate) fn record(&self, id: FileId) -> Option<u32> {
        self.find_file(id).filter(|&file| !self.files[file as usize].is_withheld())
    }

    pub(crate) fn page_of(&mut self, file: u32, page: u32) -> Option<Frame> {
        let at = self.find_page(file, page)?;
        self.pages[at as usize].used = true;
        Some(Frame(at))
    }

    fn clean_list(&mut self, at: u32) -> &mut LinkedList<u32> {
        let PageRecord { file, first_mapping, .. } = self.pages[at as usize];
        match self.files.get(file as usize) {
            Some(file) if file.id.is_object() => &mut self.objects,
            _ if first_mapping != NONE => &mut self.reverse_mappings.pages,
            _ => &mut self.page_clock,
        }
    }

    pub(crate) fn enter_order(&mut self, at: u32) {
        let mut list = *self.clean_list(at);
        list.push(self.pages, |slot| &mut slot.in_order, at);
        *self.clean_list(at) = list;
    }

    pub(crate) fn leave_clean(&mut self, at: u32) {
        let mut list = *self.clean_list(at);
        list.remove(self.pages, |slot| &mut slot.in_order, at);
        *self.clean_list(at) = list;
    }

    /// The frame with a page.
    pub fn find(&mut self, id: FileId, page: u32) -> Option<Frame> {
        let file = self.find_file(id)?;
        self.page_of(file, page)
    }

    pub(crate) fn next_since(&mut self) -> u64 {
        self.last_since += 1;
        self.last_since
    }

    /// The cache generation for new pages of the file. `None`: there is no room for its record until
    /// [`PageIndex::oldest_file`] is dropped.
    pub fn cache_generation(&mut self, id: FileId) -> Option<u64> {
        if let Some(known) = self.find_file(id) {
            return Some(self.files[known as usize].since);
        }
        let at = if self.free_files.first != NONE {
            let at = self.free_files.first;
            self.free_files.remove(self.files, |file| &mut file.in_clock, at);
            at
        } else if (self.fresh_file as usize) < self.files.len() {
            self.fresh_file += 1;
            self.fresh_file - 1
        } else {
            return None;
        };
        let since = self.next_since();
        let chain = hash(id.ino, id.generation, self.file_chains.len());
        let chained = core::mem::replace(&mut self.file_chains[chain], at);
        let ended = self.unknown_ended;
        self.files[at as usize] = FileRecord { id, since, ended, chained, ..FileRecord::EMPTY };
        self.file_clock.push(self.files, |file| &mut file.in_clock, at);
        Some(since)
    }

    /// Puts a page in; whether it is the one that is mapped now. `Ok(false)`: another page is there; `Void`: its
    /// generation is over.
    pub fn put(&mut self, id: FileId, page: u32, frame: Frame, cache_generation: u64, size: u64) -> Result<bool, Void> {
        let may_come = |slot: &FileRecord| slot.since == cache_generation && !slot.orphaned;
        let file = self.find_file(id).filter(|&file| may_come(&self.files[file as usize])).ok_or(Void)?;
        let taken = self.pages.get(frame.0 as usize).is_none_or(|slot| slot.file != NONE);
        if self.files[file as usize].writable == 0 {
            self.files[file as usize].size = Some(size);
        }
        if taken || self.find_page(file, page).is_some() {
            return Ok(false);
        }
        let chain = hash(page, file, self.page_chains.len());
        let chained = core::mem::replace(&mut self.page_chains[chain], frame.0);
        self.pages[frame.0 as usize] = PageRecord { file, page, chained, ..PageRecord::EMPTY };
        self.enter_order(frame.0);
        let record = &mut self.files[file as usize];
        record.pages.push(self.pages, |slot| &mut slot.in_file, frame.0);
        record.highest = record.highest.max(page);
        self.arrived = self.arrived.wrapping_add(1);
        Ok(true)
    }

    /// Takes the page that `at` shows out; whether the frame is no longer needed.
    pub(crate) fn remove(&mut self, at: u32) -> bool {
        let PageRecord { file, page, .. } = self.pages[at as usize];
        let chain = hash(page, file, self.page_chains.len());
        linked_list::unchain(self.pages, &mut self.page_chains[chain], |slot| &mut slot.chained, at);
        let record = &mut self.files[file as usize];
        record.pages.remove(self.pages, |slot| &mut slot.in_file, at);
        self.gone = self.gone.wrapping_add(1);
        if self.orphan(at) {
            return false;
        }
        self.leave_order(at);
        self.pages[at as usize] = PageRecord::EMPTY;
        true
    }

    pub(crate) fn replace(&mut self, at: Frame, by: Frame) {
        let PageRecord { file, page, dirty, sole, written, .. } = self.pages[at.0 as usize];
        let id = self.files[file as usize].id;
        if dirty.is_some() {
            self.make_clean(at.0);
        }
        self.remove(at.0);
        let FileRecord { since, size, .. } = self.files[file as usize];
        // Nothing else shows the page now.
        let _ = self.put(id, page, by, since, size.unwrap_or(0));
        if let Some(place) = dirty {
            self.make_dirty(by.0, place.block);
        }
        self.pages[by.0 as usize].written = written;
        self.set_sole(by.0, sole);
    }

    /// The size of the file, from now on; whatever is being read of it is old.
    pub(crate) fn changed(&mut self, id: FileId, size: u64) -> Option<u32> {
        let file = self.find_file(id)?;
        let since = self.next_since();
        let record = &mut self.files[file as usize];
        (record.since, record.size) = (since, Some(size));
        Some(file)
    }

    /// A page of the file is about to be written, which has `size` bytes from now on. What is being read of other pages
    /// is not old, nor does it replace that page; without it two boards that write pages side by side would keep each
    /// other from reading them.
    pub(crate) fn written(&mut self, id: FileId, size: u64) {
        if self.size(id) != Some(size) {
            self.changed(id, size);
        } else if let Some(file) = self.find_file(id) {
            self.files[file as usize].written = self.next_since();
        }
    }

    /// Ends the cache generation of the file and, if `to` is `TO_END`, forgets its size; returns the record.
    pub fn revoke(&mut self, id: FileId, to: u32) -> Option<u32> {
        let since = self.next_since();
        let Some(file) = self.find_file(id) else {
            self.unknown_since = since;
            return None;
        };
        let record = &mut self.files[file as usize];
        record.since = since;
        if to == TO_END {
            record.size = None;
        }
        Some(file)
    }

    /// Takes pages of `from..to` of the file in record `file` out and into `list`, until that is full; whether there
    /// may be more.
    pub fn take_range(&mut self, file: u32, from: u32, to: u32, list: &mut FrameList) -> bool {
        let mut walk = self.walk(file, from, to);
        while !list.is_full() {
            let Some(at) = self.next_of(&mut walk) else { return false };
            if self.remove(at) {
                list.push(Frame(at));
            }
        }
        true
    }

    /// An iterator over the cached pages `from..to` of the file in record `file`: by lookups, or, if it has fewer
    /// pages, through the file's list.
    pub(crate) fn walk(&self, file: u32, from: u32, to: u32) -> PageWalk {
        let FileRecord { highest, pages: LinkedList { first, count, .. }, .. } = self.files[file as usize];
        let pages = from..to.min(highest.saturating_add(1));
        let listed = (pages.len() > count as usize).then_some(first);
        PageWalk { file, pages, listed }
    }

    /// The frame of the next page of a walk, which may be removed meanwhile.
    pub(crate) fn next_of(&self, walk: &mut PageWalk) -> Option<u32> {
        let Some(listed) = &mut walk.listed else {
            return walk.pages.find_map(|page| self.find_page(walk.file, page));
        };
        loop {
            let slot = self.pages.get(*listed as usize)?;
            let at = core::mem::replace(listed, slot.in_file.next);
            if walk.pages.contains(&slot.page) {
                return Some(at);
            }
        }
    }

    /// How many pages of the file in record `file` there are.
    pub fn count_of(&self, file: u32) -> u32 {
        self.files[file as usize].pages.count
    }

    /// Forgets the file in record `file`, of which no page is left.
    pub fn forget(&mut self, file: u32) {
        let FileRecord { id, since, ended, .. } = self.files[file as usize];
        self.unknown_since = self.unknown_since.max(since);
        self.unknown_ended = later(ended, self.unknown_ended);
        let chain = hash(id.ino, id.generation, self.file_chains.len());
        linked_list::unchain(self.files, &mut self.file_chains[chain], |file| &mut file.chained, file);
        self.file_clock.remove(self.files, |file| &mut file.in_clock, file);
        self.files[file as usize] = FileRecord::EMPTY;
        self.free_files.push(self.files, |file| &mut file.in_clock, file);
    }
}

/// A revocation has ended the cache generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Void;
