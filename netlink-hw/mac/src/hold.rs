//! With the token: what to send next, and what the answer means.

use crate::event::{Actions, Control, MacCommand, MacReport};
use crate::machine::Mac;
use crate::state::{MacState, Sending};
use crate::timing::{COLLISIONS_MAX, FRUITLESS_POLLS_MAX, JOIN_REFUSALS_MAX};
use renga_wire::bus::{BOARDS_MAX, BusLines, CONTROL_PAYLOAD_BYTES_MAX, Poll, SendError};
use renga_wire::frame::BROADCAST;
use renga_wire::{FrameKind, Header};

/// Times that a refused map is sent again with a later epoch.
const LEAPS_MAX: u8 = 4;

impl Mac {
    /// Has just got the token.
    pub(crate) fn take(&mut self, now_ns: u64, lines: BusLines, out: &mut Actions) {
        // A board that requests cannot distinguish its own ATN# from another's.
        let others = BusLines { attention: lines.attention && !self.drive().attention, ..lines };
        (self.ask, self.announce, self.fruitless, self.leaps) = (false, false, 0, 0);
        self.send_next(now_ns, others, 0, false, out);
    }

    /// Sends what is to be sent next, or lets go of the token; `wanting`: boards that want it, `sent`: it
    /// has sent its frame.
    pub(crate) fn send_next(&mut self, now_ns: u64, lines: BusLines, wanting: u8, sent: bool, out: &mut Actions) {
        let wanting = wanting & !self.own_bit();
        if self.ask {
            return self.send(now_ns, Sending::Poll, wanting, sent, out);
        }
        if self.announce {
            return self.send(now_ns, Sending::Map, wanting, sent, out);
        }
        if self.leaving {
            return self.go(now_ns, wanting, out);
        }
        if !self.member {
            return self.send(now_ns, Sending::Join, wanting, sent, out);
        }
        if self.demand && !(sent && wanting != 0 && !mutated!(self, NeverShares)) {
            return self.send(now_ns, Sending::Data, wanting, true, out);
        }
        if let Some(target) = self.next_of(wanting) {
            return self.pass(now_ns, target, out);
        }
        if lines.attention {
            return self.ask_who(now_ns, lines, sent, out);
        }
        self.park(now_ns, false);
    }

    /// A board wants the token: polls, but not for ever.
    fn ask_who(&mut self, now_ns: u64, lines: BusLines, sent: bool, out: &mut Actions) {
        if self.fruitless >= FRUITLESS_POLLS_MAX {
            out.report(MacReport::Stuck(lines));
            return self.park(now_ns, true);
        }
        self.fruitless += 1;
        self.send(now_ns, Sending::Poll, 0, sent, out);
    }

    fn park(&mut self, now_ns: u64, ignores_attention: bool) {
        (self.state, self.deadline_ns, self.fruitless) = (MacState::Park { ignores_attention }, None, 0);
        if ignores_attention {
            self.deadline_ns = Some(now_ns + self.setup.timing.fault_ns);
        }
    }

    /// Has the token, and no board has needed it yet.
    pub(crate) fn check_parked(&mut self, now_ns: u64, lines: BusLines, ignores_attention: bool, out: &mut Actions) {
        if lines.busy {
            return self.lose(now_ns); // another board has it too, and uses it
        }
        let other = self.map & !self.own_bit();
        if self.wants() {
            self.send_next(now_ns, lines, 0, false, out);
        } else if lines.attention && !ignores_attention {
            if other.count_ones() == 1 {
                self.send_next(now_ns, lines, other, false, out);
            } else {
                self.ask_who(now_ns, lines, false, out);
            }
        } else if !ignores_attention {
            self.park(now_ns, false);
        }
    }

    pub(crate) fn send(&mut self, now_ns: u64, sending: Sending, wanting: u8, sent: bool, out: &mut Actions) {
        self.enter(MacState::Hold { sending, wanting, sent }, now_ns, self.setup.timing.hold_ns);
        let (kind, destination) = match sending {
            Sending::Data => {
                out.command = Some(MacCommand::SendData);
                return;
            }
            Sending::Poll => (FrameKind::Poll, BROADCAST),
            Sending::Map => (FrameKind::Map, BROADCAST),
            Sending::Join => (FrameKind::Join, BROADCAST),
            Sending::Token { target } => (FrameKind::Token, target),
        };
        let mut payload = [0; CONTROL_PAYLOAD_BYTES_MAX];
        let bytes = match sending {
            Sending::Join => {
                payload = self.setup.serial.to_le_bytes();
                payload.len() as u8
            }
            Sending::Map | Sending::Token { .. } => {
                payload[0] = self.map;
                1
            }
            _ => 0,
        };
        let epoch = self.epoch.unwrap_or(0);
        let header = Header { kind, destination, source: self.setup.board, epoch, sequence: self.sequence };
        out.command = Some(MacCommand::SendControl(Control { header, payload, bytes }));
    }

