//! Write leases: another board writes the file in its own cache, until what is dirty there is taken home.
//!
//! The record here does not know of what is dirty elsewhere: neither size nor blocks. So a commit holds what was taken home, and
//! nothing refers to content that is not on this board. Blocks are reserved when the lease is given.
//!
//! Invariants: while the inode is lent, no other board holds anything of it, and the cache of this board shows its pages to
//! this process only. The lease ends before anybody else reads or writes (`demand.rs`), with the board that has it, or by
//! `LeaseWrite` with `TAKE_HOME`. A page is taken at most once, and is dirty there until it is dirty here.
//! Not here: boards that do not answer (`away.rs`), what the board does (`renga_pages`), whose page caches hold clean pages (`page_leases.rs`).

use crate::format::inode_record::{REGULAR, Time};
use crate::inode::active_inode::ActiveInode;
use crate::inode::block_map::DIRECT;
use crate::inode::content::page_of;
use crate::inode::held_call::no_room;
use crate::inode::lending::away::lent_at_ns;
use crate::inode::lending::size::HOLES_PAGES_MAX;
use renga_abi::PAGE_BYTES;
use renga_proto::allocator::{EndReserve, Reserve};
use renga_proto::attributes::ATTRIBUTES_BYTES;
use renga_proto::inode::Lease;
use renga_proto::pages::{
    Back, FlushFrom, Given, HOLE_PAGES_MAX, LeavePage, NO_LEASE, NO_PAGE, NOT_WRITTEN, PutBack, TO_END,
};
use renga_rt::Errno;

const PAGE: u64 = PAGE_BYTES as u64;
/// Pages behind the end that a board may write at first, and at most at a time.
const GROWTH_MIN: u32 = 8;
const GROWTH_MAX: u32 = 512;
/// Indirect blocks for so many pages behind the end: one of each level that they lie in, and one more where they cross.
pub(in crate::inode) const INDIRECT_MAX: u32 = 6;
/// Pages that come home between two other calls.
const PIECE_PAGES: u32 = 16;
/// What was lent is young for so long, ns.
const YOUNG_NS: u64 = 5_000_000_000;
/// Times that a page is offered to the cache here.
const TRIES_MAX: u32 = 4;

/// What is lent to whom.
#[derive(Clone, Copy)]
pub(crate) struct WriteLease {
    pub(in crate::inode) board: u8,
    /// No other lease of this inode has had that number.
    id: u64,
    /// Times that the board was answered that it has it.
    grants: u32,
    /// The session with the board in which it was given.
    pub(in crate::inode) session: u32,
    /// Since when the board has not answered.
    pub(in crate::inode) silent_ns: Option<u64>,
    /// Pages below this one may be written.
    below: u32,
    /// Blocks that are kept for them.
    pub(crate) reserved: u32,
    /// The board may not write any more, and may still have what is dirty.
    pub(in crate::inode) closed: bool,
    /// What is dirty from there on is still to be taken.
    from: u32,
    taken: u32,
    /// The size that the board has told last.
    pub(in crate::inode) size: u64,
    /// A page of it has been lost here.
    damaged: bool,
    /// Mode, owner or times were changed here while the board was away: what it has changed before counts no more.
    pub(super) overruled: bool,
}

impl WriteLease {
    /// The board is about to be told that it has it.
    fn grant(&mut self) -> u64 {
        self.grants = self.grants.saturating_add(1);
        self.id
    }
}

impl ActiveInode {
    /// For which board a lease is asked.
    pub(crate) fn lessee(&self, caller: u8, board: u8) -> u8 {
        if caller == self.me.id().board.0 { board } else { caller }
    }

