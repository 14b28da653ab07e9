//! The pages of its file that a program has from the start: all cached ones, copied on write.
//!
//! A table's span of addresses at a time: by the shared page table that the page cache has of it, or page by page; who
//! does the latter makes the shared page table. Only to save faults: without it the program is whole as well.
//!
//! Not here: faults (`fault.rs`), which shared page table is out of date (the page cache).

use crate::area::number;
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Frame, UserMemory};
use renga_hal::shared_tables::SHARED_TABLE_SPAN_BYTES;
use renga_proto::pages::{FindSharedTable, KeepSharedTable, NO_FRAME};

/// Spans of one file that are mapped at once; each costs a quarter of a fault. Faults bring the rest.
const SPANS_MAX: u64 = 4;
/// A shared page table is worth its frame from so many pages on.
const SHARED_TABLE_PAGES_MIN: u32 = 16;

impl<M: UserMemory> Pager<'_, M> {
    /// Shows what is cached of `file` in the areas of `start..end`, which are all of that file or of none.
    pub(crate) async fn show_text(&mut self, space: &mut Space, file: MappedFile, (start, end): (u64, u64)) {
        let first = start - start % SHARED_TABLE_SPAN_BYTES;
        for span in (first..end).step_by(SHARED_TABLE_SPAN_BYTES as usize).take(SPANS_MAX as usize) {
            if self.show_span(space, file, span).await.is_err() {
                return; // no memory for tables: faults report it
            }
        }
    }

    async fn show_span(&mut self, space: &mut Space, file: MappedFile, at: u64) -> Result<(), Errno> {
        let found = self.pages.call(FindSharedTable { file: file.id(), at }, ()).await?;
        // Where there is a table, it shows something else too.
        let is_new = self.machine.missing_tables(space.root, at) > 0;
        if found.frame != NO_FRAME {
            if is_new {
                return self.add_shared_table(space, at, Frame(found.frame)).await;
            }
            self.machine.release_shared_table(Frame(found.frame));
        }
        let pages_before = self.machine.pages(space.root);
        let (mut page, end) = (number(at), number(at + SHARED_TABLE_SPAN_BYTES));
        // Each pass passes an area.
        while let Some(&area) = space.table.areas.within(page, end).first() {
            self.map_cached(space, &area, (page, end)).await?;
            page = area.end;
        }
        if is_new && self.machine.pages(space.root) - pages_before >= SHARED_TABLE_PAGES_MIN {
            let frame = self.allocate().await?;
            let offer =
                KeepSharedTable { file: file.id(), at, frame: frame.0, cache_generation: found.cache_generation };
            match self.pages.call(offer, ()).await {
                Ok(()) => self.machine.make_shared_table(space.root, at, frame),
                Err(_) => self.free(frame).await,
            }
        }
        Ok(())
    }

    /// Maps the pages of a shared page table, to which the caller has a reference.
    async fn add_shared_table(&mut self, space: &mut Space, at: u64, shared_table: Frame) -> Result<(), Errno> {
        // Bounded by the levels of tables.
        loop {
            match self.allocate().await {
                Ok(table) if self.machine.missing_tables(space.root, at) == 1 => {
                    self.machine.add_shared_table(space.root, at, table, shared_table);
                    return Ok(());
                }
                Ok(table) => self.machine.add_table(space.root, at, table),
                Err(errno) => {
                    self.machine.release_shared_table(shared_table);
                    return Err(errno);
                }
            }
        }
    }
}
