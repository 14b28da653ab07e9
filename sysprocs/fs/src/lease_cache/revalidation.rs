//! How long what is cached may be granted after the last sign of the session in which it is cached.
//!
//! Revocations do not reach a board that is cut off, and it does not know it: it awaits nothing. So when nothing has
//! come from the disk's board for [`SIGN_NS`] to twice that, the cache serves no entry until something comes. It
//! refers callers to the disk's board meanwhile: either a reply comes, and all entries are good again, or the session
//! ends, and all of them go.
//!
//! Invariant: while there is no revalidation a check of the arrivals is due, unless nothing was ever cached. Not
//! here: the end of a session (`renga_router`).

use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me};

/// From one check to the next, ns: ten times the silence after which an awaited board is dead.
const SIGN_NS: u64 = 1_000_000_000;

pub(super) struct Revalidation {
    sessions: &'static Sessions,
    file_board: u8,
    /// The arrivals at the last check.
    arrivals: u32,
    doubtful: bool,
    checks: bool,
}

impl Revalidation {
    pub(super) fn new(sessions: &'static Sessions, file_board: u8) -> Revalidation {
        Revalidation { sessions, file_board, arrivals: 0, doubtful: false, checks: false }
    }

    /// Before something is granted.
    ///
    /// # Errors
    /// `EAGAIN`: call the disk's board.
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
        (board == self.file_board).then(|| self.sessions.now(board))
    }

    fn has_arrivals(&self) -> bool {
        self.sessions.arrivals(self.file_board) != self.arrivals
    }

    /// Something is cached, of which the disk's board has reported just now.
    pub(super) fn renew(&mut self, me: &mut Me) {
        self.doubtful = false;
        if !self.checks {
            self.poll_later(me);
        }
    }

    fn poll_later(&mut self, me: &mut Me) {
        (self.arrivals, self.checks) = (self.sessions.arrivals(self.file_board), true);
        me.notify_at(Some(me.now_ns() + SIGN_NS));
    }

    /// Checks whether something has come since the last time.
    pub(super) fn poll(&mut self, me: &mut Me) {
        if self.has_arrivals() {
            return self.poll_later(me);
        }
        (self.doubtful, self.checks) = (true, false);
    }
}
