//! Shared page tables of the host's imitation of user memory.
//!
//! Not here: spaces (`memory.rs`).

use crate::memory::{HostFrameKind, HostMemory, HostPage, HostSharedTable, SPAN_BITS, check_va, missing};
use renga_hal::memory::{Frame, ListedFrame};
use renga_hal::shared_tables::{SHARED_TABLE_SPAN_BYTES, SHARED_TABLES_MAX, SharedPageTables};

/// The number of the span of the lowest table around `va`.
fn span(va: u64) -> u64 {
    va >> SPAN_BITS[0]
}

impl HostMemory {
    fn with_shared_table<R>(&self, shared_table: Frame, run: impl FnOnce(&mut HostSharedTable) -> R) -> R {
        let mut shared_tables = self.shared_tables.borrow_mut();
        run(shared_tables
            .get_mut(&shared_table)
            .unwrap_or_else(|| panic!("{shared_table:?} is not a shared page table")))
    }

    /// Unmaps a page if it is a shared page table's; returns whether it is.
    pub(crate) fn hide_shared_tables_page(&self, space: Frame, va: u64) -> bool {
        let is_of_shared_table = self.is_of_shared_table(space, va);
        if is_of_shared_table {
            self.with_space(space, |space| space.pages.remove(&va));
        }
        is_of_shared_table
    }

    /// Maps a shared page table's page in another space, too; returns whether that space has a table for it.
    pub(crate) fn share_shared_tables_page(&self, from: Frame, to: Frame, va: u64) -> bool {
        let (page, shared_table) = self.with_space(from, |space| (space.pages[&va], space.shared_tables[&span(va)]));
        let known = self.with_space(to, |space| {
            if missing(space, va).is_some() {
                return None;
            }
            assert!(space.pages.insert(va, page).is_none(), "{va:#x} is mapped already");
            Some(space.shared_tables.insert(span(va), shared_table))
        });
        match known {
            None => return false,
            Some(None) => self.hold_shared_table(shared_table),
            Some(Some(before)) => assert!(before == shared_table, "a table shows pages of two shared page tables"),
        }
        true
    }
}

impl SharedPageTables for HostMemory {
    fn make_shared_table(&self, space: Frame, va: u64, shared_table: Frame) {
        check_va(va);
        assert!(va.is_multiple_of(SHARED_TABLE_SPAN_BYTES), "{va:#x} is not where a table begins");
        assert!(
            self.shared_tables.borrow().len() < SHARED_TABLES_MAX,
            "more than {SHARED_TABLES_MAX} shared page tables"
        );
        self.make_table(shared_table, HostFrameKind::HostSharedTable);
        let pages = self.with_space(space, |space| {
            assert!(missing(space, va).is_none(), "no table covers {va:#x}");
            assert!(
                space.shared_tables.insert(span(va), shared_table).is_none(),
                "a table shows pages of a shared page table already"
            );
            let mapped =
                space.pages.range_mut(va..va + SHARED_TABLE_SPAN_BYTES).filter(|(_, page)| page.access.readable());
            let mark = |(&at, page): (&u64, &mut HostPage)| {
                assert!(!page.access.writable(), "a page of a shared page table can be written");
                page.is_of_shared_table = true;
                (at - va, *page)
            };
            mapped.map(mark).collect()
        });
        self.shared_tables.borrow_mut().insert(shared_table, HostSharedTable { pages, references: 1 });
    }

    fn is_shared_table(&self, frame: Frame) -> bool {
        self.shared_tables.borrow().contains_key(&frame)
    }

    fn shared_table_references(&self, shared_table: Frame) -> u32 {
        self.with_shared_table(shared_table, |shared_table| shared_table.references)
    }

    fn hold_shared_table(&self, shared_table: Frame) {
        self.with_shared_table(shared_table, |shared_table| shared_table.references += 1);
    }

    fn release_shared_table(&self, shared_table: Frame) {
        self.with_shared_table(shared_table, |shared_table| {
            shared_table.references = shared_table.references.checked_sub(1).expect("references are counted exactly");
        });
    }

    fn missing_tables(&self, space: Frame, va: u64) -> usize {
        self.with_space(space, |space| missing(space, va).map_or(0, |(level, _)| level + 1))
    }

    fn add_shared_table(&self, space: Frame, va: u64, table: Frame, shared_table: Frame) {
        check_va(va);
        assert!(self.missing_tables(space, va) == 1, "not the lowest table is missing for {va:#x}");
        self.make_table(table, HostFrameKind::Table);
        let pages = self.with_shared_table(shared_table, |shared_table| shared_table.pages.clone());
        self.with_space(space, |space| {
            space.tables.insert((0, span(va)), table);
            space.pages.extend(pages.into_iter().map(|(at, page)| (va + at, page)));
            space.shared_tables.insert(span(va), shared_table);
        });
    }

    fn is_of_shared_table(&self, space: Frame, va: u64) -> bool {
        self.with_space(space, |space| space.pages.get(&va).is_some_and(|page| page.is_of_shared_table))
    }

    fn leave_page(&self, space: Frame, va: u64) {
        let frame = self.with_space(space, |space| {
            let page = space.pages.get_mut(&va).filter(|page| page.is_of_shared_table);
            let page = page.unwrap_or_else(|| panic!("{va:#x} is no shared page table's"));
            page.is_of_shared_table = false;
            page.frame
        });
        self.count_mapping(frame, 1);
    }

    fn leave_shared_tables(&self, space: Frame) {
        self.with_space(space, |space| space.pages.retain(|_, page| !page.is_of_shared_table));
    }

    fn end_shared_table(&self, shared_table: Frame, frames: &mut [ListedFrame]) -> usize {
        let mut count = 0;
        let is_empty = self.with_shared_table(shared_table, |shared_table| {
            assert!(shared_table.references == 0, "a shared page table in use is ended");
            while let Some(place) = frames.get_mut(count)
                && let Some((_, page)) = shared_table.pages.pop_first()
            {
                *place = page.frame.listed();
                count += 1;
            }
            shared_table.pages.is_empty()
        });
        for listed in &frames[..count] {
            self.count_mapping(Frame(u32::from_le_bytes(*listed)), -1);
        }
        if is_empty && count == 0 {
            self.shared_tables.borrow_mut().remove(&shared_table);
            self.record(shared_table).kind.set(HostFrameKind::Plain);
        }
        count
    }
}
