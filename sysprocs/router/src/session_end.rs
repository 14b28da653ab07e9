//! The end of a session with a board: its remains here, and when the next may begin.
//!
//! Invariant: waiting callers are answered at once. Calls of the other board that are under way are cancelled and their
//! replies dropped. Then `membership` reports the failure to the servers here; only then may a new session come up. So
//! no server is called by two incarnations of a board at a time, nor by one whose end was reported to it.

use crate::router_memory::SessionClosing;
use crate::router_state::Router;
use crate::session::link_session::SessionState;
use crate::stats::add;
use renga_phy::Phy;

impl<D: Phy + 'static> Router<D> {
    /// SessionEnds the session with `board`, if it was up, or the wait for one.
    pub(crate) fn end_session(&mut self, board: u8, state: SessionState) {
        let now_ns = self.now_ns;
        let peer = self.peer(board);
        let (was_up, waiting) = (peer.session.state() == SessionState::Up, peer.waiting);
        peer.session.end(now_ns, state);
        peer.send_queue.clear();
        if was_up {
            self.memory.sessions.end(board);
            let peer = self.peer(board);
            peer.closing = SessionClosing::Open { reported: false, hello_waits: false };
            self.closing = true;
        }
        self.unsettled = true;
        let text = if state == SessionState::Dead { "a board is dead: board, callers waiting" } else { REBOOTED };
        self.me.log(text, [u64::from(board), u64::from(waiting)]);
        add(&self.memory.stats.deaths, u64::from(state == SessionState::Dead));
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
        self.end_session(board, SessionState::Dead);
    }

    /// Takes the next step of what is left of ended sessions, if it may be taken.
    pub(crate) fn continue_closing(&mut self) {
        if !core::mem::take(&mut self.closing) {
            return;
        }
        for board in self.peers() {
            let SessionClosing::Open { reported, hello_waits } = self.peer(board).closing else { continue };
            if !reported && !self.has_stale(board) {
                self.memory.ends.begin(board);
                self.peer(board).closing = SessionClosing::Open { reported: true, hello_waits };
            }
            if (reported || !self.has_stale(board)) && !self.memory.ends.is_pending(board) {
                self.peer(board).closing = SessionClosing::Done;
                if hello_waits {
                    self.peer(board).session.answer_hello();
                }
            } else {
                self.closing = true;
            }
        }
    }
}

const REBOOTED: &str = "a board has rebooted: board, callers waiting";
