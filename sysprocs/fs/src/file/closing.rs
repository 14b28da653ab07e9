//! Closing an open file: the last reference releases its locks, its inode and its process.
//!
//! Invariant: a failed write is reported by the last `Close` before the work of closing is done. Called by:
//! `server.rs`.
//!
//! Reads and writes name no generation, and none reaches a later open file of this process by mistake:
//! - A program calls while it has the file open. With threads it checks that before each piece (`check_open`), and
//!   the call is in the port before any other thread runs.
//! - The port keeps the order of calls. Those that wait for the offset are refused when the file is closed.
//! - On the way from another board a `Close` may overtake a `Write` of another thread of the same program. The write
//!   is refused (`EBADF`) unless that board also has the next open file of this process, which only a fork there gives
//!   it: then a program that closes what it writes may change a file that its board may write.

use crate::file::open_file::OpenFile;
use renga_hal::memory::UserMemory;
use renga_proto::locks::{Owner, ReleaseLocks};
use renga_proto::slots::FreeFile;
use renga_rt::{BoardReferences, Call, Errno, Me, Retry, apart};

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// It is being closed: nothing is locked by way of it any more.
    pub(super) async fn release_locks(&mut self) {
        if core::mem::take(&mut self.locks) {
            let owner = Owner::open_file(self.home, self.number, self.open_generation.number());
            let release = ReleaseLocks { owner, ino: self.ino };
            // A dead board has no locks.
            let _ = self.clients.locks.call_retrying(release, ()).await;
        }
    }

    /// Answers before the work is done, unless a failed write may have to be notified.
    pub(super) async fn close(&mut self, call: Call<renga_proto::file::Close>, me: &Me) {
        let board = call.board();
        if call.entry().generation != self.open_generation.number() || !self.references.contains(board) {
            return call.reply(Err(Errno::EBADF));
        }
        if self.references.total() > 1 {
            self.references.remove(board);
            return call.reply(Ok(()));
        }
        let reported = if self.leaves_work() { apart!(self.end_use(me)) } else { Ok(()) };
        call.reply(reported);
        self.end().await;
    }

    /// Whether its use leaves anything to do before the file is closed, as seldom is so.
    fn leaves_work(&self) -> bool {
        let is_written = self.written || self.lost || self.local_writes.lost_before.is_some();
        is_written || self.has_claims() || self.may_be_watched()
    }

    /// What is done before a caller finds the file closed.
    async fn end_use(&mut self, me: &Me) -> Result<(), Errno> {
        self.note_lost_here().await;
        let reported = if self.written || self.lost { self.report_error(me).await } else { Ok(()) };
        if self.may_be_watched() {
            self.report_close().await;
        }
        // A caller that has closed it finds its locks free.
        self.release_claims().await;
        reported
    }

    /// Whether others cannot lock or write the file because of this one.
    fn has_claims(&self) -> bool {
        self.locks || self.is_busy_text
    }

    async fn release_claims(&mut self) {
        self.release_locks().await;
        if self.is_busy_text {
            self.release_text().await;
        }
    }

    /// Gives back what a dead board's programs had open.
    pub(super) async fn drop_board(&mut self, board: u8) {
        if self.transferring == Some(board) {
            self.set_transferring(None);
        }
        if self.references.drop_board(board) > 0 && self.references.is_empty() {
            apart!(self.report_close());
            self.end().await;
        }
    }

    pub(super) async fn end(&mut self) {
        self.references = BoardReferences::NONE;
        // Calls that wait for the offset are refused before this process is another open file.
        self.set_transferring(None);
        if self.has_claims() {
            apart!(self.release_claims());
        }
        if !self.is_synthetic() {
            self.let_go().await;
        }
        // It is this process's own, so that it is not refused.
        let _ = self.clients.file_table.call(FreeFile { file: self.number }, ()).await;
    }
}
