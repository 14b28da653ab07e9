//! Runs of pages: what fork and the end of a program do to whole areas, table by table.
//!
//! Invariant: as the single steps of `frame_memory.rs`, but the processor forgets once for all pages.

use super::descriptor::Descriptor;
use super::frame_memory::FrameMemory;
use super::maintenance::{forget_space, publish_tables};
use super::table::{ENTRIES, SHIFTS, TableEntry, TranslationTable, index, table_span};
use renga_hal::memory::{Access, Frame, ListedFrame, NOT_LISTED, PAGE_BYTES, PageRun, USER_END};

const PAGE: u64 = PAGE_BYTES as u64;
const LOWEST: usize = SHIFTS.len() - 1;

impl FrameMemory {
    /// Calls `enter` with each table that covers a part of `range`, and that part, and `visit` with each of its pages
    /// that is not a shared page table's, in order, until one of them refuses. Returns where to continue.
    fn visit_run(
        &self,
        space: Frame,
        range: (u64, u64),
        mut enter: impl FnMut((TranslationTable, Frame), u64, u64) -> bool,
        mut visit: impl FnMut(u64, TableEntry, Descriptor) -> bool,
    ) -> u64 {
        let (mut va, end) = (range.0, range.1.min(USER_END));
        assert!(va.is_multiple_of(PAGE), "{va:#x} is not the address of a page");
        // Each iteration passes a table, or a hole where one would be.
        while va < end {
            let (table, frame) = match self.lowest_table(space, va) {
                Ok(found) => found,
                Err(behind) => {
                    va = behind;
                    continue;
                }
            };
            let base = va & !(table_span(LOWEST) - 1);
            if !enter((table, frame), va, end.min(base + table_span(LOWEST))) {
                return va;
            }
            let behind = if end >= base + table_span(LOWEST) { ENTRIES } else { index(end, LOWEST) };
            let mut at = index(va, LOWEST);
            let has_shared_table = self.has_shared_table(frame);
            while let Some(used) =
                if has_shared_table { table.next_own(at..behind) } else { table.next_used(at..behind) }
            {
                va = base + ((used as u64) << SHIFTS[LOWEST]);
                let entry = table.entry(va, LOWEST);
                if !visit(va, entry, entry.get()) {
                    return va;
                }
                at = used + 1;
            }
            va = base + table_span(LOWEST);
        }
        end
    }

    /// The lowest table on the way to `va`, or the end of the hole that `va` is in.
    pub(super) fn lowest_table(&self, space: Frame, va: u64) -> Result<(TranslationTable, Frame), u64> {
        let (mut table, mut physical) = (self.table(space), self.physical(space));
        for level in 0..LOWEST {
            let descriptor = table.entry(va, level).get();
            if descriptor.is_empty() {
                return Err((va | (table_span(level + 1) - 1)) + 1);
            }
            // SAFETY: entries above the lowest level are tables that `add_table` put there.
            table = unsafe { TranslationTable::at(descriptor.physical()) };
            physical = descriptor.physical();
        }
        Ok((table, self.frame_at(physical)))
    }

    pub(super) fn map_pages(&self, space: Frame, va: u64, frames: &[ListedFrame], access: Access) -> PageRun {
        let _lock = self.lock_space(space);
        let fits = va < USER_END && (USER_END - va) / PAGE >= frames.len() as u64;
        assert!(fits && va.is_multiple_of(PAGE), "{va:#x} is not the address of so many user pages");
        let (mut pages, mut next) = (0, va);
        let mut target = None;
        for &listed in frames {
            if listed != NOT_LISTED {
                let Some((table, _)) = self.table_of_run(space, next, &mut target) else { break };
                let (frame, entry) = (Frame(u32::from_le_bytes(listed)), table.entry(next, LOWEST));
                assert!(entry.get().is_empty(), "{next:#x} is mapped already");
                let prepared = self.show(frame, access);
                entry.set(Descriptor::user_page(self.physical(frame), prepared));
                pages += 1;
            }
            next += PAGE;
        }
        self.record(space).state.count(pages as i32);
        publish_tables();
        PageRun { pages, next }
    }

    /// The lowest table for `va`, if there is one: that of the page before, or found and noted in `target`.
    fn table_of_run(
        &self,
        space: Frame,
        va: u64,
        target: &mut Option<(u64, (TranslationTable, Frame))>,
    ) -> Option<(TranslationTable, Frame)> {
        let span = va & !(table_span(LOWEST) - 1);
        match *target {
            Some((base, table)) if base == span => Some(table),
            _ => self.lowest_table(space, va).ok().map(|table| target.insert((span, table)).1),
        }
    }

    pub(super) fn unmap_pages(&self, space: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> PageRun {
        let lock = self.lock_space(space);
        let (mut pages, mut was_valid, mut shared_tables) = (0, false, 0);
        let hide = |table, start, end| {
            shared_tables += self.hide_shared_table(table, start, end);
            true
        };
        let next = self.visit_run(space, range, hide, |_, entry, descriptor| {
            let Some(place) = frames.get_mut(pages) else { return false };
            let frame = self.frame_at(descriptor.physical());
            entry.set(Descriptor::EMPTY);
            was_valid |= descriptor.is_valid();
            self.record(frame).state.count(-1);
            *place = frame.listed();
            pages += 1;
            true
        });
        self.record(space).state.count(-((pages + shared_tables) as i32));
        if was_valid || shared_tables > 0 {
            forget_space(lock.id);
        }
        PageRun { pages, next }
    }

    pub(super) fn share_pages(&self, from: Frame, to: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> PageRun {
        // Both spaces are the caller's: only an owner locks two.
        let (lock, _lock_there) = (self.lock_space(from), self.lock_space(to));
        let (mut pages, mut was_writable, mut shared_tables) = (0, false, 0);
        let share = |table: (TranslationTable, Frame), start, end| {
            if !self.uses_shared_table(table.1) {
                return true;
            }
            let Ok(there) = self.lowest_table(to, start) else { return false };
            shared_tables += self.share_shared_table(table, there, start, end);
            true
        };
        let mut target = None;
        let next = self.visit_run(from, range, share, |va, entry, descriptor| {
            let Some(place) = frames.get_mut(pages) else { return false };
            let Some((table, _)) = self.table_of_run(to, va, &mut target) else { return false };
            let place_there = table.entry(va, LOWEST);
            assert!(place_there.get().is_empty(), "{va:#x} is mapped already");
            let shared = descriptor.without_writing();
            if shared != descriptor {
                entry.set(shared);
                was_writable = true;
            }
            let frame = self.frame_at(descriptor.physical());
            self.show(frame, shared.access());
            place_there.set(shared);
            *place = frame.listed();
            pages += 1;
            true
        });
        self.record(to).state.count((pages + shared_tables) as i32);
        if was_writable {
            forget_space(lock.id);
        } else {
            publish_tables();
        }
        PageRun { pages, next }
    }
}
