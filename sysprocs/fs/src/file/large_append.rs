//! Appends of more than a page, which come in pieces: room for them is reserved first, where the file is written.
//!
//! Not here: who keeps what is reserved (`inode/appends.rs`, `renga_pages`), appends of a page at most, which are one
//! write.

use crate::file::inode_session::on_inode;
use crate::file::open_file::OpenFile;
use renga_hal::memory::UserMemory;
use renga_proto::file::EndAppend;
use renga_proto::inode::ReserveAppend;
use renga_proto::pages::{AT_END, NO_PAGE, ReserveLeased};
use renga_rt::Errno;

/// Lease requests, each of which reaches further.
const LEASES_MAX: u32 = 4;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    pub(super) async fn begin_append(&mut self, bytes: u64) -> Result<u64, Errno> {
        self.check()?;
        self.may_write()?;
        match self.reserve_leased(bytes).await? {
            Some(start) => Ok(start),
            None => on_inode!(self, ReserveAppend { from: AT_END, bytes }, ()),
        }
    }

    /// In the page cache of this board, if that has a lease or may get one.
    async fn reserve_leased(&mut self, bytes: u64) -> Result<Option<u64>, Errno> {
        if !self.is_elsewhere() {
            return Ok(None);
        }
        self.note_losses().await;
        for _ in 0..LEASES_MAX {
            let file = self.id();
            match self.clients.pages.call(ReserveLeased { file, from: AT_END, bytes }, ()).await {
                Err(Errno::ENOLCK) if self.may_ask_lease() && self.ask_lease(NO_PAGE).await? => {}
                Err(Errno::ENOLCK) => break,
                reserved => return reserved.map(Some),
            }
        }
        Ok(None)
    }

    pub(super) async fn end_append(&mut self, append: EndAppend) -> Result<(), Errno> {
        let EndAppend { end, reserved, moves } = append;
        self.check()?;
        if moves {
            self.offset = end;
        }
        let Some(bytes) = reserved.checked_sub(end).filter(|&bytes| bytes > 0) else { return Ok(()) };
        // Wherever it was reserved; who does not know of it has nothing to give back.
        if self.is_elsewhere() {
            let _ = self.clients.pages.call(ReserveLeased { file: self.id(), from: end, bytes }, ()).await;
        }
        on_inode!(self, ReserveAppend { from: end, bytes }, ()).map(|_| ())
    }
}
