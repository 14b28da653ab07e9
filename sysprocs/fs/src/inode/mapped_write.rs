//! Pages of a file that programs write by mapping them.
//!
//! Invariant: a page that a program of this board may write is dirty in the page cache here, has a block, and no
//! other board caches it. The program faults before its first write, and again after the page was written to the
//! medium or read by another board. Programs of another board write under a write lease (`lease_grant.rs`). Not here:
//! what programs map (`renga_pages`), faults (`renga_memory`).

use crate::data::client::DataPage;
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::inode::Lease;
use renga_rt::Errno;

impl ActiveInode {
    /// Before a program of `board` writes page `page`, if this is inode `ino`; on another board than this the page goes
    /// into `out`, if there is room.
    pub(crate) async fn dirty_page(&mut self, board: u8, ino: u32, page: u32, out: &mut [u8]) -> Result<Lease, Errno> {
        if ino != self.ino {
            return Err(Errno::ESTALE);
        }
        self.check_regular()?;
        if board != self.me.id().board.0 {
            return self.grant_page(board, page, out).await;
        }
        let size = self.record.size();
        if u64::from(page) * PAGE_BYTES as u64 >= size {
            return Err(Errno::EFBIG);
        }
        self.begin_write().await?;
        self.revoke(page, page + 1).await;
        let (block, fresh) = self.map_for_write(page.into()).await?;
        let place = DataPage { file: self.file(), page, block, size };
        // Nothing is written yet, but the page is dirty from now on.
        self.data.write(place, 0, &[], fresh).await?;
        self.mapped = true;
        self.touch_content();
        Ok(Lease::NONE)
    }
}
