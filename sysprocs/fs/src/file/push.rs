//! `fsync` on another board than that of the inodes: what is dirty here goes there, a page a call, and the lease stays.
//!
//! Not here: the cache's part (`renga_pages`), the inode's (`inode/lease_push.rs`), the commit (`durability.rs`).

use crate::file::open_file::OpenFile;
use renga_hal::memory::UserMemory;
use renga_pages::fill;
use renga_proto::inode::{LossReport, PushPage};
use renga_proto::pages::{NO_LEASE, NO_PAGE, NextPush, PUSH_REFUSED, PushedPage};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Pushes what this board has written, if it has the lease, and answers as the inode's `Sync`. `None`: the inode is
    /// to be flushed.
    pub(super) async fn push(&mut self) -> Option<Result<LossReport, Errno>> {
        if !self.is_elsewhere() {
            return None;
        }
        let frame = fill::allocate(&mut self.clients.memory, &mut self.clients.pages).await.ok()?;
        let pushed = {
            let mut content = self.machine.page(frame);
            self.push_by(&mut content[..]).await
        };
        fill::free(&mut self.clients.memory, frame).await;
        pushed
    }

    /// The same, by way of `content`.
    async fn push_by(&mut self, content: &mut [u8]) -> Option<Result<LossReport, Errno>> {
        let (file, mut lease, mut pushed) = (self.id(), NO_LEASE, NO_PAGE);
        // Each iteration but the first passes a page that was dirty.
        loop {
            let next = self.clients.pages.call(NextPush { file, lease, pushed }, &mut *content).await.ok()?;
            let answer = self.push_page(next, content).await;
            (lease, pushed) = (next.lease, if answer.is_ok() { next.place.page } else { PUSH_REFUSED });
            if answer.is_err() || next.place.last {
                // It refuses what is of a lease that is over.
                let _ = self.clients.pages.call(NextPush { file, lease, pushed }, &mut []).await;
                let is_to_flush = matches!(answer, Err(Errno::ENOLCK | Errno::ESTALE | Errno::EHOSTDOWN));
                return if is_to_flush { None } else { Some(answer) };
            }
        }
    }

    async fn push_page(&mut self, next: PushedPage, content: &[u8]) -> Result<LossReport, Errno> {
        let PushedPage { lease, place, size, written_ns, bytes } = next;
        let mut inode = self.inode()?.ok_or(Errno::ESTALE)?;
        let sent = content.get(..bytes.all()).ok_or(Errno::EIO)?;
        inode.call(PushPage { lease, place, size, written_ns, bytes }, sent).await
    }
}
