//! User memory on real translation tables.
//!
//! A range of physical memory, cut into frames, with a record for each at its beginning. The records
//! are what makes the safe interface sound: they say who borrows a frame's content, whether it is a
//! table, and how many pages show it.
//!
//! Invariant: a table of ours holds only descriptors of frames of ours, made here.
//!
//! Not here: the kernel's own map (`kernel_map`).

use super::address_space_ids::AddressSpaceIds;
use super::descriptor::Descriptor;
use super::frame_record::{FrameRecord, Kind, NO_FRAME, Prepared, change};
use super::kernel_map::empty_root;
use super::maintenance::{
    ID_SHIFT, activate_space, clear_page, forget_page, forget_space, publish_tables, synchronise_context,
    synchronise_instructions,
};
use super::table::{ENTRIES, Entry, SHIFTS, Table, index, table_span};
use super::templates::Templates;
use crate::physical::to_kernel;
use core::cell::{Ref, RefMut};
use core::ops::Range;
use renga_hal::memory::{
    Access, Frame, ListedFrame, NeedsTable, PAGE_BYTES, PageBytes, PageGuard, PageRef, Run, SPACES_MAX, USER_END,
    UserMemory,
};

const PAGE: u64 = PAGE_BYTES as u64;
/// The user memory of a board.
pub struct FrameMemory {
    /// Physical address of frame 0.
    base: u64,
    records: &'static [FrameRecord],
    ids: AddressSpaceIds,
    pub(super) templates: Templates,
}

impl FrameMemory {
    /// Takes the physical memory `range` (rounded inwards to whole pages).
    ///
    /// # Safety
    /// The range is memory in the linear map that nothing else ever uses.
    pub unsafe fn new(range: Range<u64>) -> Self {
        let start = range.start.next_multiple_of(PAGE);
        let bytes = (range.end & !(PAGE - 1)).checked_sub(start).expect("user memory is less than a page");
        let frames = bytes / (PAGE + size_of::<FrameRecord>() as u64);
        let records = to_kernel(start) as *mut FrameRecord;
        for index in 0..frames as usize {
            // SAFETY: within the range, which is ours; page alignment suits the record.
            unsafe { records.add(index).write(FrameRecord::new()) };
        }
        // SAFETY: just written, and never handed out as frames: those begin behind.
        let records = unsafe { core::slice::from_raw_parts(records, frames as usize) };
        let base = (start + size_of_val(records) as u64).next_multiple_of(PAGE);
        // Rounding the records up to a page may cost the last frame.
        let whole = ((range.end & !(PAGE - 1)) - base) / PAGE;
        let records = &records[..(whole as usize).min(records.len())];
        Self { base, records, ids: AddressSpaceIds::new(), templates: Templates::new() }
    }

    /// The same with `frames` frames at most; the others are used for nothing.
    pub fn limited(self, frames: usize) -> Self {
        Self { records: &self.records[..frames.min(self.records.len())], ..self }
    }

    /// Makes `space` the one that user level sees, from the next return to it on.
    #[inline]
    pub(crate) fn activate(&self, space: Frame) {
        // SAFETY: a root's table, which shows user pages of ours only.
        unsafe { activate_space(self.space_word(space)) };
    }

    /// What another core is told, to make `space` the one that user level sees there ([`enter_guest`](crate::user_mode::enter_guest)).
    #[inline]
    pub fn space_word(&self, space: Frame) -> u64 {
        self.physical(space) | u64::from(self.space_id(space)) << ID_SHIFT
    }

    /// Takes the user's pages from the kernel's sight: a stray pointer of the kernel finds nothing there.
    #[inline]
    pub(crate) fn deactivate(&self) {
        deactivate();
    }

