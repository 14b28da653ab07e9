//! Write leases: another board writes the file in its own cache, until what is dirty there is flushed.
//!
//! The record here does not know of dirty pages elsewhere: neither size nor blocks. So a commit contains what was
//! flushed, and nothing refers to data that is not on this board. The inode reserves blocks when it grants the lease.
//!
//! Invariants: while the inode is leased, no other board caches anything of it, and the cache of this board gives its
//! pages to this process only. The lease ends before any other board reads or writes (`lease_demand.rs`), with the
//! board that has it, or by `LeaseWrite` with `FLUSH_LEASE`. A page is taken at most once, and is dirty there until it
//! is dirty here. Not here: boards that do not reply (`lease_flush.rs`), the board's part (`renga_pages`), the boards
//! that cache clean pages (`page_leases.rs`).

use crate::data::client::page_of;
use crate::inode::active_inode::ActiveInode;
use crate::inode::block_route::DIRECT;
use crate::inode::lease_size::HOLES_PAGES_MAX;
use crate::leases::write_lease::{INDIRECT_MAX, WriteLease, granted_at_ns};
use renga_abi::PAGE_BYTES;
use renga_proto::allocator::{EndReserve, Reserve};
use renga_proto::inode::Lease;
use renga_proto::pages::{HOLE_PAGES_MAX, NO_LEASE, NO_PAGE};
use renga_rt::Errno;

pub(super) const PAGE: u64 = PAGE_BYTES as u64;
/// Pages behind the end that a board may write at first, and at most at a time.
const GROWTH_MIN: u32 = 8;
const GROWTH_MAX: u32 = 512;
/// What was leased is young for so long, ns.
const YOUNG_NS: u64 = 5_000_000_000;

impl ActiveInode {
    /// The board for which a lease is requested.
    pub(crate) fn lessee(&self, caller: u8, board: u8) -> u8 {
        if caller == self.me.id().board.0 { board } else { caller }
    }

    /// Leases page `page`, and others, to `board`; grants nothing if that is refused.
    pub(crate) async fn lease_write(&mut self, board: u8, ino: u32, page: u32) -> Result<Lease, Errno> {
        if ino != self.ino {
            return Err(Errno::ESTALE);
        }
        self.check_regular()?;
        let (size, refused) = (self.record.size(), Lease { size: self.record.size(), ..Lease::NONE });
        // What programs here write by mappings stays here; so does a file to which appends are under way.
        if self.mapped || self.leased.is_none() && self.append_at() > size {
            return Ok(refused);
        }
        if self.refusals > 0 {
            self.refusals -= 1;
            return Ok(refused);
        }
        let may_lease = self.referrers.may_lease(self.is_for_job());
        let is_leased = self.leased.is_some();
        // An orphaned lease was not flushed.
        if board == self.me.id().board.0
            || !self.leases.permit(board)
            || !(may_lease || is_leased)
            || self.is_orphaned()
            || self.is_watched()
        {
            return Ok(refused);
        }
        let pages = page_of(size + PAGE - 1);
        let (end, kept) = match self.leased {
            Some(lease) => (lease.below, 0),
            None => (pages, self.blocks_for_holes(pages)),
        };
        if kept > 0 && pages > HOLES_PAGES_MAX {
            return Ok(refused);
        }
        let page = if page == NO_PAGE { end } else { page };
        // One write may leave out pages, and reach into the next.
        if page > end.saturating_add(HOLE_PAGES_MAX + 1) {
            return Ok(refused);
        }
        let growth = (end / 2).clamp(GROWTH_MIN, GROWTH_MAX).max(page.saturating_add(1).saturating_sub(end));
        let below = if page < end && self.leased.is_some() { end } else { end.saturating_add(growth) };
        if self.grant(board, below, kept, below - end).await.is_err() {
            return Ok(refused);
        }
        let id = self.leased.as_mut().map_or(NO_LEASE, WriteLease::grant);
        Ok(Lease { size, below, id, now_ns: self.now_ns() })
    }

