//! Before a program writes a page of a file that it shares: the page is dirty in the page cache of this board, or can
//! be.
//!
//! On the disk board that is the inode process's work. Another board must have the lease, which comes with the page,
//! so that both arrive at once. Not here: the fault (`shared_fault.rs`), leases (`renga_fs`), the cache's use of the
//! page (`renga_pages`).

use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use renga_abi::Errno;
use renga_hal::memory::UserMemory;
use renga_pages::Fill;
use renga_proto::inode::{DirtyPage, Lease, LeaseWrite};
use renga_proto::pages::{AcceptLease, BeginFill, LeasedPages, NO_PAGE};

impl<M: UserMemory> Pager<'_, M> {
    /// Makes page `page` of `file` writable until it is revoked; `absent`: it is not in the cache. `EFBIG`: it is
    /// behind the end.
    pub(crate) async fn dirty_page(&mut self, file: MappedFile, page: u32, absent: bool) -> Result<(), Errno> {
        let mut inode = self.inode(file.slot).ok_or(Errno::EIO)?;
        let dirty = DirtyPage { ino: file.ino, page };
        if inode.server().board == self.pages.server().board {
            self.pages.call(BeginFill { file: file.id(), mapped: page }, ()).await?;
            return inode.call(dirty, &mut []).await.map(|_| ());
        }
        if !absent {
            let cache_generation = self.pages.call(BeginFill { file: file.id(), mapped: page }, ()).await?;
            let lease = inode.call(dirty, &mut []).await?;
            return self.accept_lease(file, cache_generation, lease).await.map(|_| ());
        }
        let begun = Fill::begin_shared(self.memory, self.pages, file.id(), page).await?;
        let mut content = self.machine.page(begun.frame);
        let leased = inode.call(dirty, &mut content[..]).await;
        drop(content);
        match leased {
            Ok(lease) => {
                let accepted = self.accept_lease(file, begun.cache_generation(), lease).await;
                let renewed = accepted.unwrap_or(None).unwrap_or(begun.cache_generation());
                let frame = begun.with_generation(renewed).keep(self.pages, lease.size).await;
                self.free(frame).await;
                accepted.map(|_| ())
            }
            Err(errno) => {
                begun.give_up(self.memory).await;
                Err(errno)
            }
        }
    }

    /// Accepts the lease; returns the cache generation for the page that came with it, unless the lease is over.
    async fn accept_lease(
        &mut self,
        file: MappedFile,
        cache_generation: u64,
        lease: Lease,
    ) -> Result<Option<u64>, Errno> {
        let Lease { size, below, id: lease, now_ns } = lease;
        let (file, pages) = (file.id(), LeasedPages { slot: file.slot, below });
        match self.pages.call(AcceptLease { file, pages, cache_generation, size, lease, now_ns }, ()).await {
            // Revoked already: the fault may request it again.
            Err(Errno::ESTALE) => Ok(None),
            accepted => accepted.map(Some),
        }
    }

    /// Whether this board may get the lease of `file`, which is on another one.
    pub(crate) async fn may_lease(&mut self, file: MappedFile) -> bool {
        let elsewhere = self.inode(file.slot).is_some_and(|inode| inode.server().board != self.pages.server().board);
        elsewhere && self.may_store(file).await == Ok(true)
    }

    /// Whether this board may write `file` by mappings at all.
    ///
    /// # Errors
    /// The board of the inodes does not reply.
    pub async fn may_store(&mut self, file: MappedFile) -> Result<bool, Errno> {
        let mut inode = self.inode(file.slot).ok_or(Errno::EIO)?;
        match inode.call(DirtyPage { ino: file.ino, page: NO_PAGE }, &mut []).await {
            Err(Errno::EOPNOTSUPP) => Ok(false),
            // Behind every end. A process that learns of a reboot calls again at its next fault.
            Ok(_) | Err(Errno::EFBIG | Errno::ESTALE) => Ok(true),
            Err(errno) => Err(errno),
        }
    }

    /// What is dirty here of `file` goes to the board of the inodes, but for what finds room only after a commit.
    pub(crate) async fn flush_lease(&mut self, file: MappedFile) -> Result<(), Errno> {
        let mut inode = self.inode(file.slot).ok_or(Errno::EIO)?;
        // Each pass takes pages, of which this board has a bounded number.
        loop {
            match inode.call(LeaseWrite::flush(file.ino), ()).await {
                Ok(lease) if lease.below > 0 => {}
                Ok(_) | Err(Errno::EAGAIN) => return Ok(()),
                Err(errno) => return Err(errno),
            }
        }
    }
}
