//! The user memory of a board, imitated on the host.
//!
//! Keeps the same counts and panics for the same bugs as the real one, so that code that passes here passes on a board.
//! Tables are counted as the hardware would need them: three levels of 512 entries.
//!
//! Not here: programs that run in it; content is only what the test writes.

use core::cell::{Cell, RefCell};
use renga_hal::memory::{
    Access, Frame, ListedFrame, NeedsTable, PAGE_BYTES, PageBytes, PageGuard, PageRef, PageRun, SPACES_MAX, USER_END,
    UserMemory,
};
use renga_hal::shared_tables::SharedPageTables;
use std::collections::BTreeMap;

/// What a page holds at first: real memory is not zero.
const UNUSED: &PageBytes = &[0xa5; PAGE_BYTES];

/// What one table of the lowest level, and of the middle level, spans, in bits.
pub(crate) const SPAN_BITS: [u32; 2] = [21, 30];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HostFrameKind {
    Plain,
    Root,
    Table,
    HostSharedTable,
}

pub(crate) struct HostFrame {
    /// Allocated at first use: most pages of a board are never used.
    content: RefCell<Option<Box<PageBytes>>>,
    pub(crate) kind: Cell<HostFrameKind>,
    mapped: Cell<u32>,
}

#[derive(Clone, Copy)]
pub(crate) struct HostPage {
    pub(crate) frame: Frame,
    pub(crate) access: Access,
    /// Counted by a shared page table.
    pub(crate) is_of_shared_table: bool,
}

#[derive(Default)]
pub(crate) struct HostSpace {
    pub(crate) pages: BTreeMap<u64, HostPage>,
    /// Tables by level (0 lowest) and number of the span that they cover.
    pub(crate) tables: BTreeMap<(usize, u64), Frame>,
    /// By number of the span: the shared page table whose pages its table maps.
    pub(crate) shared_tables: BTreeMap<u64, Frame>,
}

/// The pages of a shared page table, by address within its span.
pub(crate) struct HostSharedTable {
    pub(crate) pages: BTreeMap<u64, HostPage>,
    pub(crate) references: u32,
}

/// HostPage frames and address spaces in the host's memory.
pub struct HostMemory {
    records: Vec<HostFrame>,
    spaces: RefCell<BTreeMap<Frame, HostSpace>>,
    pub(crate) shared_tables: RefCell<BTreeMap<Frame, HostSharedTable>>,
}

impl HostMemory {
    /// A board with `frames` page frames for users.
    pub fn new(frames: u32) -> Self {
        let record =
            |_| HostFrame { content: RefCell::new(None), kind: Cell::new(HostFrameKind::Plain), mapped: Cell::new(0) };
        Self {
            records: (0..frames).map(record).collect(),
            spaces: RefCell::default(),
            shared_tables: RefCell::default(),
        }
    }

    /// As after a reset of the board: no address spaces, no tables; the content stays.
    ///
    /// # Panics
    /// If a page is borrowed.
    pub fn reset(&self) {
        self.spaces.borrow_mut().clear();
        self.shared_tables.borrow_mut().clear();
        for record in &self.records {
            assert!(record.content.try_borrow_mut().is_ok(), "a page is borrowed over a reset");
            record.kind.set(HostFrameKind::Plain);
            record.mapped.set(0);
        }
    }

    pub(crate) fn record(&self, frame: Frame) -> &HostFrame {
        self.records.get(frame.0 as usize).unwrap_or_else(|| panic!("no such {frame:?}"))
    }

    fn plain(&self, frame: Frame) -> &HostFrame {
        let record = self.record(frame);
        assert!(record.kind.get() == HostFrameKind::Plain, "{frame:?} is a translation table");
        record
    }

    pub(crate) fn make_table(&self, frame: Frame, kind: HostFrameKind) {
        let record = self.plain(frame);
        assert!(record.mapped.get() == 0, "{frame:?} is mapped and cannot become a table");
        assert!(record.content.try_borrow_mut().is_ok(), "{frame:?} is borrowed and cannot become a table");
        record.kind.set(kind);
    }

    pub(crate) fn with_space<R>(&self, space: Frame, run: impl FnOnce(&mut HostSpace) -> R) -> R {
        let mut spaces = self.spaces.borrow_mut();
        run(spaces.get_mut(&space).unwrap_or_else(|| panic!("{space:?} is not an address space")))
    }

    pub(crate) fn count_mapping(&self, frame: Frame, change: i32) {
        let record = self.record(frame);
        record.mapped.set(record.mapped.get().checked_add_signed(change).expect("mappings are counted exactly"));
    }
}

pub(crate) fn check_va(va: u64) {
    assert!(va < USER_END && va.is_multiple_of(PAGE_BYTES as u64), "{va:#x} is not the address of a user page");
}

/// The highest table missing on the way to `va`.
pub(crate) fn missing(space: &HostSpace, va: u64) -> Option<(usize, u64)> {
    [1, 0].into_iter().map(|level| (level, va >> SPAN_BITS[level])).find(|key| !space.tables.contains_key(key))
}

impl UserMemory for HostMemory {
    fn frames(&self) -> u32 {
        self.records.len() as u32
    }