    /// Before a program of `board` writes page `page`, which it maps. The board gets the lease, though boards
    /// alternate, since the program cannot write in any other way; and the page, if there is room for it in `out`: a
    /// page from a second call might be revoked again. `EAGAIN`: not before the next commit.
    pub(super) async fn grant_page(&mut self, board: u8, page: u32, out: &mut [u8]) -> Result<Lease, Errno> {
        if !self.leases.permit(board) {
            return Err(Errno::EOPNOTSUPP);
        }
        if page == NO_PAGE {
            return Ok(Lease::NONE);
        }
        if self.leased.is_none() {
            let pages = page_of(self.record.size() + PAGE - 1);
            if page >= pages {
                return Err(Errno::EFBIG);
            }
            if !self.referrers.may_lease(self.is_for_job()) {
                return Err(Errno::EAGAIN);
            }
            self.grant(board, pages, self.blocks_for_holes(pages), 0).await?;
        } else {
            self.note_writer(board, true);
        }
        let below = self.leased.filter(|lease| lease.board == board).ok_or(Errno::EIO)?.below;
        if page >= below {
            return Err(Errno::EFBIG);
        }
        if !out.is_empty() {
            let bytes = self.copy_page(page, false, out).await?;
            out.get_mut(bytes..).ok_or(Errno::EINVAL)?.fill(0);
        }
        let id = self.leased.as_mut().map_or(NO_LEASE, WriteLease::grant);
        Ok(Lease { size: self.record.size(), below, id, now_ns: self.now_ns() })
    }

    pub(super) async fn grant(&mut self, board: u8, below: u32, kept: u32, more: u32) -> Result<(), Errno> {
        match self.leased {
            Some(_) => self.begin_leased_write().await?,
            None => self.begin_write().await?,
        }
        let indirect = if u64::from(below) > DIRECT && more > 0 { INDIRECT_MAX } else { 0 };
        let blocks = kept + more + indirect;
        let was_leased = self.leased.is_some();
        self.allocator.call(Reserve { slot: self.number, blocks }, ()).await?;
        match &mut self.leased {
            Some(lease) => (lease.below, lease.reserved) = (below, lease.reserved + blocks),
            None => {
                let (file, size) = (self.file(), self.record.size());
                self.leases.revoke_others(file, board).await;
                let leased = self.data.grant(file, true, size).await;
                if leased.is_err() {
                    self.allocator.call(EndReserve { slot: self.number, blocks }, ()).await?;
                    return leased;
                }
                let reserved = blocks;
                self.referrers.set_leased(self.number, true);
                self.leased = Some(WriteLease {
                    board,
                    id: self.lease_id(),
                    grants: 0,
                    session: self.referrers.session(board),
                    silent_ns: None,
                    below,
                    reserved,
                    closed: false,
                    from: 0,
                    taken: NO_PAGE,
                    size,
                    damaged: false,
                    stale: false,
                    missed: false,
                    superseded: false,
                    watched: self.is_watched(),
                });
            }
        }
        self.leases.grant(board, below - 1);
        self.note_writer(board, was_leased);
        Ok(())
    }

    fn is_for_job(&self) -> bool {
        self.me.policy_of(self.me.account()).background
    }

    /// A caller that it works for writes the inode on `board`: what others have written is not a job's.
    fn note_writer(&mut self, board: u8, was_leased: bool) {
        let is_job = self.is_for_job();
        if !(was_leased && is_job) {
            self.referrers.set_writer(self.number, is_job.then_some(board));
        }
    }

    /// Whether it may stay leased while what jobs have written is spared, as it has not been so for long.
    pub(super) fn is_lease_young(&self) -> bool {
        let is_young = |lease: WriteLease| self.me.now_ns().saturating_sub(granted_at_ns(lease.id)) < YOUNG_NS;
        self.referrers.spares_some() && self.leased.is_some_and(is_young)
    }
}
