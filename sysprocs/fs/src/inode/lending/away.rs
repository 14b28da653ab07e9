//! Inodes that are lent to a board which does not answer, or with which the session has ended.
//!
//! The board may live and still have what it has written: the lease stays, and the inode is served as it was when last at home. What
//! is dirty there is taken home when the board asks for something of the inode, as it does soon after a new session has begun,
//! or when somebody takes files home. Whoever changes the content before that ends the lease: what the board has written is
//! lost then, of which it tells whoever wrote it.
//!
//! Invariant: nobody is granted a page of it meanwhile. Not here: leases (`write_lease.rs`).

use crate::inode::active_inode::ActiveInode;
use renga_rt::Errno;

/// How long a lease outlives the last sign of its board, ns: an inode that is lent keeps its process and its room.
const SILENCE_NS_MAX: u64 = 600_000_000_000;
/// Of the number of a lease: these bits are the time, the others count the starts of this board.
const TIME_BITS: u32 = 56;

/// When the lease of this number was given, ns since boot.
pub(super) fn lent_at_ns(id: u64) -> u64 {
    id & ((1 << TIME_BITS) - 1)
}

impl ActiveInode {
    /// A number that no lease of this inode has had.
    pub(in crate::inode) fn lease_id(&self) -> u64 {
        u64::from(self.boot) << TIME_BITS | self.me.now_ns() & ((1 << TIME_BITS) - 1)
    }

    /// Whether the session in which it was lent has ended.
    pub(in crate::inode) fn is_away(&self) -> bool {
        self.lent.is_some_and(|lease| lease.silent_ns.is_some() || lease.session != self.referrers.session(lease.board))
    }

    /// The board that has the lease has not answered.
    ///
    /// # Errors
    /// `EHOSTDOWN`: the lease goes on.
    pub(in crate::inode) async fn note_silence(&mut self, errno: Errno) -> Result<(), Errno> {
        let now_ns = self.me.now_ns();
        let Some(lease) = &mut self.lent else { return Ok(()) };
        let silent_ns = *lease.silent_ns.get_or_insert(now_ns);
        if matches!(errno, Errno::EHOSTDOWN | Errno::ESTALE) && now_ns - silent_ns < SILENCE_NS_MAX {
            return Err(Errno::EHOSTDOWN);
        }
        self.give_up_lease().await;
        Ok(())
    }

    /// What the board has written is lost.
    pub(super) async fn give_up_lease(&mut self) {
        if let Some(lease) = self.lent {
            let text = "what a board has written is lost, as it does not answer: board, inode";
            self.me.log(text, [lease.board.into(), self.ino.into()]);
        }
        self.end_lease(Some(Errno::EHOSTDOWN)).await;
    }
}
