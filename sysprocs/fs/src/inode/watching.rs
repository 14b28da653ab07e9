//! What an inode's process reports to those who watch the inode, or the directory in which it was found.
//!
//! Invariant: while it may be watched no other board writes it by itself, so that each write comes here. Exception: a
//! board that has mapped it shared and writable gets a lease for that (`grant_page`). Its writes, by mapping
//! or call, are reported when their pages are flushed. Not here: the reports (`change_reports.rs`),
//! names (`names/name_reports.rs`).

use crate::change_reports::ChangedInode;
use crate::format::inode_record::DIRECTORY;
use crate::inode::active_inode::ActiveInode;
use renga_proto::notices::{DELETED_SELF, MODIFIED};

impl ActiveInode {
    /// Whether changes of it may be watched.
    #[inline(always)]
    pub(super) fn is_watched(&self) -> bool {
        self.reports.watches(self.ino, self.number)
    }

    /// It has changed so.
    pub(super) async fn report(&mut self, change: u32) {
        if self.is_watched() {
            let parent = self.reports.watched.parent(self.number);
            let what = ChangedInode { ino: self.ino, parent, is_directory: self.record.is(DIRECTORY) };
            self.reports.report(what, change, (&[], 0)).await;
        }
    }

    /// So many bytes were written.
    pub(super) async fn report_write(&mut self, bytes: usize) {
        if bytes > 0 {
            self.report(MODIFIED).await;
        }
    }

    /// It is freed.
    pub(super) async fn report_end(&mut self) {
        let what = ChangedInode { ino: self.ino, parent: 0, is_directory: false };
        self.reports.report(what, DELETED_SELF, (&[], 0)).await;
    }
}
