//! Shared page tables: a program's file pages as a table of the lowest level, kept for later programs, whose tables
//! start as copies.
//!
//! Invariant: no page of a shared page table is writable. A frame is counted once for the shared page table, not for
//! the tables that map it; the shared page table counts those tables, and therefore outlives them. Pages of a shared
//! page table are marked in each table, so that no code takes them for the table's own.
//!
//! Not here: which file a shared page table is of, and when it is out of date (the page cache).

use super::descriptor::Descriptor;
use super::frame_memory::FrameMemory;
use super::frame_record::{FrameRecord, NO_FRAME};
use super::maintenance::forget_page;
use super::shared_table_counts::SharedTableId;
use super::table::{ENTRIES, SHIFTS, TranslationTable, index, table_span};
use core::ops::Range;
use renga_hal::memory::{Frame, ListedFrame, PAGE_BYTES};
use renga_hal::shared_tables::SharedPageTables;
use renga_sync::PageFrameKind;

/// The positions in its table of the pages of `start..end`, all of one table.
fn positions(start: u64, end: u64) -> Range<usize> {
    let first = index(start, SHIFTS.len() - 1);
    first..first + ((end - start) / PAGE_BYTES as u64) as usize
}

impl FrameMemory {
    pub(super) fn shared_table(&self, shared_table: Frame) -> &'static FrameRecord {
        let record = self.record(shared_table);
        assert!(record.state.get().kind() == PageFrameKind::SharedTable, "{shared_table:?} is not a shared page table");
        record
    }

    /// The table of the lowest level that covers `va`, which exists.
    fn table_around(&self, space: Frame, va: u64) -> (TranslationTable, Frame) {
        assert!(va.is_multiple_of(table_span(SHIFTS.len() - 1)), "{va:#x} is not where a table begins");
        self.lowest_table(space, va).unwrap_or_else(|_| panic!("no table covers {va:#x}"))
    }

    /// Unmaps the pages of a shared page table that `frame` maps at `start..end`; returns how many.
    pub(super) fn hide_shared_table(&self, (table, frame): (TranslationTable, Frame), start: u64, end: u64) -> usize {
        let record = self.record(frame);
        let mut pages = 0;
        if record.state.get().count() > 0 {
            for position in positions(start, end) {
                let entry = table.entry_at(position);
                if entry.get().is_of_shared_table() {
                    entry.set(Descriptor::EMPTY);
                    pages += 1;
                }
            }
            record.state.count(-(pages as i32));
        }
        pages
    }

    /// Whether entries of `frame`, a table, may be a shared page table's.
    pub(super) fn has_shared_table(&self, frame: Frame) -> bool {
        SharedTableId::of_table(self.record(frame).state.get()).is_some()
    }

    /// Whether `frame`, a table, maps pages of a shared page table.
    pub(super) fn uses_shared_table(&self, frame: Frame) -> bool {
        self.record(frame).state.get().count() > 0
    }

    /// Maps the pages of a shared page table that table `from` maps at `start..end` in table `to` as well; returns how
    /// many.
    pub(super) fn share_shared_table(
        &self,
        from: (TranslationTable, Frame),
        to: (TranslationTable, Frame),
        start: u64,
        end: u64,
    ) -> usize {
        let (source, target) = (self.record(from.1), self.record(to.1));
        let (mapped, there) =
            (SharedTableId::of_table(source.state.get()), SharedTableId::of_table(target.state.get()));
        if let (Some(id), None) = (mapped, there) {
            target.state.retype(PageFrameKind::Table, id.of_its_tables());
            self.shared_table(self.shared_tables.frame(id)).state.count(1);
        }
        assert!(there.is_none() || there == mapped, "a table shows pages of two shared page tables");
        let mut pages = 0;
        for position in positions(start, end) {
            let page = from.0.entry_at(position).get();
            let place = to.0.entry_at(position);
            if page.is_of_shared_table() && place.get().is_empty() {
                place.set(page);
                pages += 1;
            }
        }
        target.state.count(pages as i32);
        pages
    }

    /// A table that is taken from its space uses its shared page table no more.
    pub(super) fn leave_shared_table(&self, table: Frame) {
        let now = self.record(table).state.get();
        assert!(now.count() == 0, "a table with pages is taken from its space");
        if let Some(id) = SharedTableId::of_table(now) {
            self.shared_table(self.shared_tables.frame(id)).state.count(-1);
        }
    }
}

