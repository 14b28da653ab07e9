//! Handing the token on: by wire to the next board, or in a frame to any.

use crate::event::Actions;
use crate::machine::Mac;
use crate::state::{MacState, Sending};
use crate::timing::WIRE_MISSES_MAX;
use renga_wire::bus::{BusLines, Poll};

impl Mac {
    /// Hands the token to `target`, which wants it.
    pub(crate) fn pass(&mut self, now_ns: u64, target: u8, out: &mut Actions) {
        let neighbour = self.next_of(self.map) == Some(target);
        if neighbour && self.wire_misses < WIRE_MISSES_MAX {
            self.enter(MacState::Wire { target }, now_ns, self.setup.timing.pass_ns);
        } else {
            self.send_token(now_ns, target, out);
        }
    }

    pub(crate) fn send_token(&mut self, now_ns: u64, target: u8, out: &mut Actions) {
        self.send(now_ns, Sending::Token { target }, 0, true, out);
    }

    /// Another board has the token.
    pub(crate) fn handed_on(&mut self, now_ns: u64, out: &mut Actions) {
        if matches!(self.state, MacState::Wire { .. }) {
            self.wire_misses = 0;
        }
        if mutated!(self, KeepsItsToken) {
            self.state = MacState::Park { ignores_attention: false };
            self.deadline_ns = None;
            return;
        }
        if self.leaving && self.map & self.own_bit() == 0 {
            return self.switch_off(out);
        }
        self.lose(now_ns);
    }

    /// No board has answered TOK_OUT#, or the answer was missed.
    pub(crate) fn wire_time(&mut self, now_ns: u64, lines: BusLines, target: u8, out: &mut Actions) {
        if lines.busy {
            return self.handed_on(now_ns, out);
        }
        if mutated!(self, OffersForEver) {
            return self.enter(MacState::Wire { target }, now_ns, self.setup.timing.pass_ns);
        }
        self.wire_misses += 1;
        self.enter(MacState::Guard { target }, now_ns, self.setup.timing.guard_ns);
    }

    /// The token was sent in a frame.
    pub(crate) fn token_sent(&mut self, now_ns: u64, target: u8, poll: Poll, out: &mut Actions) {
        if poll.took(target) {
            self.next_sequence();
            return self.handed_on(now_ns, out);
        }
        if poll.refused(target) {
            return self.lose(now_ns); // this token is an old one
        }
        self.count_miss(target, out);
        self.ask = true;
        self.enter(MacState::Guard { target }, now_ns, self.setup.timing.guard_ns);
    }

    /// The moment after an unanswered hand-over is over.
    pub(crate) fn guard_time(&mut self, now_ns: u64, lines: BusLines, target: u8, out: &mut Actions) {
        if lines.busy && !mutated!(self, NeverSamplesAgain) {
            return self.handed_on(now_ns, out); // it came through after all
        }
        if self.ask {
            self.send_next(now_ns, lines, 0, true, out); // polls before it tries again
        } else {
            self.send_token(now_ns, target, out);
        }
    }
}
