//! User memory on real translation tables.
//!
//! A range of physical memory, cut into frames, with a record for each at its start. The records make the safe
//! interface sound: each says who borrows the frame's content, whether the frame is a table, and how many pages map it.
//!
//! Invariant: a table contains only descriptors of this memory's frames, written here. Not here: the kernel's own map
//! (`kernel_map`), how one core waits for another (`holds.rs`).

use super::address_space_ids::AddressSpaceIds;
use super::descriptor::Descriptor;
use super::frame_record::{FrameRecord, NO_FRAME};
use super::kernel_map::empty_root;
use super::maintenance::{
    ID_SHIFT, activate_space, clear_page, forget_page, forget_space, publish_tables, synchronise_context,
};
use super::shared_table_counts::{NO_SHARED_TABLE, SharedTableCounts};
use super::table::{ENTRIES, SHIFTS, TableEntry, TranslationTable, index, table_span};
use crate::physical::to_kernel;
use core::ops::Range;
use renga_hal::memory::{
    Access, Frame, ListedFrame, NeedsTable, PAGE_BYTES, PageBytes, PageGuard, PageRef, PageRun, SPACES_MAX, USER_END,
    UserMemory,
};
use renga_sync::{FrameState, PageFrameKind, wait};

const PAGE: u64 = PAGE_BYTES as u64;
/// The user memory of a board.
pub struct FrameMemory {
    /// Physical address of frame 0.
    base: u64,
    records: &'static [FrameRecord],
    ids: AddressSpaceIds,
    pub(super) shared_tables: SharedTableCounts,
}

// What cores do to each other's frames is in atomic words. As plain ones, for one core, they are under the promise of
// `new`.
const fn shared<T: Sync>() {}
const _: () = shared::<FrameMemory>();

impl FrameMemory {
    /// Takes the physical memory `range` (rounded inwards to whole pages), for one core.
    ///
    /// # Safety
    /// The range is memory in the linear map that no other code ever uses. Another core may use the result only if
    /// [`for_several_cores`](Self::for_several_cores) made it.
    pub unsafe fn new(range: Range<u64>) -> Self {
        let start = range.start.next_multiple_of(PAGE);
        let bytes = (range.end & !(PAGE - 1)).checked_sub(start).expect("user memory is less than a page");
        let frames = bytes / (PAGE + size_of::<FrameRecord>() as u64);
        let records = to_kernel(start) as *mut FrameRecord;
        for index in 0..frames as usize {
            // SAFETY: within the range, which is ours; page alignment suits the record.
            unsafe { records.add(index).write(FrameRecord::new(false)) };
        }
        // SAFETY: just written, and never given out as frames: those start behind the records.
        let records = unsafe { core::slice::from_raw_parts(records, frames as usize) };
        let base = (start + size_of_val(records) as u64).next_multiple_of(PAGE);
        // Rounding the records up to a page may cost the last frame.
        let whole = ((range.end & !(PAGE - 1)) - base) / PAGE;
        let records = &records[..(whole as usize).min(records.len())];
        Self { base, records, ids: AddressSpaceIds::new(), shared_tables: SharedTableCounts::new() }
    }

    /// The same with `frames` frames at most; the others are used for nothing.
    pub fn limited(self, frames: usize) -> Self {
        Self { records: &self.records[..frames.min(self.records.len())], ..self }
    }

    /// The same, which several cores may reach.
    pub fn for_several_cores(self) -> Self {
        let records = self.records.as_ptr().cast_mut();
        for index in 0..self.records.len() {
            // SAFETY: `self` is exclusive, so no content is borrowed yet.
            unsafe { records.add(index).write(FrameRecord::new(true)) };
        }
        self
    }

    /// Makes `space` the one that user level sees, from the next return to it on.
    #[inline]
    pub(crate) fn activate(&self, space: Frame) {
        // SAFETY: a root's table, which maps user pages only.
        unsafe { activate_space(self.space_word(space)) };
    }

    /// The word by which another core makes `space` its user space
    /// ([`enter_remote_task`](crate::user_mode::enter_remote_task)).
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

