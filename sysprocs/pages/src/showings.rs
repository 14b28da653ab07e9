//! Which pages of which address spaces show cached pages to programs that share them.
//!
//! Invariant: what a space shows of the cache for a shared mapping is noted here, from when it is shown on, until the
//! space is found not to show it any more, or may not use it any more. So a page can be protected before it is written to
//! the medium, and withheld before it changes or goes: whoever uses it next faults. A space need not say what it gives
//! up: a note that nothing answers to is dropped when it is met. There are so many notes; the oldest makes room.
//!
//! A clean page that is shown is not given up while somebody shows it: its frame would stay with the space.
//! Not here: showing (`show.rs`), faults (`renga_memory`).

use crate::index::PageIndex;
use crate::ring::{Ends, NONE};
use crate::room::Showing;
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};

/// All notes.
pub(crate) struct Showings {
    table: &'static mut [Showing],
    /// The oldest, or the next free one.
    hand: u32,
    /// Clean pages that are shown.
    pub(crate) pages: Ends,
}
impl Showings {
    /// None, in this table.
    pub(crate) fn new(table: &'static mut [Showing]) -> Showings {
        Showings { table, hand: 0, pages: Ends::EMPTY }
    }
}

impl PageIndex {
    /// Whether the page in frame `at` is shown to somebody, as far as is known.
    pub(crate) fn is_shown(&self, at: u32) -> bool {
        self.pages[at as usize].showing != NONE
    }

    /// Notes that the page in frame `frame` is shown at page `at` of `space`.
    pub(crate) fn note<M: UserMemory + ?Sized>(&mut self, machine: &M, frame: u32, space: u32, at: u32) {
        let first = self.pages[frame as usize].showing;
        let mut next = first;
        // Bounded by the spaces that share the page.
        while let Some(known) = self.showings.table.get(next as usize) {
            if (known.space, known.at) == (space, at) {
                return;
            }
            next = known.next;
        }
        let place = self.showings.hand;
        self.showings.hand = (place + 1) % self.showings.table.len() as u32;
        self.give_up(machine, place);
        let next = self.pages[frame as usize].showing;
        self.showings.table[place as usize] = Showing { frame, space, at, next };
        self.set_showing(frame, place);
        if let Some(file) = self.files.get_mut(self.pages[frame as usize].file as usize) {
            file.shown = true;
        }
    }

    /// The oldest makes room: its space faults if it still shows the page.
    fn give_up<M: UserMemory + ?Sized>(&mut self, machine: &M, place: u32) {
        let old = self.showings.table[place as usize];
        if old.frame == NONE {
            return;
        }
        machine.restrict(Frame(old.space), address(old.at), Frame(old.frame), Access::None);
        self.showings.table[place as usize] = Showing::NONE;
        let first = self.pages[old.frame as usize].showing;
        if first == place {
            return self.set_showing(old.frame, old.next);
        }
        let mut before = first;
        // It is in this chain.
        while let Some(known) = self.showings.table.get_mut(before as usize) {
            if known.next == place {
                return known.next = old.next;
            }
            before = known.next;
        }
    }

    /// Whoever is shown the page in `frame` may only read it from now on, or (`None`) not use it: then nobody is shown
    /// it any more. Notes that nothing answers to are dropped.
    pub(crate) fn restrict<M: UserMemory + ?Sized>(&mut self, machine: &M, frame: u32, access: Access) {
        let (mut next, mut kept) = (self.pages[frame as usize].showing, NONE);
        // Bounded by the spaces that share the page.
        while let Some(&known) = self.showings.table.get(next as usize) {
            let shows = machine.restrict(Frame(known.space), address(known.at), Frame(frame), access);
            let place = &mut self.showings.table[next as usize];
            if shows && access != Access::None {
                place.next = core::mem::replace(&mut kept, next);
            } else {
                *place = Showing::NONE;
            }
            next = known.next;
        }
        self.set_showing(frame, kept);
    }

    /// Withholds what is shown of pages `from..to` of the file in record `file`, before they go or change.
    pub(crate) fn withhold_range<M: UserMemory + ?Sized>(&mut self, machine: &M, file: u32, from: u32, to: u32) {
        let record = self.files[file as usize];
        if !record.shown {
            return;
        }
        let to = to.min(record.highest.saturating_add(1));
        // As `take_range` finds them.
        if to.saturating_sub(from) <= record.count {
            for page in from..to {
                if let Some(at) = self.find_page(file, page) {
                    self.restrict(machine, at, Access::None);
                }
            }
            return;
        }
        let mut at = record.pages.first;
        while let Some(slot) = self.pages.get(at as usize) {
            let (page, next) = (slot.page, slot.in_file.next);
            if (from..to).contains(&page) {
                self.restrict(machine, at, Access::None);
            }
            at = next;
        }
    }

    /// Looks at up to `most` of the clean pages that are shown, whether they still are; those that are not can go.
    pub(crate) fn review<M: UserMemory + ?Sized>(&mut self, machine: &M, most: usize) {
        for _ in 0..most {
            let at = self.showings.pages.first;
            if at == NONE {
                return;
            }
            // To the end of the list, or into the clock.
            self.leave_clean(at);
            self.enter_order(at);
            self.restrict(machine, at, Access::Read);
        }
    }

    fn set_showing(&mut self, frame: u32, first: u32) {
        let slot = &self.pages[frame as usize];
        let moves = slot.dirty.is_none() && slot.file != NONE && (slot.showing == NONE) != (first == NONE);
        if moves {
            self.leave_clean(frame);
        }
        self.pages[frame as usize].showing = first;
        if moves {
            self.enter_order(frame);
        }
    }
}

fn address(page: u32) -> u64 {
    u64::from(page) * PAGE_BYTES as u64
}
