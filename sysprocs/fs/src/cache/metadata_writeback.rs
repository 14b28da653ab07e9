//! Writing dirty blocks to their places, in runs of neighbours; and the metadata writeback, which makes room in time.
//!
//! Invariant: a run is copied before it is written, so that buffers can be used and changed meanwhile; the directory
//! is notified how it ended. Not here: what may be written when (`slots.rs`).

use crate::medium::disk_runs::write_run;
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::{BufferDirectory, CountDirty, ExtendWrite, NextEviction, NextWrite, Written};
use renga_proto::buffer::page::{Buffer, CopyOut};
use renga_proto::buffer::{BufferedBlock, DirtyClass};
use renga_proto::disk::Disk;
use renga_rt::{Client, Errno, Family, Never};

renga_rt::clients! {
    /// Whom a writer calls.
    pub struct MetadataWritebackClients {
        /// Which block is in which buffer.
        directory: Client<BufferDirectory>,
        /// All buffers; those of the directory's board are used.
        buffers: Family<Buffer>,
        /// Where they go.
        disk: Client<Disk>,
    }
}

pub(crate) type Page = [u8; PAGE_BYTES];

/// Writes dirty blocks; `pages` is as many as a run may have.
pub(crate) struct RunWriter {
    pub(crate) clients: MetadataWritebackClients,
    pages: &'static mut [Page],
}

/// Pages of the metadata writeback: the longest run that it writes in one piece.
pub const METADATA_WRITEBACK_PAGES: usize = 16;

/// Cleans buffers when few are clean. `pages`: room for a run of neighbours.
pub async fn metadata_writeback(clients: MetadataWritebackClients, pages: &'static mut [[u8; PAGE_BYTES]]) -> Never {
    let mut writer = RunWriter::new(clients, pages);
    loop {
        if let Ok(first) = writer.clients.directory.call(NextEviction {}, ()).await {
            // What the medium refuses the directory knows.
            let _ = writer.write_run(first).await;
        }
    }
}

impl RunWriter {
    pub(crate) fn new(clients: MetadataWritebackClients, pages: &'static mut [Page]) -> RunWriter {
        RunWriter { clients, pages }
    }

    /// Its pages, which are free between two of its calls.
    pub(crate) fn room(&mut self) -> &mut [Page] {
        self.pages
    }

    /// Copies a block's buffer into `page`. `ENOENT`: there is nothing in it.
    pub(crate) async fn copy(&mut self, buffered: BufferedBlock, page: &mut Page) -> Result<(), Errno> {
        copy(&mut self.clients, buffered, page).await
    }

    async fn write_run(&mut self, first: BufferedBlock) -> Result<(), Errno> {
        let RunWriter { clients, pages } = self;
        let (mut count, mut next) = (0, Ok(first));
        while let Ok(buffered) = next {
            if copy(clients, buffered, &mut pages[count]).await.is_err() {
                // It could not be read, so nothing was changed.
                let empty = Written { first: buffered.block, count: 1, done: true };
                clients.directory.call(empty, ()).await?;
                break;
            }
            count += 1;
            if count == pages.len() {
                break;
            }
            next = clients.directory.call(ExtendWrite { block: buffered.block }, ()).await;
        }
        if count == 0 {
            return Ok(());
        }
        let data = pages[..count].as_flattened();
        let done = write_run!(clients.disk, first.block, data);
        let written = Written { first: first.block, count: count as u32, done: done.is_ok() };
        clients.directory.call(written, ()).await.and(done)
    }

    /// Writes all dirty blocks of `class` now; returns the first failure.
    pub(crate) async fn flush(&mut self, class: DirtyClass) -> Result<(), Errno> {
        let dirty = self.clients.directory.call(CountDirty { class }, ()).await?;
        let mut reported = Ok(());
        for _ in 0..dirty {
            let Ok(first) = self.clients.directory.call(NextWrite { class }, ()).await else { break };
            reported = reported.and(self.write_run(first).await);
        }
        reported
    }
}

async fn copy(clients: &mut MetadataWritebackClients, buffered: BufferedBlock, page: &mut Page) -> Result<(), Errno> {
    let board = clients.directory.server().board.0;
    let buffer = clients.buffers.at(board, usize::from(buffered.buffer));
    buffer.ok_or(Errno::EIO)?.call(CopyOut { block: buffered.block }, &mut page[..]).await
}
