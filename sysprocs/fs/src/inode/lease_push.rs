//! What a board pushes under its write lease, by `fsync`: pages and changes become the inode's, and the lease goes on.
//!
//! Invariants: a push of a lease that is being flushed, orphaned or over changes nothing, as the board may have written
//! the page again, or another board. What is not accepted stays dirty there, and the board has the inode flushed
//! instead. Not here: the board's part (`file/push.rs`, `renga_pages`), flushes (`lease_flush.rs`).

use crate::data::client::DataPage;
use crate::inode::active_inode::ActiveInode;
use crate::inode::lease_grant::PAGE;
use crate::leases::write_lease::WriteLease;
use renga_abi::PAGE_BYTES;
use renga_proto::inode::{LossReport, PushPage};
use renga_proto::pages::NO_PAGE;
use renga_rt::{Call, Errno, reply};

/// More follows.
const NOT_YET: LossReport = LossReport { count: 0, errno: 0, ns_ago: 0 };

pub(super) async fn serve_push(inode: &mut ActiveInode, mut call: Call<PushPage>) {
    let (push, board) = (call.entry(), call.board());
    reply!(call, if inode.admit(&call) => inode.accept_push(board, push, call.lent()).await);
}

impl ActiveInode {
    /// Accepts what `board` pushes, `sent`; after the last, reports as `sync`.
    async fn accept_push(&mut self, board: u8, push: PushPage, sent: &[u8]) -> Result<LossReport, Errno> {
        // Whatever the cause, the flush that follows finds it.
        self.place_pushed(board, push, sent).await.map_err(|_| Errno::ENOLCK)?;
        if push.place.last { self.report_error().await } else { Ok(NOT_YET) }
    }

    async fn place_pushed(&mut self, board: u8, push: PushPage, sent: &[u8]) -> Result<(), Errno> {
        let PushPage { lease: id, place, size, written_ns, bytes } = push;
        let orphaned = self.is_orphaned();
        let stands = |lease: &WriteLease| (lease.board, lease.id) == (board, id) && !lease.closed && !orphaned;
        let below = self.leased.filter(stands).ok_or(Errno::ENOLCK)?.below;
        let size = size.min(u64::from(below) * PAGE);
        let (page, changes) = sent.split_at_checked(bytes.page.into()).ok_or(Errno::EINVAL)?;
        let is_in_file = place.page < below && u64::from(place.page) * PAGE < size && page.len() <= PAGE_BYTES;
        if place.page != NO_PAGE && !is_in_file {
            return Err(Errno::EINVAL);
        }
        self.begin_leased_write().await?;
        if place.page != NO_PAGE {
            self.place_page_of(place.page, page, size).await?;
        }
        self.leased.iter_mut().for_each(|lease| lease.size = size);
        self.take_facts(bytes, written_ns, changes).await;
        Ok(())
    }

    async fn place_page_of(&mut self, page: u32, content: &[u8], size: u64) -> Result<(), Errno> {
        let (block, _) = self.map_for_write(page.into()).await?;
        let size = self.record.size().max(size.min((u64::from(page) + 1) * PAGE));
        // All of the page that is in the file has come: what the medium has of it need not be read.
        self.data.write(DataPage { file: self.file(), page, block, size }, 0, content, true).await?;
        self.record.set_size(size);
        self.note_change();
        Ok(())
    }
}
