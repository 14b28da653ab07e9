//! Whether an open file's writes are durable: settled by its inode, on the medium, or lost.
//!
//! Invariant: what is lost is notified once. Not here: writing (`writing.rs`).

use crate::file::inode_session::{of_the_disk, on_inode};
use crate::file::open_file::OpenFile;
use renga_hal::memory::UserMemory;
use renga_proto::inode::{CommitAll, CommitExtent, ReportError, Sync};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Whether something written is lost; reported once.
    pub(super) fn report_lost(&mut self) -> Result<(), Errno> {
        if core::mem::take(&mut self.lost) { Err(Errno::EIO) } else { Ok(()) }
    }

    pub(super) async fn report_error(&mut self) -> Result<(), Errno> {
        let settled = on_inode!(self, ReportError {}, ());
        self.written = false;
        settled.and(self.report_lost())
    }

    pub(super) async fn sync(&mut self) -> Result<(), Errno> {
        let synced = on_inode!(self, Sync {}, ());
        if let Err(errno) = synced {
            self.written = false; // the failure is reported
            return Err(errno);
        }
        let committed = self.clients.inode_directory.call(CommitAll { extent: CommitExtent::Journal }, ()).await;
        if committed == Err(Errno::ESTALE) {
            self.forget_inode().await;
        }
        self.written = false;
        committed.map_err(of_the_disk)?;
        self.note_lost_here().await;
        self.report_lost()
    }
}