    #[inline]
    pub(super) fn record(&self, frame: Frame) -> &'static FrameRecord {
        &self.records[frame.0 as usize]
    }

    /// What a frame is, if it exists.
    pub(super) fn kind(&self, frame: Frame) -> Option<Kind> {
        self.records.get(frame.0 as usize).map(|record| record.kind.get())
    }

    #[inline]
    pub(super) fn physical(&self, frame: Frame) -> u64 {
        self.base + u64::from(frame.0) * PAGE
    }

    pub(super) fn frame_at(&self, physical: u64) -> Frame {
        Frame(((physical - self.base) / PAGE) as u32)
    }

    fn content(&self, frame: Frame) -> *mut PageBytes {
        to_kernel(self.physical(frame)) as *mut PageBytes
    }

    pub(super) fn plain(&self, frame: Frame) -> &'static FrameRecord {
        let record = self.record(frame);
        assert!(record.kind.get() == Kind::Plain, "{frame:?} is a translation table");
        record
    }

    #[inline]
    pub(super) fn space_id(&self, space: Frame) -> u16 {
        match self.record(space).kind.get() {
            Kind::Root(id) => id,
            _ => panic!("{space:?} is not an address space"),
        }
    }

    /// Turns a frame that nobody uses into an empty table.
    pub(super) fn make_table(&self, frame: Frame, kind: Kind) -> &'static FrameRecord {
        let record = self.plain(frame);
        assert!(record.mapped.get() == 0, "{frame:?} is mapped and cannot become a table");
        assert!(record.borrow.try_borrow_mut().is_ok(), "{frame:?} is borrowed and cannot become a table");
        record.kind.set(kind);
        record.fetchable.set(false);
        self.table(frame).clear();
        record
    }

    pub(super) fn table(&self, frame: Frame) -> Table {
        // SAFETY: only called for frames whose record says that they are tables; `page` refuses those.
        unsafe { Table::at(self.physical(frame)) }
    }

    /// The lowest-level entry for `va`, or the entry above it where a table is missing.
    #[inline]
    pub(super) fn walk(&self, space: Frame, va: u64) -> Result<Entry, Entry> {
        let mut table = self.table(space);
        for level in 0..SHIFTS.len() - 1 {
            let entry = table.entry(va, level);
            let descriptor = entry.get();
            if descriptor.is_empty() {
                return Err(entry);
            }
            // SAFETY: entries above the lowest level are tables that `add_table` put there.
            table = unsafe { Table::at(descriptor.physical()) };
        }
        Ok(table.entry(va, SHIFTS.len() - 1))
    }

    /// As `walk`, for an address that must be a page's.
    pub(super) fn walk_page(&self, space: Frame, va: u64) -> Result<Entry, Entry> {
        assert!(va < USER_END && va.is_multiple_of(PAGE), "{va:#x} is not the address of a user page");
        self.walk(space, va)
    }

    /// Before a page gets `access`.
    pub(super) fn prepare(&self, frame: Frame, access: Access) -> Prepared {
        self.record(frame).prepare(access, || synchronise_instructions(self.content(frame) as usize))
    }

    /// Puts a complete table where `entry` shows that one is missing.
    pub(super) fn link_table(&self, space: Frame, entry: Entry, table: Frame) {
        self.record(table).next_table.set(self.record(space).next_table.replace(table.0));
        publish_tables();
        entry.set(Descriptor::table(self.physical(table)));
        publish_tables();
    }

    /// Takes the next table of a space out of its chain; the root when there is no other.
    fn take_from_chain(&self, space: Frame) -> Frame {
        let root = self.record(space);
        let table = root.next_table.get();
        if table == NO_FRAME {
            return space;
        }
        root.next_table.set(self.record(Frame(table)).next_table.get());
        Frame(table)
    }
}

/// Takes the user's pages from this core's sight.
#[inline]
pub(crate) fn deactivate() {
    // SAFETY: a root without entries.
    unsafe { activate_space(empty_root()) };
    synchronise_context();
}

/// The first address that the table of `level` around `va` covers.
fn base(va: u64, level: usize) -> u64 {
    va & !(table_span(level) - 1)
}

impl UserMemory for FrameMemory {
    fn frames(&self) -> u32 {
        self.records.len() as u32
    }