    fn page(&self, frame: Frame) -> PageGuard<'_> {
        let content = self.plain(frame).content.try_borrow_mut();
        let content = content.unwrap_or_else(|_| panic!("{frame:?} is borrowed already"));
        PageGuard::of_host(core::cell::RefMut::map(content, |page| {
            &mut **page.get_or_insert_with(|| Box::new(*UNUSED))
        }))
    }

    fn shared_page(&self, frame: Frame) -> PageRef<'_> {
        let content = self.plain(frame).content.try_borrow();
        let content = content.unwrap_or_else(|_| panic!("{frame:?} is borrowed for writing"));
        PageRef::of_host(core::cell::Ref::map(content, |page| page.as_deref().unwrap_or(UNUSED)))
    }

    fn peek(&self, frame: Frame) -> Option<PageRef<'_>> {
        let content = self.is_plain(frame).then(|| self.plain(frame).content.try_borrow().ok())??;
        Some(PageRef::of_host(core::cell::Ref::map(content, |page| page.as_deref().unwrap_or(UNUSED))))
    }

    fn is_plain(&self, frame: Frame) -> bool {
        self.records.get(frame.0 as usize).is_some_and(|record| record.kind.get() == HostFrameKind::Plain)
    }

    fn is_space(&self, frame: Frame) -> bool {
        self.spaces.borrow().contains_key(&frame)
    }

    fn mappings(&self, frame: Frame) -> u32 {
        self.record(frame).mapped.get()
    }

    fn pages(&self, space: Frame) -> u32 {
        self.with_space(space, |space| space.pages.len() as u32)
    }

    fn new_space(&self, root: Frame) {
        self.make_table(root, HostFrameKind::Root);
        let mut spaces = self.spaces.borrow_mut();
        assert!(spaces.len() < SPACES_MAX as usize, "more than {SPACES_MAX} address spaces");
        spaces.insert(root, HostSpace::default());
    }

    fn map(&self, space: Frame, va: u64, frame: Frame, access: Access) -> Result<(), NeedsTable> {
        check_va(va);
        self.plain(frame);
        self.with_space(space, |space| {
            if missing(space, va).is_some() {
                return Err(NeedsTable);
            }
            let page = HostPage { frame, access, is_of_shared_table: false };
            assert!(space.pages.insert(va, page).is_none(), "{va:#x} is mapped already");
            self.count_mapping(frame, 1);
            Ok(())
        })
    }

    fn add_table(&self, space: Frame, va: u64, table: Frame) {
        check_va(va);
        self.make_table(table, HostFrameKind::Table);
        self.with_space(space, |space| {
            let key = missing(space, va).unwrap_or_else(|| panic!("no table is missing for {va:#x}"));
            space.tables.insert(key, table);
        });
    }

    fn unmap(&self, space: Frame, va: u64) -> Option<Frame> {
        check_va(va);
        let HostPage { frame, is_of_shared_table, .. } = self.with_space(space, |space| space.pages.remove(&va))?;
        assert!(!is_of_shared_table, "{va:#x} is a shared page table's, whose frames are not given back one by one");
        self.count_mapping(frame, -1);
        Some(frame)
    }

    fn protect(&self, space: Frame, va: u64, access: Access) -> bool {
        check_va(va);
        self.with_space(space, |space| {
            let Some(page) = space.pages.get_mut(&va) else { return false };
            assert!(
                !(page.is_of_shared_table && access.writable()),
                "{va:#x} is a shared page table's, which is read-only"
            );
            page.access = access;
            true
        })
    }

    fn lookup(&self, space: Frame, va: u64) -> Option<(Frame, Access)> {
        let page = va & !(PAGE_BYTES as u64 - 1);
        self.with_space(space, |space| space.pages.get(&page).map(|page| (page.frame, page.access)))
    }

    fn next_mapped(&self, space: Frame, from_va: u64) -> Option<(u64, Frame, Access)> {
        let from = from_va & !(PAGE_BYTES as u64 - 1);
        self.with_space(space, |space| {
            space.pages.range(from..).next().map(|(&va, page)| (va, page.frame, page.access))
        })
    }

    fn unmap_run(&self, space: Frame, (start, end): (u64, u64), frames: &mut [ListedFrame]) -> PageRun {
        let (mut pages, mut next) = (0, start);
        while let Some((va, frame, _)) = self.next_mapped(space, next).filter(|page| page.0 < end) {
            next = va;
            if self.hide_shared_tables_page(space, va) {
                continue;
            }
            let Some(place) = frames.get_mut(pages) else { return PageRun { pages, next } };
            *place = frame.listed();
            self.unmap(space, va);
            pages += 1;
            next += PAGE_BYTES as u64;
        }
        PageRun { pages, next: end }
    }

    fn share_run(&self, from: Frame, to: Frame, (start, end): (u64, u64), frames: &mut [ListedFrame]) -> PageRun {
        let (mut pages, mut next) = (0, start);
        while let Some((va, frame, access)) = self.next_mapped(from, next).filter(|page| page.0 < end) {
            next = va;
            if self.is_of_shared_table(from, va) {
                if !self.share_shared_tables_page(from, to, va) {
                    return PageRun { pages, next };
                }
                next += PAGE_BYTES as u64;
                continue;
            }
            let Some(place) = frames.get_mut(pages) else { return PageRun { pages, next } };
            let shared = access.without_writing();
            if self.map(to, va, frame, shared).is_err() {
                return PageRun { pages, next };
            }
            *place = frame.listed();
            self.protect(from, va, shared);
            pages += 1;
            next += PAGE_BYTES as u64;
        }
        PageRun { pages, next: end }
    }

    fn take_table(&self, space: Frame) -> Option<Frame> {
        if self.record(space).kind.get() == HostFrameKind::Plain {
            return None;
        }
        let inner = self.with_space(space, |space| {
            assert!(space.pages.is_empty(), "an address space with pages is taken apart");
            for (_, shared_table) in core::mem::take(&mut space.shared_tables) {
                self.release_shared_table(shared_table);
            }
            space.tables.pop_first().map(|(_, table)| table)
        });
        let taken = inner.unwrap_or_else(|| {
            self.spaces.borrow_mut().remove(&space);
            space
        });
        self.record(taken).kind.set(HostFrameKind::Plain);
        Some(taken)
    }
}