    #[inline]
    pub(super) fn state_if_any(&self, frame: Frame) -> Option<&'static FrameState> {
        self.records.get(frame.0 as usize).map(|record| &record.state)
    }

    #[inline]
    pub(super) fn physical(&self, frame: Frame) -> u64 {
        self.base + u64::from(frame.0) * PAGE
    }

    pub(super) fn frame_at(&self, physical: u64) -> Frame {
        Frame(((physical - self.base) / PAGE) as u32)
    }

    pub(super) fn content(&self, frame: Frame) -> *mut PageBytes {
        to_kernel(self.physical(frame)) as *mut PageBytes
    }

    #[inline]
    pub(super) fn space_id(&self, space: Frame) -> u16 {
        let now = self.record(space).state.get();
        assert!(now.is_root(), "{space:?} is not an address space");
        now.number()
    }

    pub(super) fn table(&self, frame: Frame) -> TranslationTable {
        // SAFETY: only called for frames whose record says that they are tables; `page` refuses those.
        unsafe { TranslationTable::at(self.physical(frame)) }
    }

    /// The lowest-level entry for `va`, or the entry above it where a table is missing.
    #[inline]
    pub(super) fn walk(&self, space: Frame, va: u64) -> Result<TableEntry, TableEntry> {
        let mut table = self.table(space);
        for level in 0..SHIFTS.len() - 1 {
            let entry = table.entry(va, level);
            let descriptor = entry.get();
            if descriptor.is_empty() {
                return Err(entry);
            }
            // SAFETY: entries above the lowest level are tables that `add_table` put there.
            table = unsafe { TranslationTable::at(descriptor.physical()) };
        }
        Ok(table.entry(va, SHIFTS.len() - 1))
    }

    /// As `walk`, for an address that must be a page's.
    pub(super) fn walk_page(&self, space: Frame, va: u64) -> Result<TableEntry, TableEntry> {
        assert!(va < USER_END && va.is_multiple_of(PAGE), "{va:#x} is not the address of a user page");
        self.walk(space, va)
    }

    /// The frame and access that `space`, which is a space, maps at `va`.
    #[inline]
    pub(super) fn mapping_at(&self, space: Frame, va: u64) -> Option<(Frame, Access)> {
        self.descriptor_at(space, va).map(|(frame, descriptor)| (frame, descriptor.access()))
    }

    /// As `mapping_at`, with the descriptor that says so.
    #[inline(always)]
    pub(super) fn descriptor_at(&self, space: Frame, va: u64) -> Option<(Frame, Descriptor)> {
        if va >= USER_END {
            return None;
        }
        let descriptor = self.walk(space, va).ok()?.get();
        (!descriptor.is_empty()).then(|| (self.frame_at(descriptor.physical()), descriptor))
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
        self.borrow_page(frame)
    }

    fn clear_page(&self, frame: Frame) {
        let mut page = self.page(frame);
        // SAFETY: a frame of ours, whole, borrowed exclusively.
        unsafe { clear_page(&raw mut *page) };
    }

    fn shared_page(&self, frame: Frame) -> PageRef<'_> {
        self.borrow_shared_page(frame)
    }

    fn peek(&self, frame: Frame) -> Option<PageRef<'_>> {
        self.peek_page(frame)
    }

    fn page_to_write(&self, space: Frame, va: u64) -> Option<PageGuard<'_>> {
        self.borrow_mapped(space, va, Descriptor::program_writes, |frame| self.try_page(frame))
    }

    fn page_to_read(&self, space: Frame, va: u64) -> Option<PageRef<'_>> {
        self.borrow_mapped(space, va, Descriptor::is_valid, |frame| self.try_shared_page(frame))
    }

    fn peek_mapped(&self, space: Frame, va: u64) -> Option<PageRef<'_>> {
        self.peek_user(space, va)
    }

    fn is_plain(&self, frame: Frame) -> bool {
        self.state_if_any(frame).is_some_and(|state| state.get().is_plain())
    }

    fn is_space(&self, frame: Frame) -> bool {
        self.state_if_any(frame).is_some_and(|state| state.get().is_root())
    }

    fn restrict(&self, space: Frame, va: u64, frame: Frame, access: Access) -> bool {
        let Some(lock) = self.lock_foreign(space) else { return false };
        let Some((_, now)) = self.mapping_at(space, va).filter(|mapped| mapped.0 == frame) else { return false };
        let less = if access == Access::None { Access::None } else { now.without_writing() };
        less == now || self.protect_locked(space, lock.id, va, less)
    }

    fn mappings(&self, frame: Frame) -> u32 {
        let now = self.record(frame).state.get();
        assert!(now.is_plain(), "{frame:?} is a translation table");
        now.count()
    }

    fn pages(&self, space: Frame) -> u32 {
        let now = self.record(space).state.get();
        assert!(now.is_root(), "{space:?} is not an address space");
        now.count()
    }

    fn new_space(&self, root: Frame) {
        let id = self.ids.take().unwrap_or_else(|| panic!("more than {SPACES_MAX} address spaces"));
        // No core takes the frame for a space before it is empty.
        let record = self.make_table(root, PageFrameKind::Ending, id);
        record.set_next(NO_FRAME);
        publish_tables();
        record.state.retype(PageFrameKind::Root, id);
    }

    fn map(&self, space: Frame, va: u64, frame: Frame, access: Access) -> Result<(), NeedsTable> {
        let _lock = self.lock_space(space);
        let entry = self.walk_page(space, va).map_err(|_| NeedsTable)?;
        assert!(entry.get().is_empty(), "{va:#x} is mapped already");
        let prepared = self.show(frame, access);
        self.record(space).state.count(1);
        entry.set(Descriptor::user_page(self.physical(frame), prepared));
        publish_tables();
        Ok(())
    }

    fn add_table(&self, space: Frame, va: u64, table: Frame) {
        let _lock = self.lock_space(space);
        let Err(entry) = self.walk_page(space, va) else { panic!("no table is missing for {va:#x}") };
        self.make_table(table, PageFrameKind::Table, NO_SHARED_TABLE);
        self.link_table(space, entry, table);
    }

    fn unmap(&self, space: Frame, va: u64) -> Option<Frame> {
        let lock = self.lock_space(space);
        let entry = self.walk_page(space, va).ok()?;
        let descriptor = entry.get();
        if descriptor.is_empty() {
            return None;
        }
        assert!(
            !descriptor.is_of_shared_table(),
            "{va:#x} is a shared page table's, whose frames are not given back one by one"
        );
        entry.set(Descriptor::EMPTY);
        if descriptor.is_valid() {
            forget_page(lock.id, va);
        }
        // After the unmapping no core has a translation of the frame, so the caller may reuse it.
        let frame = self.frame_at(descriptor.physical());
        self.record(frame).state.count(-1);
        self.record(space).state.count(-1);
        Some(frame)
    }

    fn protect(&self, space: Frame, va: u64, access: Access) -> bool {
        let lock = self.lock_space(space);
        self.protect_locked(space, lock.id, va, access)
    }

    fn lookup(&self, space: Frame, va: u64) -> Option<(Frame, Access)> {
        self.space_id(space);
        self.mapping_at(space, va)
    }

    fn next_mapped(&self, space: Frame, from_va: u64) -> Option<(u64, Frame, Access)> {
        let _lock = self.lock_space(space);
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
            tables[level] = unsafe { TranslationTable::at(descriptor.physical()) };
        }
        None
    }

    fn unmap_run(&self, space: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> PageRun {
        self.unmap_pages(space, range, frames)
    }

    fn map_run(&self, space: Frame, va: u64, frames: &[ListedFrame], access: Access) -> PageRun {
        self.map_pages(space, va, frames, access)
    }

    fn share_run(&self, from: Frame, to: Frame, range: (u64, u64), frames: &mut [ListedFrame]) -> PageRun {
        self.share_pages(from, to, range, frames)
    }

    fn take_table(&self, space: Frame) -> Option<Frame> {
        let state = &self.record(space).state;
        let now = state.get();
        match now.kind() {
            PageFrameKind::Root => {
                assert!(now.count() == 0, "an address space with pages is taken apart");
                // From here on no core finds the space, and every core that had found it is done.
                let ended = wait(now.is_of_several(), || state.begin_ending());
                assert!(ended.is_ok(), "a locked address space is taken apart");
                forget_space(now.number());
            }
            PageFrameKind::Ending => {}
            PageFrameKind::Plain | PageFrameKind::Table | PageFrameKind::SharedTable => return None,
        }
        let taken = self.take_from_chain(space);
        if taken == space {
            self.ids.give_back(now.number());
        } else {
            self.leave_shared_table(taken);
        }
        self.record(taken).state.retype(PageFrameKind::Plain, 0);
        Some(taken)
    }
}
