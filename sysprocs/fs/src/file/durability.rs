//! Whether an open file's writes are durable: settled by its inode, on the medium, or lost.
//!
//! Invariant: what is lost is notified once. Not here: writing (`writing.rs`).

use crate::file::inode_session::{of_the_disk, on_inode};
use crate::file::open_file::OpenFile;
use renga_hal::memory::UserMemory;
use renga_proto::inode::{CommitAll, CommitExtent, ReportError, Sync};
use renga_rt::{Errno, Me};

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Whether something written is lost; reported once.
    pub(super) fn report_lost(&mut self) -> Result<(), Errno> {
        if core::mem::take(&mut self.lost) { Err(Errno::EIO) } else { Ok(()) }
    }

    pub(super) async fn report_error(&mut self, me: &Me) -> Result<(), Errno> {
        let report = on_inode!(self, ReportError {}, ());
        self.written = false;
        let settled = report.and_then(|report| self.loss_mark.note(report, me.now_ns()));
        settled.and(self.report_lost())
    }

    pub(super) async fn sync(&mut self, me: &Me) -> Result<(), Errno> {
        let report = match self.push().await {
            Some(report) => report,
            None => on_inode!(self, Sync {}, ()),
        };
        if let Err(errno) = report {
            self.written = false; // the failure is reported
            return Err(errno);
        }
        let settled = report.and_then(|report| self.loss_mark.note(report, me.now_ns()));
        if settled.is_ok() {
            let committed = self.clients.inode_directory.call(CommitAll { extent: CommitExtent::Journal }, ()).await;
            if committed == Err(Errno::ESTALE) {
                self.forget_inode().await;
            }
            self.written = false;
            committed.map_err(of_the_disk)?;
        }
        self.written = false;
        self.note_lost_here().await;
        let lost = self.report_lost();
        settled.and(lost)
    }
}
