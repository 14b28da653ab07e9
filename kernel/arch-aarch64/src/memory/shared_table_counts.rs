//! The numbers of shared page tables: which frame each is, and which one a table maps pages of.
//!
//! Invariant: a number stands for one frame from `add` until `remove`. Not here: the tables (`shared_tables.rs`).

use core::sync::atomic::{AtomicU32, Ordering};
use renga_hal::memory::Frame;
use renga_hal::shared_tables::SHARED_TABLES_MAX;
use renga_sync::{FrameUse, PageFrameKind};

/// Where no shared page table is.
const FREE: u32 = u32::MAX;

/// The number of a table that maps no shared page table's pages.
pub(super) const NO_SHARED_TABLE: u16 = 0;

/// Which shared page table: a table that maps its pages has this number plus one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedTableId(u16);

impl SharedTableId {
    /// The shared page table whose pages the table of state `now` maps, if any.
    pub(super) fn of_table(now: FrameUse) -> Option<SharedTableId> {
        if now.kind() == PageFrameKind::Table { now.number().checked_sub(1).map(SharedTableId) } else { None }
    }

    /// That of a shared page table, whose state is `now`.
    pub(super) fn of_shared_table(now: FrameUse) -> SharedTableId {
        SharedTableId(now.number())
    }

    /// Its own number.
    pub(super) fn number(self) -> u16 {
        self.0
    }

    /// The number of a table that maps its pages.
    pub(super) fn of_its_tables(self) -> u16 {
        self.0 + 1
    }
}

/// The frames of all shared page tables.
pub(super) struct SharedTableCounts([AtomicU32; SHARED_TABLES_MAX]);

impl SharedTableCounts {
    pub(super) const fn new() -> Self {
        Self([const { AtomicU32::new(FREE) }; SHARED_TABLES_MAX])
    }

    /// The caller searches all places anyway, so a compare-exchange costs little.
    pub(super) fn add(&self, shared_table: Frame) -> SharedTableId {
        let take = |place: &AtomicU32| {
            place.compare_exchange(FREE, shared_table.0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let place = self.0.iter().position(take);
        SharedTableId(place.unwrap_or_else(|| panic!("more than {SHARED_TABLES_MAX} shared page tables")) as u16)
    }

    pub(super) fn frame(&self, id: SharedTableId) -> Frame {
        Frame(self.0[usize::from(id.0)].load(Ordering::Acquire))
    }

    pub(super) fn remove(&self, id: SharedTableId) {
        self.0[usize::from(id.0)].store(FREE, Ordering::Release);
    }
}