    fn page(&self, frame: Frame) -> PageGuard<'_> {
        let record = self.plain(frame);
        let borrow = record.borrow.try_borrow_mut().unwrap_or_else(|_| panic!("{frame:?} is borrowed already"));
        record.fetchable.set(false);
        let content = self.content(frame);
        // SAFETY: the frame is memory of ours, plain, and the record's borrow stands for it alone.
        PageGuard::new(RefMut::map(borrow, |()| unsafe { &mut *content }))
    }

    fn clear_page(&self, frame: Frame) {
        let mut page = self.page(frame);
        // SAFETY: a frame of ours, whole, borrowed exclusively.
        unsafe { clear_page(&raw mut *page) };
    }

    fn shared_page(&self, frame: Frame) -> PageRef<'_> {
        let record = self.plain(frame);
        let borrow = record.borrow.try_borrow().unwrap_or_else(|_| panic!("{frame:?} is borrowed for writing"));
        let content = self.content(frame);
        // SAFETY: as `page`, shared.
        PageRef::new(Ref::map(borrow, |()| unsafe { &*content }))
    }

    fn peek(&self, frame: Frame) -> Option<PageRef<'_>> {
        let free = self.is_plain(frame) && self.plain(frame).borrow.try_borrow().is_ok();
        free.then(|| self.shared_page(frame))
    }

    fn is_plain(&self, frame: Frame) -> bool {
        self.kind(frame) == Some(Kind::Plain)
    }

    fn is_space(&self, frame: Frame) -> bool {
        self.records.get(frame.0 as usize).is_some_and(|record| matches!(record.kind.get(), Kind::Root(_)))
    }

    fn mappings(&self, frame: Frame) -> u32 {
        self.plain(frame).mapped.get()
    }

    fn pages(&self, space: Frame) -> u32 {
        self.space_id(space);
        self.record(space).mapped.get()
    }

    fn new_space(&self, root: Frame) {
        let id = self.ids.take().unwrap_or_else(|| panic!("more than {SPACES_MAX} address spaces"));
        self.make_table(root, Kind::Root(id)).next_table.set(NO_FRAME);
        publish_tables();
    }

    fn map(&self, space: Frame, va: u64, frame: Frame, access: Access) -> Result<(), NeedsTable> {
        self.space_id(space);
        let record = self.plain(frame);
        let entry = self.walk_page(space, va).map_err(|_| NeedsTable)?;
        assert!(entry.get().is_empty(), "{va:#x} is mapped already");
        let prepared = self.prepare(frame, access);
        change(&record.mapped, 1);
        change(&self.record(space).mapped, 1);
        entry.set(Descriptor::user_page(self.physical(frame), prepared));
        publish_tables();
        Ok(())
    }

    fn add_table(&self, space: Frame, va: u64, table: Frame) {
        self.space_id(space);
        let Err(entry) = self.walk_page(space, va) else { panic!("no table is missing for {va:#x}") };
        self.make_table(table, Kind::Table(None));
        self.link_table(space, entry, table);
    }

    fn unmap(&self, space: Frame, va: u64) -> Option<Frame> {
        let id = self.space_id(space);
        let entry = self.walk_page(space, va).ok()?;
        let descriptor = entry.get();
        if descriptor.is_empty() {
            return None;
        }
        assert!(!descriptor.is_templates(), "{va:#x} is a template's, whose frames are not given back one by one");
        entry.set(Descriptor::EMPTY);
        if descriptor.is_valid() {
            forget_page(id, va);
        }
        let frame = self.frame_at(descriptor.physical());
        change(&self.record(frame).mapped, -1);
        change(&self.record(space).mapped, -1);
        Some(frame)
    }

    fn protect(&self, space: Frame, va: u64, access: Access) -> bool {
        let id = self.space_id(space);
        let Ok(entry) = self.walk_page(space, va) else { return false };
        let old = entry.get();
        if old.is_empty() {
            return false;
        }
        assert!(!(old.is_templates() && access.writable()), "{va:#x} is a template's, which nobody writes");
        if old.access() != access {
            let prepared = self.prepare(self.frame_at(old.physical()), access);
            entry.set(Descriptor::user_page(old.physical(), prepared).marked_as(old));
            if old.is_valid() {
                forget_page(id, va);
            } else {
                publish_tables();
            }
        }
        true
    }

    fn lookup(&self, space: Frame, va: u64) -> Option<(Frame, Access)> {
        self.space_id(space);
        if va >= USER_END {
            return None;
        }
        let descriptor = self.walk(space, va).ok()?.get();
        (!descriptor.is_empty()).then(|| (self.frame_at(descriptor.physical()), descriptor.access()))
    }

    fn next_mapped(&self, space: Frame, from_va: u64) -> Option<(u64, Frame, Access)> {
        self.space_id(space);
        let mut tables = [self.table(space); SHIFTS.len()];
        let mut level = 0;
        let mut va = from_va & !(PAGE - 1);
        // Each step goes down a level, or up behind a table that is done: the tables bound it.
        while va < USER_END {
            let Some(index) = tables[level].next_used(index(va, level)..ENTRIES) else {
                va = base(va, level) + table_span(level);
                while level > 0 && va.is_multiple_of(table_span(level)) {
                    level -= 1;
                }
                continue;
            };
            va = va.max(base(va, level) + ((index as u64) << SHIFTS[level]));
            let descriptor = tables[level].entry(va, level).get();
            if level == SHIFTS.len() - 1 {
                return Some((va, self.frame_at(descriptor.physical()), descriptor.access()));
            }
            level += 1;
            // SAFETY: entries above the lowest level are tables that `add_table` put there.
            tables[level] = unsafe { Table::at(descriptor.physical()) };
        }
        None
    }

    fn unmap_run(&self, space: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> Run {
        self.unmap_pages(space, range, frames)
    }

    fn map_run(&self, space: Frame, va: u64, frames: &[ListedFrame], access: Access) -> Run {
        self.map_pages(space, va, frames, access)
    }

    fn share_run(&self, from: Frame, to: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> Run {
        self.share_pages(from, to, range, frames)
    }

    fn take_table(&self, space: Frame) -> Option<Frame> {
        let root = self.record(space);
        let id = match root.kind.get() {
            Kind::Root(id) => {
                assert!(root.mapped.get() == 0, "an address space with pages is taken apart");
                forget_space(id);
                root.kind.set(Kind::Ending(id));
                id
            }
            Kind::Ending(id) => id,
            Kind::Plain | Kind::Table(_) | Kind::Template(_) => return None,
        };
        let taken = self.take_from_chain(space);
        if taken == space {
            self.ids.give_back(id);
        } else {
            self.leave_template(taken);
        }
        self.record(taken).kind.set(Kind::Plain);
        Some(taken)
    }
}
