//! Shared page tables, by file and address: the next program of a file begins with them.
//!
//! The first program that maps the pages one by one makes a table, and all later ones get it, as long as the file's
//! data are the same (`since`) and no page of it has come or gone. An outdated table is taken apart after its last
//! program has ended; an unused one also when frames are wanted.
//!
//! Invariant: a table here is this process's own frame, and each of its pages has a reference to its frame.
//!
//! Not here: the tables' form (`renga_hal::shared_tables`), making them (`renga_memory`).

use heapless::Vec;
use renga_hal::memory::{Frame, UserMemory};
use renga_hal::shared_tables::SHARED_TABLES_MAX;
use renga_proto::pages::{FileId, FindSharedTable, KeepSharedTable};
use renga_rt::Errno;

#[derive(Clone, Copy)]
pub(crate) struct SharedTable {
    file: FileId,
    at: u64,
    /// Of which content, and of how many cached pages.
    since: u64,
    count: u32,
    frame: Frame,
    /// No further program gets it.
    outdated: bool,
}

impl SharedTable {
    pub(crate) fn is_outdated(&self) -> bool {
        self.outdated
    }
}

pub(crate) struct SharedTables(Vec<SharedTable, SHARED_TABLES_MAX>);

impl SharedTables {
    pub(crate) const fn new() -> Self {
        SharedTables(Vec::new())
    }

    /// Outdates the tables of `file`, or all: no further program gets them.
    pub(crate) fn outdate(&mut self, file: Option<FileId>) {
        let of_file = |shared_table: &&mut SharedTable| file.is_none_or(|file| file == shared_table.file);
        self.0.iter_mut().filter(of_file).for_each(|shared_table| shared_table.outdated = true);
    }

    /// The table of a file whose content is the same (`since`, `count`) for address `at`, kept for the caller, which is
    /// to map it.
    pub(crate) fn find<M: UserMemory + ?Sized>(
        &mut self,
        machine: &M,
        wanted: FindSharedTable,
        (since, count): (u64, u32),
    ) -> Option<Frame> {
        let is_wanted =
            |known: &&mut SharedTable| (known.file, known.at) == (wanted.file, wanted.at) && !known.outdated;
        let known = self.0.iter_mut().find(is_wanted)?;
        if (known.since, known.count) != (since, count) {
            known.outdated = true;
            return None;
        }
        if !machine.is_shared_table(known.frame) {
            return None;
        }
        // Until the caller maps it, another process may want frames.
        machine.hold_shared_table(known.frame);
        Some(known.frame)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.0.is_full()
    }

    pub(crate) fn add(&mut self, offer: KeepSharedTable, count: u32) -> Result<(), Errno> {
        let KeepSharedTable { file, at, frame, cache_generation: since } = offer;
        if self.0.iter().any(|known| (known.file, known.at) == (file, at) && !known.outdated) {
            return Err(Errno::EEXIST);
        }
        let shared_table = SharedTable { file, at, since, count, frame: Frame(frame), outdated: false };
        self.0.push(shared_table).map_err(|_| Errno::ENOMEM)
    }

    /// Takes out one that no program maps and that is `wanted`. One that was announced just now is no table yet.
    pub(crate) fn take_unused<M: UserMemory + ?Sized>(
        &mut self,
        machine: &M,
        wanted: impl Fn(&SharedTable) -> bool,
    ) -> Option<Frame> {
        let is_unused = |frame| machine.is_shared_table(frame) && machine.shared_table_references(frame) == 0;
        let place = self.0.iter().rposition(|shared_table| is_unused(shared_table.frame) && wanted(shared_table))?;
        Some(self.0.swap_remove(place).frame)
    }
}
