//! Shared page tables: the pages that many spaces map alike are counted once.
//!
//! A program that starts gets its file's cached pages by one table that is copied, and gives them back by one count. A
//! *shared page table* is a frame with the pages of one table of the lowest level. Which file it is of is its owner's
//! business.
//!
//! Invariants: no page of a shared page table can be written; a shared page table outlives all tables that show its
//! pages. A violation is a bug of the caller and panics. Not here: the other operations on spaces (`memory.rs`).

use crate::frame::{Frame, ListedFrame};

/// Bytes of address space that one table of the lowest level covers, and so one shared page table.
pub const SHARED_TABLE_SPAN_BYTES: u64 = 2 << 20;

/// Most shared page tables that can exist at a time on a board.
pub const SHARED_TABLES_MAX: usize = 64;

/// The shared page tables of a board's user memory.
pub trait SharedPageTables {
    /// Makes a plain, unmapped, unborrowed frame a *shared page table* of the table that covers the address range from
    /// `va` on: of all its readable pages, none of which may be writable. The shared page table takes over these pages
    /// and their references to frames; the table is its first user. Panics when there are [`SHARED_TABLES_MAX`], or the
    /// table uses one already.
    fn make_shared_table(&self, space: Frame, va: u64, shared_table: Frame);

    /// Whether `frame` exists and is a shared page table.
    fn is_shared_table(&self, frame: Frame) -> bool;

    /// How many tables map pages of it, plus temporary references.
    fn shared_table_references(&self, shared_table: Frame) -> u32;

    /// Adds a reference to a shared page table, for a later use ([`SharedPageTables::add_shared_table`]) or release.
    fn hold_shared_table(&self, shared_table: Frame);

    /// Drops a reference that was not used.
    fn release_shared_table(&self, shared_table: Frame);

    /// How many tables are missing on the way to `va`.
    fn missing_tables(&self, space: Frame, va: u64) -> usize;

    /// As `add_table`, for the lowest table on the way to `va`: it maps all pages of `shared_table`, and takes over the
    /// caller's reference.
    fn add_shared_table(&self, space: Frame, va: u64, table: Frame, shared_table: Frame);

    /// Whether the page at `va` is a shared page table's: unmapping it does not return its frame. `unmap_run` does not
    /// list such pages, nor does `share_run`.
    fn is_of_shared_table(&self, space: Frame, va: u64) -> bool;

    /// The page at `va`, which is a shared page table's, is the space's own from now on, with a reference to its frame
    /// that the caller has taken.
    fn leave_page(&self, space: Frame, va: u64);

    /// Unmaps all pages of shared page tables. The space is about to be dismantled, and no program runs in it. One step
    /// for each table, where `unmap_run` takes one for each page.
    fn leave_shared_tables(&self, space: Frame);

    /// Lists frames that a shared page table without users gives back, as far as there is room. None: it is a plain
    /// frame again.
    fn end_shared_table(&self, shared_table: Frame, frames: &mut [ListedFrame]) -> usize;
}
