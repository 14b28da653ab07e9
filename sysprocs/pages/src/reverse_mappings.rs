//! Reverse mappings: which pages of which address spaces map a cached page for programs that share it.
//!
//! Invariant: a shared mapping of a cached page has a record here until the space is found not to map it any more. So a
//! page can be write-protected before it is written to the medium, and unmapped before it changes or leaves: its next
//! user faults. A space need not report an unmapping: a stale record is dropped when it is met. The oldest record makes
//! room for a new one.
//!
//! A mapped clean page is not evicted: its frame would stay with the space. Not here: mapping (`shared_mapping.rs`),
//! faults (`renga_memory`).

use crate::index::PageIndex;
use crate::records::{NONE, ReverseMapping};
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};
use renga_rt::linked_list;

impl PageIndex {
    /// Whether a program maps the page in frame `at`, as far as is known.
    pub(crate) fn is_mapped(&self, at: u32) -> bool {
        self.pages[at as usize].first_mapping != NONE
    }

    /// Notes that the page in frame `frame` is mapped at page `at` of `space`.
    pub(crate) fn add_mapping<M: UserMemory + ?Sized>(&mut self, machine: &M, frame: u32, space: u32, at: u32) {
        let first = self.pages[frame as usize].first_mapping;
        let is_known = |known: &ReverseMapping| (known.space, known.at) == (space, at);
        if linked_list::find(self.reverse_mappings.table, first, |known| known.next, is_known).is_some() {
            return;
        }
        let place = self.reverse_mappings.hand;
        self.reverse_mappings.hand = (place + 1) % self.reverse_mappings.table.len() as u32;
        self.drop_mapping(machine, place);
        let next = self.pages[frame as usize].first_mapping;
        self.reverse_mappings.table[place as usize] = ReverseMapping { frame, space, at, next };
        self.set_first_mapping(frame, place);
        if let Some(file) = self.files.get_mut(self.pages[frame as usize].file as usize) {
            file.mapped = true;
        }
    }

    /// The oldest makes room: its space faults if it still shows the page.
    fn drop_mapping<M: UserMemory + ?Sized>(&mut self, machine: &M, place: u32) {
        let old = self.reverse_mappings.table[place as usize];
        if old.frame == NONE {
            return;
        }
        machine.restrict(Frame(old.space), address(old.at), Frame(old.frame), Access::None);
        let mut first = self.pages[old.frame as usize].first_mapping;
        linked_list::unchain(self.reverse_mappings.table, &mut first, |known| &mut known.next, place);
        self.reverse_mappings.table[place as usize] = ReverseMapping::NONE;
        self.set_first_mapping(old.frame, first);
    }

    /// Programs that map the page in `frame` may only read it from now on, or (`None`) not use it: then none maps it
    /// any more. Stale records are dropped.
    pub(crate) fn restrict<M: UserMemory + ?Sized>(&mut self, machine: &M, frame: u32, access: Access) {
        let (mut next, mut kept) = (self.pages[frame as usize].first_mapping, NONE);
        // Bounded by the spaces that share the page.
        while let Some(&known) = self.reverse_mappings.table.get(next as usize) {
            let shows = machine.restrict(Frame(known.space), address(known.at), Frame(frame), access);
            let place = &mut self.reverse_mappings.table[next as usize];
            if shows && access != Access::None {
                place.next = core::mem::replace(&mut kept, next);
            } else {
                *place = ReverseMapping::NONE;
            }
            next = known.next;
        }
        self.set_first_mapping(frame, kept);
    }

    /// Withholds what is mapped of pages `from..to` of the file in record `file`, before they go or change.
    pub(crate) fn unmap_range<M: UserMemory + ?Sized>(&mut self, machine: &M, file: u32, from: u32, to: u32) {
        if !self.files[file as usize].mapped {
            return;
        }
        let mut walk = self.walk(file, from, to);
        while let Some(at) = self.next_of(&mut walk) {
            self.restrict(machine, at, Access::None);
        }
    }

    /// Scans up to `most` of the clean mapped pages; those that are not mapped any more can go.
    pub(crate) fn recheck_mapped<M: UserMemory + ?Sized>(&mut self, machine: &M, most: usize) {
        for _ in 0..most {
            let Some(at) = self.reverse_mappings.pages.oldest() else { return };
            // To the end of the list, or into the clock.
            self.leave_clean(at);
            self.enter_order(at);
            self.restrict(machine, at, Access::Read);
        }
    }

    fn set_first_mapping(&mut self, frame: u32, first: u32) {
        let slot = &self.pages[frame as usize];
        let moves = slot.dirty.is_none() && slot.file != NONE && (slot.first_mapping == NONE) != (first == NONE);
        if moves {
            self.leave_clean(frame);
        }
        self.pages[frame as usize].first_mapping = first;
        if moves {
            self.enter_order(frame);
        }
    }
}

fn address(page: u32) -> u64 {
    u64::from(page) * PAGE_BYTES as u64
}
