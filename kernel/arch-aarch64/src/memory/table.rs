//! A translation table in memory, read by the processor at any time.

use super::descriptor::Descriptor;
use super::maintenance::clear_page;
use crate::physical::to_kernel;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

/// What a table resolves, in bits of the address.
const INDEX_BITS: u32 = 9;

/// Entries of a table.
pub(super) const ENTRIES: usize = 1 << INDEX_BITS;

/// Entries tested together in the search for a used one.
const GROUP: usize = 8;

/// What one entry covers, in bits of the address: root, middle, lowest level.
pub const SHIFTS: [u32; 3] = [30, 21, 12];

/// What a table of `level` covers, in bytes.
pub const fn table_span(level: usize) -> u64 {
    1 << (SHIFTS[level] + INDEX_BITS)
}

/// Position of the entry that covers `va` in its table of `level`.
pub fn index(va: u64, level: usize) -> usize {
    (va >> SHIFTS[level]) as usize % ENTRIES
}

/// A table whose existence the caller of [`TranslationTable::at`] promised.
#[derive(Clone, Copy)]
pub struct TranslationTable(*mut u64);

/// One entry of a table.
#[derive(Clone, Copy)]
pub struct TableEntry(*mut u64);

impl TranslationTable {
    /// The table at `physical`.
    ///
    /// # Safety
    /// A frame of memory in the linear map, used as nothing but a table while this is in use.
    pub unsafe fn at(physical: u64) -> Self {
        Self(to_kernel(physical) as *mut u64)
    }

    /// The entry that covers `va` at `level` (0 is the root).
    pub fn entry(self, va: u64, level: usize) -> TableEntry {
        // SAFETY: within the table, by the remainder in `index`.
        TableEntry(unsafe { self.0.add(index(va, level)) })
    }

    /// The entry at a position, which is taken modulo the entries of a table.
    pub fn entry_at(self, position: usize) -> TableEntry {
        // SAFETY: within the table, by the remainder.
        TableEntry(unsafe { self.0.add(position % ENTRIES) })
    }

    /// Copies all entries of `other`, another table; the processor does not walk this one yet.
    pub fn copy_from(self, other: TranslationTable) {
        assert!(self.0 != other.0, "a table is copied onto itself");
        // SAFETY: two whole tables, which are frames and so do not overlap; the processor writes no entries.
        unsafe { core::ptr::copy_nonoverlapping(other.0, self.0, ENTRIES) };
    }

    /// Makes all entries empty.
    pub fn clear(self) {
        // SAFETY: the whole table, which the processor does not walk yet; an empty descriptor is all zero.
        unsafe { clear_page(self.0.cast()) };
    }

    /// The first entry in `range` that is in use.
    pub fn next_used(self, range: Range<usize>) -> Option<usize> {
        self.find(range, |entry| entry)
    }

    /// The first entry in `range` that is in use and not a shared page table's.
    pub fn next_own(self, range: Range<usize>) -> Option<usize> {
        self.find(range, |entry| Descriptor(entry).unless_shared_tables())
    }

    /// The first entry in `range` of which `part` is not 0.
    #[inline(always)]
    fn find(self, range: Range<usize>, part: impl Fn(u64) -> u64) -> Option<usize> {
        let (mut at, end) = (range.start, range.end.min(ENTRIES));
        while at < end {
            if at.is_multiple_of(GROUP) {
                // SAFETY: a whole group within the table; the processor writes no entries, and the reader has locked
                // the space (`holds.rs`), so an ordinary read suffices.
                let group = unsafe { self.0.add(at).cast::<[u64; GROUP]>().read() };
                if group.into_iter().fold(0, |all, entry| all | part(entry)) == 0 {
                    at += GROUP;
                    continue;
                }
            }
            // SAFETY: within the table.
            if part(TableEntry(unsafe { self.0.add(at) }).get().0) != 0 {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

impl TableEntry {
    /// The descriptor now.
    pub fn get(self) -> Descriptor {
        // SAFETY: an aligned entry of a table, by construction; the processor reads it too, and another core may
        // restrict it.
        Descriptor(unsafe { AtomicU64::from_ptr(self.0) }.load(Ordering::Relaxed))
    }

    /// Replaces the descriptor. Not yet visible to the processor: see `maintenance`.
    pub fn set(self, descriptor: Descriptor) {
        // SAFETY: as `get`; the caller answers for what the descriptor maps.
        unsafe { AtomicU64::from_ptr(self.0) }.store(descriptor.0, Ordering::Relaxed);
    }
}