    /// The frame has ended.
    pub(crate) fn sent(
        &mut self,
        now_ns: u64,
        lines: BusLines,
        destination: u8,
        result: Result<Poll, SendError>,
        out: &mut Actions,
    ) {
        let MacState::Hold { sending, sent, .. } = self.state else { return };
        let poll = match result {
            Ok(poll) => poll,
            Err(SendError::Collision) if !mutated!(self, IgnoresCollisions) => return self.back_off(now_ns),
            Err(_) => Poll(0),
        };
        self.collisions = 0;
        let wanting = poll.wanting(destination);
        match sending {
            Sending::Data => {
                if destination < BOARDS_MAX && !poll.took(destination) && !poll.refused(destination) {
                    self.ask |= self.map >> destination & 1 != 0;
                }
            }
            Sending::Poll => {
                // A new token's members are the boards that answer; later a new board sends a `Join`.
                self.map |= if self.announce { poll.takers() } else { 0 };
                self.ask = self.count_misses(poll.takers(), out);
            }
            Sending::Map if poll.refusers() & self.map != 0 && self.leaps < LEAPS_MAX => self.leap(),
            Sending::Map => (self.announce, self.leaps) = (false, 0),
            Sending::Join if self.is_refused(poll) => {
                self.refusals += 1;
                if self.refusals >= JOIN_REFUSALS_MAX {
                    return self.quarantine(now_ns, None, out);
                }
            }
            Sending::Join if poll.refusers() & self.map != 0 && self.leaps < LEAPS_MAX => self.announce = true,
            Sending::Join if self.is_unheard(poll) => {
                self.refusals = self.refusals % COLLISIONS_MAX + 1;
                if self.refusals >= JOIN_REFUSALS_MAX {
                    self.collisions = self.refusals - 1;
                    return self.back_off(now_ns);
                }
                self.ask = true;
            }
            Sending::Join => {
                (self.member, self.refusals) = (true, 0);
                self.map |= self.own_bit();
                out.report(MacReport::Member);
            }
            Sending::Token { target } => return self.token_sent(now_ns, target, poll, out),
        }
        self.send_next(now_ns, lines, wanting, sent, out);
    }

    /// Whether no board accepted its `Join` though others answer: another board of its number sends one at the same
    /// moment, neither hears the other, and both act alike until their serial numbers separate them.
    fn is_unheard(&self, poll: Poll) -> bool {
        let others = self.map & !self.own_bit();
        others != 0 && poll.takers() & others == 0
    }

    /// Whether its double has refused its `Join`.
    fn is_refused(&self, poll: Poll) -> bool {
        poll.refused(self.setup.board)
    }

    /// The owner wants to take part no more.
    pub(crate) fn leave(&mut self, now_ns: u64, lines: BusLines, out: &mut Actions) {
        self.leaving = true;
        match self.state {
            MacState::Idle { .. } if self.member => self.check_idle(now_ns, lines, out),
            MacState::Park { .. } => self.check_parked(now_ns, lines, false, out),
            MacState::Hold { .. }
            | MacState::Wire { .. }
            | MacState::Guard { .. }
            | MacState::Arb
            | MacState::Burst { .. } => {}
            _ => self.switch_off(out),
        }
    }

    /// Leaves: notifies the others, hands the token to one of them.
    fn go(&mut self, now_ns: u64, wanting: u8, out: &mut Actions) {
        if self.map & self.own_bit() != 0 {
            self.map &= !self.own_bit();
            self.next_epoch();
            return self.send(now_ns, Sending::Map, wanting, true, out);
        }
        match self.next_of(wanting).or(self.next_of(self.map)) {
            Some(target) => self.send_token(now_ns, target, out),
            None => self.switch_off(out),
        }
    }

    pub(crate) fn switch_off(&mut self, out: &mut Actions) {
        *self = self.fresh();
        out.report(MacReport::Off);
    }
}
