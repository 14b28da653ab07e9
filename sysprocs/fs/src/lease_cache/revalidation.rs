//! How long what is cached may be granted after the last sign of the session in which it is cached.
//!
//! A board that is cut off is not reached by revokes, and does not know it: it awaits nothing. So when nothing has come from the
//! disk's board for [`SIGN_NS`] to twice that, what is cached is granted to nobody until something comes. A caller that asks is referred there
//! meanwhile: either an answer comes, and all that is cached is good again, or the session ends, and all of it goes.
//!
//! Invariant: while there is no revalidation a look at what has come is due, unless nothing was ever cached. Not here: what ends a session (`renga_router`).

use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me};

/// From one look to the next, ns: ten times the silence after which a board that is awaited is dead.
const SIGN_NS: u64 = 1_000_000_000;

pub(super) struct Revalidation {
    sessions: &'static Sessions,
    disk_board: u8,
    /// What had come at the last look.
    arrivals: u32,
    doubtful: bool,
    looks: bool,
}

impl Revalidation {
    pub(super) fn new(sessions: &'static Sessions, disk_board: u8) -> Revalidation {
        Revalidation { sessions, disk_board, arrivals: 0, doubtful: false, looks: false }
    }

    /// Before something is granted.
    ///
    /// # Errors
    /// `EAGAIN`: the disk's board is to be asked.
    pub(super) fn check(&mut self, me: &mut Me) -> Result<(), Errno> {
        if !self.doubtful {
            return Ok(());
        }
        if self.has_arrivals() {
            self.renew(me);
        }
        if self.doubtful { Err(Errno::EAGAIN) } else { Ok(()) }
    }

    /// The session with the owner that begins when `board` has failed, if that is the owner.
    pub(super) fn next_session(&self, board: u8) -> Option<u32> {
        (board == self.disk_board).then(|| self.sessions.now(board))
    }

    fn has_arrivals(&self) -> bool {
        self.sessions.arrivals(self.disk_board) != self.arrivals
    }

    /// Something is cached, of which the disk's board has reported just now.
    pub(super) fn renew(&mut self, me: &mut Me) {
        self.doubtful = false;
        if !self.looks {
            self.poll_later(me);
        }
    }

    fn poll_later(&mut self, me: &mut Me) {
        (self.arrivals, self.looks) = (self.sessions.arrivals(self.disk_board), true);
        me.notify_at(Some(me.now_ns() + SIGN_NS));
    }

    /// Looks whether something has come since the last time.
    pub(super) fn poll(&mut self, me: &mut Me) {
        if self.has_arrivals() {
            return self.poll_later(me);
        }
        (self.doubtful, self.looks) = (true, false);
    }
}