impl SharedPageTables for FrameMemory {
    fn make_shared_table(&self, space: Frame, va: u64, shared_table: Frame) {
        let _lock = self.lock_space(space);
        let (table, frame) = self.table_around(space, va);
        let record = self.record(frame);
        assert!(
            SharedTableId::of_table(record.state.get()).is_none(),
            "a table shows pages of a shared page table already"
        );
        let id = self.shared_tables.add(shared_table);
        // Referenced from the start, so that no core dismantles it before it is whole.
        let made = self.make_table(shared_table, PageFrameKind::Ending, 0);
        made.state.count(1);
        let copy = self.table(shared_table);
        let mut pages: i32 = 0;
        for position in 0..ENTRIES {
            let entry = table.entry_at(position);
            let page = entry.get();
            if page.is_valid() {
                assert!(!page.access().writable(), "a page of a shared page table can be written");
                // Only a bit changes that the processor ignores, so it needs to forget nothing.
                entry.set(page.as_shared_tables());
                copy.entry_at(position).set(page.as_shared_tables());
                pages += 1;
            }
        }
        record.state.retype(PageFrameKind::Table, id.of_its_tables());
        record.state.count(pages);
        made.set_next(pages as u32);
        made.state.retype(PageFrameKind::SharedTable, id.number());
    }

    fn is_shared_table(&self, frame: Frame) -> bool {
        self.state_if_any(frame).is_some_and(|state| state.get().kind() == PageFrameKind::SharedTable)
    }

    fn shared_table_references(&self, shared_table: Frame) -> u32 {
        self.shared_table(shared_table).state.get().count()
    }

    fn hold_shared_table(&self, shared_table: Frame) {
        self.shared_table(shared_table).state.count(1);
    }

    fn release_shared_table(&self, shared_table: Frame) {
        self.shared_table(shared_table).state.count(-1);
    }

    fn missing_tables(&self, space: Frame, va: u64) -> usize {
        self.space_id(space);
        match (self.table(space).entry(va, 0).get().is_empty(), self.walk_page(space, va)) {
            (true, _) => SHIFTS.len() - 1,
            (false, Err(_)) => 1,
            (false, Ok(_)) => 0,
        }
    }

    fn add_shared_table(&self, space: Frame, va: u64, table: Frame, shared_table: Frame) {
        assert!(self.missing_tables(space, va) == 1, "not the lowest table is missing for {va:#x}");
        let _lock = self.lock_space(space);
        let source = self.shared_table(shared_table);
        let id = SharedTableId::of_shared_table(source.state.get());
        let record = self.make_table(table, PageFrameKind::Table, id.of_its_tables());
        let copy = self.table(table);
        copy.copy_from(self.table(shared_table));
        let pages = source.next() as i32;
        record.state.count(pages);
        self.record(space).state.count(pages);
        if let Err(entry) = self.walk_page(space, va) {
            self.link_table(space, entry, table);
        }
    }

    fn is_of_shared_table(&self, space: Frame, va: u64) -> bool {
        self.walk_page(space, va).is_ok_and(|entry| entry.get().is_of_shared_table())
    }

    fn leave_page(&self, space: Frame, va: u64) {
        let lock = self.lock_space(space);
        let Ok((_, frame)) = self.lowest_table(space, va) else { panic!("no table covers {va:#x}") };
        let Ok(entry) = self.walk_page(space, va) else { panic!("no table covers {va:#x}") };
        let page = entry.get();
        assert!(page.is_of_shared_table(), "{va:#x} is no shared page table's");
        entry.set(page.as_its_own());
        forget_page(lock.id, va);
        self.record(frame).state.count(-1);
        self.record(self.frame_at(page.physical())).state.count(1);
    }

    fn leave_shared_tables(&self, space: Frame) {
        let _lock = self.lock_space(space);
        let root = self.record(space);
        let mut table = root.next();
        // Bounded by the tables of the space. What their entries show stays: the shared page table outlives them, and
        // they are plain frames next.
        while table != NO_FRAME {
            let record = self.record(Frame(table));
            root.state.count(-(record.state.take_count() as i32));
            table = record.next();
        }
    }

    fn end_shared_table(&self, shared_table: Frame, frames: &mut [ListedFrame]) -> usize {
        let record = self.shared_table(shared_table);
        let now = record.state.get();
        assert!(now.count() == 0, "{shared_table:?} is in use");
        let mut pages = 0;
        for position in 0..ENTRIES {
            let entry = self.table(shared_table).entry_at(position);
            if entry.get().is_empty() {
                continue;
            }
            let Some(place) = frames.get_mut(pages) else { return pages };
            let frame = self.frame_at(entry.get().physical());
            self.record(frame).state.count(-1);
            *place = frame.listed();
            entry.set(Descriptor::EMPTY);
            pages += 1;
        }
        if pages == 0 {
            record.state.retype(PageFrameKind::Plain, 0);
            self.shared_tables.remove(SharedTableId::of_shared_table(now));
        }
        pages
    }
}
