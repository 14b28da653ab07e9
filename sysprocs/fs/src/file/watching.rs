//! What an open file reports to those who watch files: opening, reading, listing and closing, by programs of the board
//! of the inodes. The inode's process reports writes.
//!
//! Not here: the reports (`change_reports.rs`). Other boards read what they cache without notice to the inodes' board.

use crate::file::open_file::{ACCESS_MODE, OpenFile, READ_ONLY};
use renga_hal::memory::UserMemory;
use renga_proto::events::NoteChange;
use renga_proto::notices::{ACCESSED, CLOSED_READ, CLOSED_WRITTEN, OF_DIRECTORY, OPENED};
use renga_rt::Errno;

/// Opened for paths only (`O_PATH`).
const PATH_ONLY: u32 = 0o10_000_000;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Whether anything is watched on this board, which is all that a program pays if nothing is.
    #[inline(always)]
    pub(super) fn may_be_watched(&self) -> bool {
        self.watched.inodes.is_used()
    }

    /// The file's contents were used so.
    async fn report(&mut self, change: u32) {
        let parent = self.slot.map_or(0, |slot| self.watched.parent(slot));
        if !self.watched.has_inode(self.ino, parent) || self.is_elsewhere() || self.flags & PATH_ONLY != 0 {
            return;
        }
        let change = change | if self.is_directory() { OF_DIRECTORY } else { 0 };
        if let Some(mut events) = self.clients.events.at(0) {
            // No server refuses it.
            let _ = events.call(NoteChange { ino: self.ino, parent, change, cookie: 0 }, &[][..]).await;
        }
    }

    /// A program has opened it.
    pub(super) async fn report_open(&mut self) {
        self.report(OPENED).await;
    }

    /// So many bytes were read, or of a directory any.
    pub(super) async fn report_read(&mut self, read: Result<u32, Errno>) {
        if read.is_ok_and(|bytes| bytes > 0 || self.is_directory()) {
            self.report(ACCESSED).await;
        }
    }

    /// Its last user closes it.
    pub(super) async fn report_close(&mut self) {
        let by_reader = self.flags & ACCESS_MODE == READ_ONLY;
        self.report(if by_reader { CLOSED_READ } else { CLOSED_WRITTEN }).await;
    }
}
