//! What is known of a frame of user memory.
//!
//! The count of its state: pages that map the frame, where a shared page table's page counts once for all spaces that
//! use it. Of a root:
//! pages in its space. Of a table: those of them that are its shared page table's. Of a shared page table: the tables
//! that map its pages, and tables about to. Not here: the right to change it (`frame_memory.rs`, `runs.rs`,
//! `shared_tables.rs`).

use core::sync::atomic::{AtomicU32, Ordering};
use renga_hal::memory::Access;
use renga_sync::FrameState;

/// End of a chain of tables.
pub(super) const NO_FRAME: u32 = u32::MAX;

/// The access that a frame is ready for: without it there is no entry that lets a program execute one whose content may
/// not be what is fetched.
#[derive(Clone, Copy)]
pub struct Prepared(Access);

impl Prepared {
    /// The access.
    pub const fn access(self) -> Access {
        self.0
    }
}

/// What is known of a frame.
pub struct FrameRecord {
    pub(super) state: FrameState,
    /// Of a root or table: the next table of the space, which its owner changes. Of a shared page table: how many pages
    /// it has.
    next: AtomicU32,
}

impl FrameRecord {
    /// The record of an unused frame; `several`: more than one core reaches it.
    pub(super) const fn new(several: bool) -> Self {
        Self { state: FrameState::new(several), next: AtomicU32::new(NO_FRAME) }
    }

    /// The next table, or the pages.
    #[inline(always)]
    pub(super) fn next(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set_next(&self, next: u32) {
        self.next.store(next, Ordering::Relaxed);
    }

    /// Before a mapped page gets `access`: fetches must see the content, by `synchronise`; later stores may outdate it.
    #[inline(always)]
    pub(super) fn prepare(&self, access: Access, synchronise: impl FnOnce()) -> Prepared {
        if access.executable() {
            self.state.make_fetchable(synchronise);
        }
        if access.writable() {
            self.state.outdate();
        }
        Prepared(access)
    }

    /// As `prepare`, for a page that is mapped from now on. `Err`: it is no plain frame.
    #[inline(always)]
    pub(super) fn show(&self, access: Access, synchronise: impl FnOnce()) -> Result<Prepared, NotPlain> {
        if access.executable() {
            self.state.make_fetchable(synchronise);
        }
        self.state.show(access.writable()).map_err(|_| NotPlain)?;
        Ok(Prepared(access))
    }
}

/// The frame is a table.
pub(super) struct NotPlain;
