//! Without the token: requesting it, and claiming it when no board has it.

use crate::event::{Actions, MacCommand, MacReport};
use crate::machine::Mac;
use crate::state::MacState;
use crate::timing::{COLLISIONS_MAX, FAULT_ALARMS, STUCK_ALARMS};
use renga_wire::bus::{BOARDS_MAX, BusLines};

/// Bits of the serial number that a back-off after a further collision takes.
const SERIAL_BITS: u32 = 3;

impl Mac {
    /// Takes the token if it is offered; starts or stops requesting it.
    pub(crate) fn check_idle(&mut self, now_ns: u64, lines: BusLines, out: &mut Actions) {
        if lines.token_in && !self.taken && (!lines.busy || mutated!(self, TakesWhileBusy)) && self.member {
            self.taken = true;
            return self.take(now_ns, lines, out);
        }
        let MacState::Idle { asks, .. } = self.state else { return };
        let backs_off = !asks && self.deadline_ns.is_some();
        if self.wants() != asks && !backs_off {
            self.lose(now_ns);
        }
    }

    /// The alarm of a board that waits for the token.
    pub(crate) fn wait(&mut self, now_ns: u64, lines: BusLines, out: &mut Actions) {
        match self.state {
            MacState::Idle { .. } if !self.wants() => self.lose(now_ns),
            MacState::Idle { received: true, .. } if !mutated!(self, ClaimsAtOnce) => self.lose(now_ns),
            MacState::Idle { .. } if mutated!(self, NeverClaims) => self.lose(now_ns),
            MacState::Idle { .. } if !lines.busy || mutated!(self, ClaimsAtOnce) => {
                self.enter(MacState::Arb, now_ns, self.setup.timing.bid_ns);
                out.command = Some(MacCommand::Bid);
            }
            MacState::Idle { stuck, .. } => self.wait_stuck(now_ns, lines, stuck + 1, out),
            MacState::Burst { low: false, stuck } => {
                self.enter(MacState::Burst { low: true, stuck }, now_ns, self.setup.timing.burst_ns);
            }
            MacState::Burst { stuck, .. } => self.ask_on(now_ns, stuck),
            _ if lines.busy => self.enter(MacState::Fault, now_ns, self.setup.timing.fault_ns),
            _ => self.enter(MacState::Listen, now_ns, self.setup.timing.listen_ns),
        }
    }

    /// BUSY# is low, and no board talks.
    fn wait_stuck(&mut self, now_ns: u64, lines: BusLines, stuck: u8, out: &mut Actions) {
        if stuck == STUCK_ALARMS {
            self.enter(MacState::Burst { low: false, stuck }, now_ns, self.setup.timing.guard_ns);
        } else if stuck >= FAULT_ALARMS {
            (self.member, self.map) = (false, 0);
            self.enter(MacState::Fault, now_ns, self.setup.timing.fault_ns);
            out.report(MacReport::Stuck(lines));
        } else {
            self.ask_on(now_ns, stuck);
        }
    }

    fn ask_on(&mut self, now_ns: u64, stuck: u8) {
        let after_ns = self.claim_after_ns();
        self.enter(MacState::Idle { asks: true, received: false, stuck }, now_ns, after_ns);
    }

    /// After a collision: silent for a time that no other board waits, then claims.
    pub(crate) fn back_off(&mut self, now_ns: u64) {
        let attempt = u32::from(self.collisions);
        self.collisions = (self.collisions + 1) % (COLLISIONS_MAX + 1);
        self.lose(now_ns);
        if !self.wants() {
            return;
        }
        // Boards of one number wait alike until their serial numbers differ.
        let more = if attempt == 0 { 0 } else { self.setup.serial >> ((attempt - 1) * SERIAL_BITS) & 7 };
        let steps = u64::from(self.setup.board) + 1 + more * u64::from(BOARDS_MAX);
        let after_ns = steps * self.setup.timing.back_off_ns;
        self.enter(MacState::Idle { asks: false, received: false, stuck: 0 }, now_ns, after_ns);
    }

    /// The bids are known: the lowest number wins.
    pub(crate) fn bids(&mut self, now_ns: u64, lines: BusLines, bids: u16, out: &mut Actions) {
        if self.state != MacState::Arb {
            return;
        }
        if bids.trailing_zeros() != u32::from(self.setup.board) && !mutated!(self, AlwaysWins) {
            return self.lose(now_ns);
        }
        let epoch = self.epoch.map_or(1, |epoch| epoch.wrapping_add(1));
        self.epoch = Some(epoch);
        self.map |= 1 << self.setup.board;
        self.wire_misses = 0;
        self.state = MacState::Hold { sending: crate::Sending::Poll, wanting: 0, sent: false };
        (self.ask, self.announce, self.fruitless, self.leaps) = (true, true, 0, 0);
        out.report(MacReport::Regenerated { epoch });
        self.send_next(now_ns, lines, 0, false, out);
    }
}
