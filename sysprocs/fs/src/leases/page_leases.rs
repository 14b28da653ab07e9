//! Which boards may cache pages of this inode, or its status, and calling those back.
//!
//! Invariant: a board that may cache page p, or the size, is noted here. A note goes away only when the board has
//! replied to a revocation, or is dead: its next incarnation caches nothing that it was not granted. Any page below
//! `below` may be there; as a file grows at its end, one revocation serves all further writes. Not here: the callers
//! (`file_data.rs`, `truncate.rs`, `active_inode.rs`).

use crate::probes::{Revoke, RevokeEnd};
use renga_proto::pages::{
    FileId, FlushExtent, FlushFrom, NO_LEASE, NO_PAGE, NotifyAccessTo, Revocations, RevokeInodeFrom, RevokePagesFrom,
    TO_END,
};
use renga_rt::{BOARDS_MAX, Client, Errno, Probe};

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
struct Holder {
    below: u32,
    size: bool,
}
impl Holder {
    fn holds_any(self, from: u32, to: u32) -> bool {
        from < self.below || (to == TO_END && self.size)
    }
}

/// The boards that may cache pages of one inode.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct Holders([Holder; BOARDS_MAX]);

impl Holders {
    /// Page `page` and the size go to `board`.
    pub fn grant(&mut self, board: u8, page: u32) {
        if let Some(holder) = self.0.get_mut(usize::from(board)) {
            *holder = Holder { below: holder.below.max(page.saturating_add(1)), size: true };
        }
    }

    /// The first board from `from_board` on that may cache some of `from..to`.
    pub fn next(&self, from_board: usize, from: u32, to: u32) -> Option<usize> {
        (from_board..BOARDS_MAX).find(|&board| self.0[board].holds_any(from, to))
    }

    /// What `board` may cache is `by` from now on; what it was.
    fn replace(&mut self, board: u8, by: Holder) -> Holder {
        self.0.get_mut(usize::from(board)).map(|holder| core::mem::replace(holder, by)).unwrap_or_default()
    }

    /// `board` caches nothing any more.
    pub fn forget(&mut self, board: u8) {
        self.replace(board, Holder::default());
    }

    /// Nor do these boards, a bit each.
    pub(crate) fn forget_all(&mut self, boards: u8) {
        (0..BOARDS_MAX as u8).filter(|board| boards >> board & 1 != 0).for_each(|board| self.forget(board));
    }

    /// `board` has dropped `from..to`, and caches `left` pages of the file.
    pub fn revoked(&mut self, board: usize, from: u32, to: u32, left: u32) {
        let holder = &mut self.0[board];
        if to >= holder.below {
            holder.below = holder.below.min(from);
        }
        if left == 0 {
            holder.below = 0;
        }
        holder.size &= to != TO_END && left > 0;
    }
}

pub(crate) struct PageLeases {
    pub(crate) revocations: Client<Revocations>,
    pub(crate) holders: Holders,
    /// Boards that may cache the inode's status, one bit each.
    status: u8,
    /// Boards that caches nothing, one bit each: each of their reads crosses.
    without: u8,
}

impl PageLeases {
    pub(crate) fn new(revocations: Client<Revocations>, without: u8) -> Self {
        PageLeases { revocations, holders: Holders::default(), status: 0, without }
    }

    /// Before a page and the size go to `board`; whether it may keep them.
    pub(crate) fn grant(&mut self, board: u8, page: u32) -> bool {
        let granted = self.without >> board & 1 == 0;
        if granted {
            self.holders.grant(board, page);
        }
        granted
    }

    pub(crate) fn permit(&self, board: u8) -> bool {
        self.without >> board & 1 == 0
    }

    /// Only `board` caches anything of the file when this is over.
    pub(crate) async fn revoke_others(&mut self, file: FileId, board: u8) {
        let own = self.holders.replace(board, Holder::default());
        self.revoke(file, 0, TO_END).await;
        self.holders.replace(board, own);
    }

    /// Before the inode's status goes to `board`; whether it may keep it.
    pub(crate) fn grant_status(&mut self, board: u8) -> bool {
        let granted = self.without >> board & 1 == 0;
        self.status |= u8::from(granted) << board;
        granted
    }

    /// `boards`, a bit each, have given up the inode's status.
    pub(crate) fn give_up_status(&mut self, boards: u8) {
        self.status &= !boards;
    }

    /// Whether a board caches it, other than `except`.
    pub(crate) fn is_status_cached(&self, except: Option<u8>) -> bool {
        self.status & !except.map_or(0, |board| 1 << board) != 0
    }

    /// Before the inode changes in any way: no board caches its status any more when this is over.
    pub(crate) async fn revoke_status(&mut self, ino: u32) {
        // Each iteration ends the lease of a board.
        while self.status != 0 {
            let board = self.status.trailing_zeros() as u8;
            // As with pages.
            let _ = self.revocations.call(RevokeInodeFrom { board, ino }, ()).await;
            self.status &= !(1 << board);
        }
    }

    /// Before the time of the last access becomes that, and nothing else changes. The only board that caches the
    /// status is notified, and keeps it: every other board calls the inode, which replies when this is over. Of
    /// several boards one would report the new time while another still reports the old one.
    pub(crate) async fn notify_access(&mut self, ino: u32, access_ns: u64) {
        if !self.status.is_power_of_two() {
            return self.revoke_status(ino).await;
        }
        let board = self.status.trailing_zeros() as u8;
        if self.revocations.call(NotifyAccessTo { board, ino, access_ns }, ()).await.is_err() {
            self.status = 0; // as with pages
        }
    }

    /// The board has a write lease that is over here: its writes since are lost, which it reports to their programs.
    /// No page is left there.
    async fn revoke_writer(&mut self, file: FileId, board: u8) -> u32 {
        let flush = FlushFrom { board, file, taken: NO_PAGE, back: FlushExtent::Nothing, lease: NO_LEASE, grants: 0 };
        // A board that does not reply has lost it as well.
        let _ = self.revocations.call(flush, &mut [][..]).await;
        0
    }

    /// Before the pages `from..to` change (`TO_END`: and the size): no board caches them any more when this is over.
    pub(crate) async fn revoke(&mut self, file: FileId, from: u32, to: u32) {
        let mut next = 0;
        while let Some(board) = self.holders.next(next, from, to) {
            let revocation = RevokePagesFrom { board: board as u8, file, from, to };
            Revoke::mark([u64::from(file.ino), board as u64, u64::from(from), u64::from(to)]);
            let left = match self.revocations.call(revocation, ()).await {
                Ok(left) => left,
                Err(Errno::EBUSY) => self.revoke_writer(file, board as u8).await,
                // A board that does not answer is dead: nothing is left there.
                Err(_) => 0,
            };
            RevokeEnd::mark([u64::from(file.ino), board as u64]);
            self.holders.revoked(board, from, to, left);
            next = board + 1;
        }
    }
}
