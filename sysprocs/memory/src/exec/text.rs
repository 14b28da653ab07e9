//! What a program is shown of its file before it asks: all that is cached; what it writes of that is copied then.
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

/// Spans of one file that are shown at once; each costs what a quarter of a fault does. What is behind comes by faults.
const SPANS_MAX: u64 = 4;
/// A shared page table is worth its frame from so many pages on.
const SHARED_TABLE_PAGES_MIN: u32 = 16;

impl Space {
    /// Shows what is cached of `file` in the areas of `start..end`, which are all of that file or of none.
    pub(crate) async fn show_text<M: UserMemory>(
        &mut self,
        pager: &mut Pager<'_, M>,
        file: MappedFile,
        (start, end): (u64, u64),
    ) {
        let first = start - start % SHARED_TABLE_SPAN_BYTES;
        for span in (first..end).step_by(SHARED_TABLE_SPAN_BYTES as usize).take(SPANS_MAX as usize) {
            if self.show_span(pager, file, span).await.is_err() {
                return; // no memory for tables: faults tell
            }
        }
    }

    async fn show_span<M: UserMemory>(
        &mut self,
        pager: &mut Pager<'_, M>,
        file: MappedFile,
        at: u64,
    ) -> Result<(), Errno> {
        let found = pager.pages.call(FindSharedTable { file: file.id(), at }, ()).await?;
        // Where there is a table, it shows something else too.
        let is_new = pager.machine.missing_tables(self.root, at) > 0;
        if found.frame != NO_FRAME {
            if is_new {
                return self.add_shared_table(pager, at, Frame(found.frame)).await;
            }
            pager.machine.release_shared_table(Frame(found.frame));
        }
        let pages_before = pager.machine.pages(self.root);
        let (mut page, end) = (number(at), number(at + SHARED_TABLE_SPAN_BYTES));
        // Each pass passes an area.
        while let Some(&area) = self.table.areas.within(page, end).first() {
            self.show_cached(pager, &area, (page, end)).await?;
            page = area.end;
        }
        if is_new && pager.machine.pages(self.root) - pages_before >= SHARED_TABLE_PAGES_MIN {
            let frame = pager.allocate().await?;
            let offer = KeepSharedTable { file: file.id(), at, frame: frame.0, ticket: found.ticket };
            match pager.pages.call(offer, ()).await {
                Ok(()) => pager.machine.make_shared_table(self.root, at, frame),
                Err(_) => pager.free(frame).await,
            }
        }
        Ok(())
    }

    /// Shows the pages of a shared page table, which is held for this.
    async fn add_shared_table<M: UserMemory>(
        &mut self,
        pager: &mut Pager<'_, M>,
        at: u64,
        shared_table: Frame,
    ) -> Result<(), Errno> {
        // Bounded by the levels of tables.
        loop {
            match pager.allocate().await {
                Ok(table) if pager.machine.missing_tables(self.root, at) == 1 => {
                    pager.machine.add_shared_table(self.root, at, table, shared_table);
                    return Ok(());
                }
                Ok(table) => pager.machine.add_table(self.root, at, table),
                Err(errno) => {
                    pager.machine.release_shared_table(shared_table);
                    return Err(errno);
                }
            }
        }
    }
}
