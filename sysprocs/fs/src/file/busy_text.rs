//! A program's file that is opened for writing: not while a program runs it, and none is started from it meanwhile.
//!
//! Invariant: every board that is up knows of each such open file, from its opening until it is closed. A program's
//! file is one that may be executed when it is opened. Not here: which files programs run (`renga_memory`).

use crate::file::open_file::{ACCESS_MODE, OpenFile, READ_ONLY, TYPE_MASK};
use crate::format::inode_record::REGULAR;
use renga_hal::memory::UserMemory;
use renga_proto::file::OpenInode;
use renga_proto::mounts::SYNTHETIC;
use renga_proto::pages::FileId;
use renga_proto::references::{BeginWriting, EndWriting};
use renga_rt::{Errno, Retry};

/// Any permission to execute.
const EXECUTABLE: u16 = 0o111;

/// Whether programs could be started from what is opened, which is for writing.
pub(super) fn is_text_for_writing(open: &OpenInode) -> bool {
    open.flags & ACCESS_MODE != READ_ONLY
        && open.mode & TYPE_MASK == REGULAR
        && open.mode & EXECUTABLE != 0
        && open.ino < SYNTHETIC
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Reports to every board that `file` is open for writing. `ETXTBSY`: a program runs it, so it is not.
    pub(super) async fn begin_writing(&mut self, file: FileId) -> Result<(), Errno> {
        let boards = self.clients.references.boards();
        for board in 0..boards {
            let Some(mut there) = self.clients.references.at(board, 0) else { continue };
            // Where no board answers, no program runs.
            if there.call_retrying(BeginWriting { file }, ()).await == Err(Errno::ETXTBSY) {
                self.end_writing(file, board).await;
                return Err(Errno::ETXTBSY);
            }
        }
        self.is_busy_text = true;
        Ok(())
    }

    /// Reports to the first `boards` boards that `file` is closed.
    async fn end_writing(&mut self, file: FileId, boards: u8) {
        for board in 0..boards {
            if let Some(mut there) = self.clients.references.at(board, 0) {
                let _ = there.call_retrying(EndWriting { file }, ()).await; // a dead board has forgotten
            }
        }
    }

    /// It is being closed: its closer may start a program from it at once.
    pub(super) async fn release_text(&mut self) {
        self.is_busy_text = false;
        let boards = self.clients.references.boards();
        self.end_writing(self.id(), boards).await;
    }
}