    /// Lends page `page`, and others, to `board`; nothing if that is not to be.
    pub(crate) async fn lease_write(&mut self, board: u8, ino: u32, page: u32) -> Result<Lease, Errno> {
        if ino != self.ino {
            return Err(Errno::ESTALE);
        }
        self.check_regular()?;
        let (size, refused) = (self.record.size(), Lease { size: self.record.size(), ..Lease::NONE });
        // What programs here write by mappings stays here; so does a file to which appends are under way.
        if self.mapped || self.lent.is_none() && self.append_at() > size {
            return Ok(refused);
        }
        if self.refusals > 0 {
            self.refusals -= 1;
            return Ok(refused);
        }
        let (may_lend, _) = self.referrers.may_lend(self.is_for_job());
        let is_lent = self.lent.is_some();
        // Of a board that is away it was not taken home.
        if board == self.me.id().board.0 || !self.leases.permit(board) || !(may_lend || is_lent) || self.is_away() {
            return Ok(refused);
        }
        let pages = page_of(size + PAGE - 1);
        let (end, kept) = match self.lent {
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
        let below = if page < end && self.lent.is_some() { end } else { end.saturating_add(growth) };
        if self.lend(board, below, kept, below - end).await.is_err() {
            return Ok(refused);
        }
        let id = self.lent.as_mut().map_or(NO_LEASE, WriteLease::grant);
        Ok(Lease { size, below, id })
    }

    /// Before a program of `board` writes page `page`, which it maps: the board gets the lease, though boards take turns, since the
    /// program cannot write in any other way; and the page, if there is room for it in `out`: a page that it had to ask for
    /// with another call would be gone again. `EAGAIN`: not before the next commit.
    pub(in crate::inode) async fn lend_page(&mut self, board: u8, page: u32, out: &mut [u8]) -> Result<Lease, Errno> {
        if !self.leases.permit(board) {
            return Err(Errno::EOPNOTSUPP);
        }
        if page == NO_PAGE {
            return Ok(Lease::NONE);
        }
        if self.lent.is_none() {
            let pages = page_of(self.record.size() + PAGE - 1);
            if page >= pages {
                return Err(Errno::EFBIG);
            }
            if !self.referrers.may_lend(self.is_for_job()).0 {
                return Err(Errno::EAGAIN);
            }
            self.lend(board, pages, self.blocks_for_holes(pages), 0).await?;
        } else {
            self.note_writer(board, true);
        }
        let below = self.lent.filter(|lease| lease.board == board).ok_or(Errno::EIO)?.below;
        if page >= below {
            return Err(Errno::EFBIG);
        }
        if !out.is_empty() {
            let bytes = self.copy_page(page, out).await?;
            out.get_mut(bytes..).ok_or(Errno::EINVAL)?.fill(0);
        }
        let id = self.lent.as_mut().map_or(NO_LEASE, WriteLease::grant);
        Ok(Lease { size: self.record.size(), below, id })
    }

    async fn lend(&mut self, board: u8, below: u32, kept: u32, more: u32) -> Result<(), Errno> {
        self.begin_write().await?;
        let indirect = if u64::from(below) > DIRECT && more > 0 { INDIRECT_MAX } else { 0 };
        let blocks = kept + more + indirect;
        let (was_lent, (_, hurry)) = (self.lent.is_some(), self.referrers.may_lend(self.is_for_job()));
        self.allocator.call(Reserve { slot: self.number, blocks, hurry }, ()).await?;
        match &mut self.lent {
            Some(lease) => (lease.below, lease.reserved) = (below, lease.reserved + blocks),
            None => {
                let (file, size) = (self.file(), self.record.size());
                self.leases.recall_others(file, board).await;
                let lent = self.content.lend(file, true, size).await;
                if lent.is_err() {
                    self.allocator.call(EndReserve { slot: self.number, blocks }, ()).await?;
                    return lent;
                }
                let reserved = blocks;
                self.referrers.set_lent(self.number, true);
                self.lent = Some(WriteLease {
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
                    overruled: false,
                });
            }
        }
        self.leases.grant(board, below - 1);
        self.note_writer(board, was_lent);
        Ok(())
    }

    /// Whether it works for a background job.
    fn is_for_job(&self) -> bool {
        self.me.policy_of(self.me.account()).background
    }

    /// Whoever it works for writes the inode on `board`: what others have written is not a job's.
    fn note_writer(&mut self, board: u8, was_lent: bool) {
        let is_job = self.is_for_job();
        if !(was_lent && is_job) {
            self.referrers.set_writer(self.number, is_job.then_some(board));
        }
    }

    /// What the board that holds the inode says of it.
    pub(crate) async fn ask_facts(&mut self) {
        let given = self.take_back(Back::Facts).await;
        if let Err(errno) = given {
            let _ = self.note_silence(errno).await;
        }
    }

    async fn take_back(&mut self, back: Back) -> Result<Given, Errno> {
        let Some(lease) = self.lent else { return Err(Errno::EINVAL) };
        let WriteLease { board, id, taken, grants, .. } = lease;
        let asked = FlushFrom { board, file: self.file(), taken, back, lease: id, grants };
        let mut changed = [0; ATTRIBUTES_BYTES];
        let given = self.leases.revocations.call(asked, &mut changed[..]).await?;
        if given.changed {
            self.take_changed(&changed).await;
        }
        if let Some(lease) = &mut self.lent {
            lease.size = given.size.min(u64::from(lease.below) * PAGE);
        }
        if given.reserved > 0 {
            self.note_reserved(board, given.reserved.min(u64::from(lease.below) * PAGE));
        }
        if given.written_ns_ago != NOT_WRITTEN && self.record.is(REGULAR) {
            let ns = self.now_ns().saturating_sub(given.written_ns_ago);
            self.record.set_time_ns(Time::Modify, ns);
            let changed_ns = self.record.time_ns(Time::Change).max(ns);
            self.record.set_time_ns(Time::Change, changed_ns);
            self.note_change();
        }
        Ok(given)
    }

    /// Brings all home and ends the lease. `EAGAIN`: after a commit, unless this is the `last` time. `EHOSTDOWN`: when the board is
    /// there again.
    pub(crate) async fn take_home(&mut self, last: bool) -> Result<(), Errno> {
        while self.take_piece(u32::MAX, last).await? {}
        Ok(())
    }

    /// Whether it may stay lent while what jobs have written is spared, as it has not been so for long.
    pub(in crate::inode) fn is_lease_young(&self) -> bool {
        let is_young = |lease: WriteLease| self.me.now_ns().saturating_sub(lent_at_ns(lease.id)) < YOUNG_NS;
        self.referrers.spares_some() && self.lent.is_some_and(is_young)
    }

    /// Some pages; whether there is more.
    pub(crate) async fn take_some_home(&mut self, last: bool) -> Result<bool, Errno> {
        self.take_piece(PIECE_PAGES, last).await
    }

    async fn take_piece(&mut self, most: u32, last: bool) -> Result<bool, Errno> {
        if self.lent.is_none() {
            return Ok(false);
        }
        if let Err(errno) = self.begin_write().await {
            // Nothing may be changed any more.
            let _ = self.take_back(Back::Nothing).await;
            self.kept = self.kept.or(Some(errno)); // told to whoever syncs
            self.end_lease(Some(errno)).await;
            return Ok(false);
        }
        for _ in 0..most {
            let Some(lease) = &mut self.lent else { return Ok(false) };
            lease.closed = true;
            match self.take_back(Back::Dirty).await {
                Ok(Given { changed: true, .. }) => {} // what is dirty comes next
                Ok(Given { page: NO_PAGE, .. }) => {
                    self.end_lease(None).await;
                    return Ok(false);
                }
                Ok(given) => self.put_back(given.page, last).await?,
                Err(errno) => return self.note_silence(errno).await.map(|()| false),
            }
        }
        Ok(true)
    }

    /// The page that has come is the file's; a failure is told to whoever syncs, unless it is tried again after a commit.
    async fn put_back(&mut self, page: u32, last: bool) -> Result<(), Errno> {
        let Some(lease) = self.lent else { return Ok(()) };
        if page < lease.from || page >= lease.below {
            // It gives what it has not got.
            self.leases.revocations.call(LeavePage {}, ()).await?;
            self.end_lease(Some(Errno::EIO)).await;
            return Ok(());
        }
        let put = self.place_page(page, lease.size).await;
        if put.is_err() {
            self.leases.revocations.call(LeavePage {}, ()).await?;
        }
        match put {
            Err(Errno::EAGAIN) if !last => return Err(Errno::EAGAIN),
            Err(errno) => {
                self.kept = self.kept.or(Some(no_room(errno)));
                self.lent.iter_mut().for_each(|lease| lease.damaged = true);
            }
            Ok(()) => {}
        }
        if let Some(lease) = &mut self.lent {
            (lease.from, lease.taken) = (page.saturating_add(1).max(lease.from), page);
        }
        Ok(())
    }

    async fn place_page(&mut self, page: u32, size: u64) -> Result<(), Errno> {
        let (block, _) = self.map_for_write(page.into()).await?;
        let (file, size) = (self.file(), self.record.size().max(size.min((u64::from(page) + 1) * PAGE)));
        let mut put = Err(Errno::EIO);
        for _ in 0..TRIES_MAX {
            put = self.leases.revocations.call(PutBack { file, page, block, size }, ()).await;
            match put {
                Ok(crowded) => {
                    if crowded {
                        self.content.make_room(false).await;
                    }
                    break;
                }
                Err(Errno::ENOMEM) => self.content.make_room(true).await,
                Err(_) => break,
            }
        }
        put?;
        self.record.set_size(size);
        self.note_change();
        Ok(())
    }

    /// The lease is over; if that `failed`, what its board had written and nobody has taken is lost.
    pub(in crate::inode) async fn end_lease(&mut self, failed: Option<Errno>) {
        let Some(lease) = self.lent.take() else { return };
        self.referrers.set_lent(self.number, false);
        if failed.is_some() {
            self.leases.holders.forget(lease.board);
        }
        let blocks = lease.reserved;
        // Neither is refused.
        let _ = self.allocator.call(EndReserve { slot: self.number, blocks }, ()).await;
        let _ = self.content.lend(self.file(), false, self.record.size()).await;
        if lease.damaged {
            // It still shows what is lost.
            self.recall(0, TO_END).await;
        }
    }

    /// Nothing is left of what is dirty elsewhere: the file goes.
    pub(crate) async fn abandon_lease(&mut self) {
        if !self.is_away() {
            let _ = self.take_back(Back::Nothing).await;
        }
        self.end_lease(Some(Errno::ENOENT)).await;
    }
}
