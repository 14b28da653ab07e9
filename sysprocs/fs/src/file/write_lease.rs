//! Writing a file in the page cache of this board, under a lease.
//!
//! A write goes there if the inode's process grants the lease; otherwise (no room on the medium, boards that
//! alternate, a hole) it crosses, as on the board of the inodes. `SyncFile` or `Close` reports writes that are lost
//! with the board of the inodes. Not here: the cache's part (`renga_pages`), the inode's (`inode/lease_grant.rs`).

use crate::file::inode_session::on_inode;
use crate::file::open_file::OpenFile;
use renga_abi::PAGE_BYTES;
use renga_hal::memory::UserMemory;
use renga_proto::inode::{Lease, LeaseWrite};
use renga_proto::pages::{AcceptLease, BeginFill, CountDirty, DiscardOrphaned, FindOrphaned, LeasedPages};
use renga_rt::Errno;

pub(super) const PAGE: u64 = PAGE_BYTES as u64;
/// Times that one write may find the file not leased, a page not there, or no room.
pub(super) const TRIES_MAX: u32 = 8;
/// Writes that cross after a lease was refused.
const CROSSINGS: u8 = 3;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Whether to request a lease: not soon after a refusal.
    pub(super) fn may_ask_lease(&self) -> bool {
        self.local_writes.crossings == 0
    }

    /// Requests the lease, up to page `page`; returns whether this board has it.
    pub(super) async fn ask_lease(&mut self, page: u32) -> Result<bool, Errno> {
        let (file, board) = (self.id(), self.clients.pages.server().board.0);
        let cache_generation = self.clients.pages.call(BeginFill::FOR_LEASE, ()).await?;
        let lease = on_inode!(self, LeaseWrite { ino: self.ino, board, page }, ())?;
        if lease.below == 0 {
            self.local_writes.crossings = CROSSINGS;
            return Ok(false);
        }
        let Lease { size, below, id: lease, now_ns } = lease;
        let pages = LeasedPages { slot: self.slot.unwrap_or(0), below };
        match self.clients.pages.call(AcceptLease { file, pages, cache_generation, size, lease, now_ns }, ()).await {
            // Revoked already: the next write may request it again.
            Ok(_) | Err(Errno::ESTALE) => Ok(true),
            Err(_) => Ok(false),
        }
    }

    /// How many pages this board has lost.
    async fn lost_here(&mut self) -> Result<u32, Errno> {
        self.clients.pages.call(CountDirty {}, ()).await.map(|dirty| dirty.lost)
    }

    /// Before the first write here: what was lost before is not this file's.
    pub(super) async fn note_losses(&mut self) {
        if self.local_writes.lost_before.is_none() {
            self.local_writes.lost_before = self.lost_here().await.ok();
        }
    }

    /// If the lease is orphaned: flushes it, or finds that what was written here is lost. Otherwise it stays as it is.
    async fn revalidate(&mut self) {
        let Ok(orphaned) = self.clients.pages.call(FindOrphaned { file: self.id(), from: 0 }, ()).await else { return };
        if self.flush_all().await.is_ok() {
            // No server refuses this.
            let _ = self.clients.pages.call(DiscardOrphaned { file: orphaned.file, lease: orphaned.lease }, ()).await;
        }
    }

    /// Whether what was written here may be lost, since it was last reported.
    pub(super) async fn note_lost_here(&mut self) {
        if self.local_writes.lost_before.is_some() {
            self.revalidate().await;
        }
        if let Some(before) = self.local_writes.lost_before.take()
            && self.lost_here().await != Ok(before)
        {
            self.lost = true;
        }
    }

    /// What is dirty here of this file goes to the board of the inodes.
    async fn flush_all(&mut self) -> Result<(), Errno> {
        // Each iteration takes pages, of which this board has a bounded number.
        while on_inode!(self, LeaseWrite::flush(self.ino), ())?.below > 0 {}
        Ok(())
    }

    /// The same, but for what finds room only after a commit.
    pub(super) async fn flush_lease(&mut self) -> Result<(), Errno> {
        let taken = self.flush_all().await;
        taken.or_else(|errno| if errno == Errno::EAGAIN { Ok(()) } else { Err(errno) })
    }
}
