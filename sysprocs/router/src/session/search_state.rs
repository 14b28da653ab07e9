//! A session as a state of a search: equality and hash without times.
//!
//! Invariant: sessions that are equal here do the same from now on, given the same times from 0 on. Not here: the
//! search (`tools/model`).

use crate::session::link_session::{Session, SessionState};
use core::hash::{Hash, Hasher};

/// A question that was repeated is not measured; how often it was does not matter.
const TIMES_MAX: u16 = 2;

impl Session {
    /// The epoch that its frames have.
    pub fn epoch(&self) -> u8 {
        self.epoch
    }

    /// Takes all that has happened to have happened at 0.
    pub fn forget_times(&mut self) {
        (self.hello_at_ns, self.flow.progress_ns, self.flow.received_ns, self.flow.round_trip_ns) = (0, 0, 0, 0);
        self.hello_until_ns = if self.state == SessionState::Hello { self.timing.dead_ns } else { 0 };
        self.hello_sent_ns = None;
        if let Some(question) = &mut self.flow.outstanding {
            (question.at_ns, question.times) = (0, question.times.min(TIMES_MAX));
        }
        self.flow.timed = None;
        self.flow.acknowledge_at_ns = self.flow.acknowledge_at_ns.map(|_| 0);
    }

    fn figures(&self) -> impl Hash + Eq + use<> {
        let epochs = (self.state as u8, self.epoch, self.peer_epoch, self.number, self.hello_due);
        let window = (self.flow.base, self.flow.built, self.flow.sent, self.flow.reached, self.watched);
        let questions = (
            self.flow.outstanding.map(|question| (question.times, question.behind)),
            self.flow.ask_due,
            self.flow.question,
        );
        let receiving =
            (self.flow.heard_question, self.flow.expected, self.flow.unacknowledged, self.flow.acknowledge_now);
        (epochs, window, questions, receiving, self.flow.acknowledge_at_ns, self.flow.gap as u8)
    }

    fn frames(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.flow.built).map(|place| {
            let slot = &self.window[usize::from(self.flow.base.wrapping_add(place)) % self.window.len()];
            // Sending writes a new acknowledgement.
            let start = renga_wire::HEADER_BYTES + 1;
            &slot.bytes[start..start - 1 + usize::from(slot.payload_bytes)]
        })
    }
}

impl Hash for Session {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.figures().hash(state);
        self.frames().for_each(|frame| frame.hash(state));
    }
}

impl PartialEq for Session {
    fn eq(&self, other: &Session) -> bool {
        self.figures() == other.figures() && self.frames().eq(other.frames())
    }
}

impl Eq for Session {}
