//! The end of a session with a board: what it leaves here, and when the next may begin.
//!
//! Invariants: callers that wait are answered at once. Calls of the other board that are under way are
//! interrupted and end for nobody; when they are done, `membership` tells the servers here; only then
//! may a new session come up. So no server is ever called by two lives of a board at a time, and none
//! is called by a life that it has been told is over.

use crate::router::Router;
use crate::session::State;
use crate::stats::add;
use renga_phy::Phy;

/// What is left of the last session with a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closing {
    /// Nothing.
    Done,
    /// Its calls are still being made, or the servers here are being told; the board has greeted meanwhile.
    Open {
        /// `membership` has been asked.
        reported: bool,
        /// The board has greeted, and not been answered.
        greeted: bool,
    },
}

impl Closing {
    /// Notes a greeting if it cannot be answered yet, and says so.
    pub(crate) fn put_off(&mut self) -> bool {
        match self {
            Closing::Done => false,
            Closing::Open { greeted, .. } => {
                *greeted = true;
                true
            }
        }
    }
}

impl<D: Phy + 'static> Router<D> {
    /// Ends the session with `board`, if it was up, or the wait for one.
    pub(crate) fn end_session(&mut self, board: u8, state: State) {
        let now_ns = self.now_ns;
        let peer = self.peer(board);
        let (was_up, waiting) = (peer.session.state() == State::Up, peer.waiting);
        peer.session.end(now_ns, state);
        peer.jobs.clear();
        if was_up {
            self.memory.sessions.end(board);
            let peer = self.peer(board);
            peer.closing = Closing::Open { reported: false, greeted: false };
            self.closing = true;
        }
        self.unsettled = true;
        let text = if state == State::Dead { "a board is dead: board, callers waiting" } else { BEGUN_ANEW };
        self.me.log(text, [u64::from(board), u64::from(waiting)]);
        add(&self.memory.stats.deaths, u64::from(state == State::Dead));
        self.fail_calls(board);
        self.forget_calls(board);
        self.forget_copies(board);
        self.start_work();
        self.continue_closing();
    }

    /// A fragment of `board` breaks the protocol: nothing of that session can be trusted.
    pub(crate) fn refuse(&mut self, board: u8) {
        add(&self.memory.stats.refused, 1);
        self.me.log(
            "a board breaks the protocol of the link: board, frames refused",
            [u64::from(board), self.memory.stats.refused.get()],
        );
        self.end_session(board, State::Dead);
    }

    /// Takes the next step of what is left of ended sessions, if it may be taken.
    pub(crate) fn continue_closing(&mut self) {
        if !core::mem::take(&mut self.closing) {
            return;
        }
        for board in self.peers() {
            let Closing::Open { reported, greeted } = self.peer(board).closing else { continue };
            if !reported && !self.has_stale(board) {
                self.memory.ends.begin(board);
                self.peer(board).closing = Closing::Open { reported: true, greeted };
            }
            if (reported || !self.has_stale(board)) && !self.memory.ends.is_pending(board) {
                self.peer(board).closing = Closing::Done;
                if greeted {
                    self.peer(board).session.greet_back();
                }
            } else {
                self.closing = true;
            }
        }
    }
}

const BEGUN_ANEW: &str = "a board has begun anew: board, callers waiting";
