//! The single steps of changing a space: a frame becomes a table, a table is linked or unlinked, a page is mapped or
//! changes its access.
//!
//! Invariant: the caller has locked the space (`holds.rs`), or is the frame's only user. Not here: whole operations
//! (`frame_memory.rs`, `runs.rs`, `shared_tables.rs`).

use super::descriptor::Descriptor;
use super::frame_memory::FrameMemory;
use super::frame_record::{FrameRecord, NO_FRAME, NotPlain, Prepared};
use super::maintenance::{forget_page, publish_tables, synchronise_instructions};
use super::table::TableEntry;
use renga_hal::memory::{Access, Frame};
use renga_sync::{FrameRefusal, PageFrameKind, wait};

impl FrameMemory {
    /// Makes an unused frame an empty table.
    pub(super) fn make_table(&self, frame: Frame, kind: PageFrameKind, number: u16) -> &'static FrameRecord {
        let record = self.record(frame);
        let several = record.state.get().is_of_several();
        match wait(several, || record.state.become_table(kind, number)) {
            Ok(()) => {}
            Err(FrameRefusal::WrongKind) => panic!("{frame:?} is a translation table"),
            Err(FrameRefusal::Mapped) => panic!("{frame:?} is mapped and cannot become a table"),
            Err(FrameRefusal::Borrowed) => panic!("{frame:?} is borrowed and cannot become a table"),
        }
        self.table(frame).clear();
        record
    }

    /// Before a page gets `access`.
    fn prepare(&self, frame: Frame, access: Access) -> Prepared {
        self.record(frame).prepare(access, || synchronise_instructions(self.content(frame) as usize))
    }

    /// Counts one more page that maps `frame`, with `access`.
    #[inline(always)]
    pub(super) fn show(&self, frame: Frame, access: Access) -> Prepared {
        match self.record(frame).show(access, || synchronise_instructions(self.content(frame) as usize)) {
            Ok(prepared) => prepared,
            Err(NotPlain) => panic!("{frame:?} is a translation table"),
        }
    }

    /// As `protect`, for a caller that has locked the space.
    pub(super) fn protect_locked(&self, space: Frame, id: u16, va: u64, access: Access) -> bool {
        let Ok(entry) = self.walk_page(space, va) else { return false };
        let old = entry.get();
        if old.is_empty() {
            return false;
        }
        assert!(
            !(old.is_of_shared_table() && access.writable()),
            "{va:#x} is a shared page table's, which is read-only"
        );
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

    /// Puts a complete table where `entry` lacks one.
    pub(super) fn link_table(&self, space: Frame, entry: TableEntry, table: Frame) {
        let root = self.record(space);
        self.record(table).set_next(root.next());
        root.set_next(table.0);
        publish_tables();
        entry.set(Descriptor::table(self.physical(table)));
        publish_tables();
    }

    /// Takes the next table of a space out of its chain; the root when there is no other.
    pub(super) fn take_from_chain(&self, space: Frame) -> Frame {
        let root = self.record(space);
        let table = root.next();
        if table == NO_FRAME {
            return space;
        }
        root.set_next(self.record(Frame(table)).next());
        Frame(table)
    }
}
