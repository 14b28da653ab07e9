//! The allocator's part in write leases: blocks that are kept for what other boards have written and not brought here.
//!
//! Invariant: as many blocks are free as are reserved, so that a board that may write a page need not fear for its
//! block. Which blocks they will be is found when the page comes.
//! Not here: grants (`inode/lease_grant.rs`).

use crate::volume::allocator_state::AllocatorState;
use renga_proto::allocator::Reserve;
use renga_rt::Errno;

impl AllocatorState {
    /// Free blocks that no transaction under way is yet to free.
    fn available(&self) -> u32 {
        self.free_totals().0.saturating_sub(self.closing.blocks())
    }

    /// For a block that is not of those that are reserved. `EAGAIN`: there may be room when leases have ended.
    pub(crate) fn may_take_unreserved(&mut self) -> Result<(), Errno> {
        if self.reserved == 0 || self.available() > self.reserved {
            return Ok(());
        }
        self.hurry();
        Err(Errno::EAGAIN)
    }

    pub(crate) fn reserve(&mut self, reserve: Reserve) -> Result<(), Errno> {
        let Reserve { slot, blocks } = reserve;
        self.may_change()?;
        self.freed.may_take().and(self.closing.may_take())?;
        let wanted = self.reserved.checked_add(blocks).filter(|wanted| *wanted <= self.available());
        if wanted.is_none() && self.reserved > 0 {
            // Some of it is not needed, as is known when leases have ended.
            self.hurry();
        }
        self.reserved = wanted.ok_or(Errno::ENOSPC)?;
        self.leased.insert(slot);
        self.make_due();
        Ok(())
    }

    pub(crate) fn end_reserve(&mut self, slot: u16, blocks: u32) {
        self.leased.remove(slot);
        self.only_leased = false;
        self.reserved = self.reserved.saturating_sub(blocks);
    }

    pub(crate) async fn take_reserved(&mut self, goal: u32) -> Result<u32, Errno> {
        let block = self.take_block(goal).await?;
        self.reserved = self.reserved.saturating_sub(1);
        Ok(block)
    }
}
