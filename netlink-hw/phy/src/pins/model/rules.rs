//! The rules of the bus as the wires show them, watched while pins change and are read.
//!
//! Not here: what a rule is called (`monitor`).

use super::harness::PINS;
use super::monitor::Rule;
use super::state::{DATA, ModelState};
use crate::pins::Handshake;
use crate::pins::wiring::HarnessLine;

/// A spike starts at most so long after a line was released, and lasts at most so long, ns.
const SPIKE_DELAY_NS: u64 = 10;
const SPIKE_NS: u64 = 6;

impl ModelState {
    /// Rules of strobe and data, before `pin` changes.
    pub(super) fn watch_before(&mut self, board: usize, pin: usize, old: Option<bool>, new: Option<bool>, at_ns: u64) {
        let Some(handshake) = self.monitor.handshake else { return };
        let strobe = usize::from(HarnessLine::Strobe.pin());
        let talker = board as u8;
        let calls = self.boards[board].pins[usize::from(HarnessLine::Attention.pin())].driven.is_some();
        let high = |line: HarnessLine| !self.is_pulled(board, line);
        let answered = match (self.boards[board].pins[strobe].latch, handshake) {
            (false, _) => high(HarnessLine::NotAccepted),
            (true, Handshake::TwoEdge) => high(HarnessLine::NotReady),
            (true, Handshake::ThreeWire) => true,
        };
        if pin == strobe && old.is_some() && new.is_some() {
            let early = match new {
                Some(false) => !high(HarnessLine::NotReady),
                _ => !high(HarnessLine::NotAccepted) && !calls,
            };
            if early {
                self.monitor.report(at_ns, pin as u8, Rule::StrobeTooEarly { talker });
            }
            if new == Some(false) || handshake == Handshake::TwoEdge {
                self.watch_settled(board, at_ns);
            }
        } else if DATA >> pin & 1 != 0 && self.boards[board].pins[strobe].driven.is_some() && !answered && !calls {
            self.monitor.report(at_ns, pin as u8, Rule::DataTooEarly { talker });
        }
    }

    fn watch_settled(&mut self, board: usize, at_ns: u64) {
        self.monitor.pending = true;
        for pin in (0..PINS).filter(|pin| DATA >> pin & 1 != 0) {
            let state = self.boards[board].pins[pin];
            let before_ns = at_ns - state.changed_ns;
            if state.driven.is_some() && before_ns < self.monitor.settle_ns {
                self.monitor.report(at_ns, pin as u8, Rule::Unsettled { talker: board as u8, before_ns });
            }
        }
    }

    /// Rules of the wire, after `pin` has changed.
    pub(super) fn watch_after(&mut self, board: usize, pin: usize, released: bool, at_ns: u64) {
        let net = &mut self.nets[self.boards[board].pins[pin].net];
        if let Some((high, low)) = net.contenders() {
            self.monitor.report(at_ns, pin as u8, Rule::Contention { high, low });
        }
        // The released current passes to the boards that still pull: a short rise on the way.
        let spike = released && net.pulled_low_by_another(board as u8);
        if spike && self.random.per_mille(self.spikes_per_mille) {
            let from_ns = at_ns + self.random.below(SPIKE_DELAY_NS);
            net.spike(from_ns, from_ns + 1 + self.random.below(SPIKE_NS));
        }
    }

    /// A data wire between the thresholds, while a strobe is out that not all have answered.
    pub(super) fn watch_undefined(&mut self, reader: usize, pin: usize, at_ns: u64) {
        let strobe = usize::from(HarnessLine::Strobe.pin());
        let Some(handshake) = self.monitor.handshake.filter(|_| DATA >> pin & 1 != 0 && self.monitor.pending) else {
            return;
        };
        let talker = (0..self.boards.len()).find(|board| self.boards[*board].pins[strobe].driven.is_some());
        let Some(talker) = talker.filter(|talker| *talker != reader) else { return };
        let low = !self.boards[talker].pins[strobe].latch;
        let answer = if low { HarnessLine::NotAccepted } else { HarnessLine::NotReady };
        if !self.is_pulled(talker, answer) || !low && handshake == Handshake::ThreeWire {
            self.monitor.pending = false;
        } else if self.boards[talker].pins[pin].driven.is_some() {
            self.monitor.report(at_ns, pin as u8, Rule::Undefined { reader: reader as u8 });
        }
    }
}
