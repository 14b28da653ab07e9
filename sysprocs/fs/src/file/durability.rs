//! What an open file knows of whether what was written is kept: settled by its inode, on the medium, or lost.
//!
//! Invariant: what is lost is told once. Not here: writing (`writing.rs`).

use crate::file::inode_session::{of_the_disk, on_inode};
use crate::file::open_file::State;
use renga_hal::memory::UserMemory;
use renga_proto::inode::{CommitAll, Extent, Settle, Sync};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> State<M> {
    /// Whether something written is lost; told once.
    pub(super) fn tell_lost(&mut self) -> Result<(), Errno> {
        if core::mem::take(&mut self.lost) { Err(Errno::EIO) } else { Ok(()) }
    }

    pub(super) async fn settle(&mut self) -> Result<(), Errno> {
        let settled = on_inode!(self, Settle {}, ());
        self.written = false;
        settled.and(self.tell_lost())
    }

    pub(super) async fn sync(&mut self) -> Result<(), Errno> {
        let synced = on_inode!(self, Sync {}, ());
        if let Err(errno) = synced {
            self.written = false; // the failure is told
            return Err(errno);
        }
        let committed = self.clients.inode_directory.call(CommitAll { extent: Extent::Journal }, ()).await;
        if committed == Err(Errno::ESTALE) {
            self.forget_inode().await;
        }
        self.written = false;
        committed.map_err(of_the_disk)?;
        self.note_lost_here().await;
        self.tell_lost()
    }
}
