//! One board's state and the events that change it.

use crate::event::{Actions, MacCommand, MacEvent, MacReport, MacSetup};
use crate::state::MacState;
use crate::timing::EPOCH_LEAP;
use core::mem::discriminant;
use renga_wire::bus::{Answers, BusLines, Drive, WatchedLines, joined_serial, older};
use renga_wire::frame::BROADCAST;
use renga_wire::{FrameKind, Header, LinkFrame};

/// The token protocol of one board.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mac {
    pub(crate) setup: MacSetup,
    pub(crate) state: MacState,
    pub(crate) deadline_ns: Option<u64>,
    /// Frames of data wait.
    pub(crate) demand: bool,
    pub(crate) leaving: bool,
    /// It has said that it takes part, and is in the map.
    pub(crate) member: bool,
    /// The token's epoch.
    pub(crate) epoch: Option<u8>,
    /// The members, a bit each.
    pub(crate) map: u8,
    /// By board: answers in a row that a member owes.
    pub(crate) misses: [u8; 8],
    /// Hand-overs by wire in a row that failed.
    pub(crate) wire_misses: u8,
    /// TOK_IN# has been low since the token was last taken from it.
    pub(crate) taken: bool,
    /// Tokens sent in frames, wrapping.
    pub(crate) sequence: u8,
    /// The sender of the last token in a frame, and its number: the frame may come twice.
    pub(crate) last_token: Option<(u8, u8)>,
    /// Collisions, fruitless polls, refusals of its `Join`, leaps of its epoch: each in a row.
    pub(crate) collisions: u8,
    pub(crate) fruitless: u8,
    pub(crate) refusals: u8,
    pub(crate) leaps: u8,
    /// As holder: it has to poll the others, and to send them epoch and members.
    pub(crate) ask: bool,
    pub(crate) announce: bool,
    #[cfg(feature = "model")]
    pub(crate) mutant: Option<crate::model::Mutant>,
}

impl Mac {
    /// A board that is off.
    pub const fn new(setup: MacSetup) -> Mac {
        Mac {
            setup,
            state: MacState::Off,
            deadline_ns: None,
            demand: false,
            leaving: false,
            member: false,
            epoch: None,
            map: 0,
            misses: [0; 8],
            wire_misses: 0,
            taken: false,
            sequence: 0,
            last_token: None,
            collisions: 0,
            fruitless: 0,
            refusals: 0,
            leaps: 0,
            ask: false,
            announce: false,
            #[cfg(feature = "model")]
            mutant: None,
        }
    }

    /// Takes an event; `lines` are as they were at `now_ns`, before anything that follows from it.
    pub fn step(&mut self, now_ns: u64, lines: BusLines, event: MacEvent<'_>) -> Actions {
        let (mut out, before) = (Actions::default(), discriminant(&self.state));
        self.taken &= lines.token_in;
        if lines.received && !mutated!(self, IgnoresOthers) {
            self.note_traffic(now_ns, &mut out);
        }
        match event {
            MacEvent::Started => self.start(now_ns),
            MacEvent::Leave => self.leave(now_ns, lines, &mut out),
            MacEvent::Demand(demand) => {
                self.demand = demand;
                self.check_lines(now_ns, lines, &mut out);
            }
            MacEvent::Lines => self.check_lines(now_ns, lines, &mut out),
            MacEvent::Frame(frame) => self.receive(now_ns, lines, frame, &mut out),
            MacEvent::Sent { destination, result } => self.sent(now_ns, lines, destination, result, &mut out),
            MacEvent::Bids(bids) => self.bids(now_ns, lines, bids, &mut out),
            MacEvent::Time => {
                if self.deadline_ns.is_some_and(|at_ns| at_ns <= now_ns) {
                    self.deadline_ns = None;
                    self.time(now_ns, lines, &mut out);
                }
            }
        }
        // The phy takes it that the lines are known now, whatever the event was.
        let waits = discriminant(&self.state) == before && !matches!(event, MacEvent::Lines | MacEvent::Demand(_));
        if waits && out.command.is_none() && !mutated!(self, MissesLines) {
            self.check_lines(now_ns, lines, &mut out);
        }
        out
    }

    /// What the board is.
    pub fn setup(&self) -> &MacSetup {
        &self.setup
    }
    /// The state.
    pub fn state(&self) -> MacState {
        self.state
    }
    /// Whether it has the token for itself: another board that has too is one too many.
    pub fn has_token(&self) -> bool {
        matches!(self.state, MacState::Hold { .. } | MacState::Park { .. })
    }
    /// Whether it takes part.
    pub fn is_member(&self) -> bool {
        self.member
    }
    /// The members that it knows of, a bit each.
    pub fn members(&self) -> u8 {
        self.map
    }
    /// The token's epoch, if known.
    pub fn epoch(&self) -> Option<u8> {
        self.epoch
    }
    /// When it wants [`MacEvent::Time`], ns.
    pub fn deadline_ns(&self) -> Option<u64> {
        self.deadline_ns
    }

    /// What the board pulls low from now on.
    pub fn drive(&self) -> Drive {
        let (busy, attention, token_out) = match self.state {
            MacState::Idle { asks, .. } => (false, asks, false),
            MacState::Burst { low, .. } => (false, low, false),
            MacState::Arb => (true, true, false),
            MacState::Hold { .. } => (true, false, false),
            MacState::Park { .. } if mutated!(self, ParksBusy) => (true, false, false),
            MacState::Wire { .. } => (false, false, true),
            _ => (false, false, false),
        };
        Drive { busy, attention, token_out }
    }

    /// The lines whose change it needs to see, if TOK_IN# is as in `lines`.
    pub fn watch(&self, lines: BusLines) -> WatchedLines {
        match self.state {
            // Offered while another board still uses it: the end of that matters.
            MacState::Idle { .. } => WatchedLines {
                token_in: self.member,
                busy: self.member && lines.token_in && !self.taken,
                attention: false,
            },
            MacState::Park { ignores_attention } => WatchedLines {
                attention: !ignores_attention && !mutated!(self, ParksIgnoring),
                ..WatchedLines::default()
            },
            MacState::Wire { .. } => WatchedLines { busy: true, ..WatchedLines::default() },
            _ => WatchedLines::default(),
        }
    }

    /// How the board answers frames from now on.
    pub fn answers(&self) -> Answers {
        let (present, wants) = match self.state {
            MacState::Off | MacState::Listen | MacState::Fault | MacState::Quarantine => (false, false),
            MacState::Idle { .. } | MacState::Burst { .. } => (true, self.wants()),
            _ => (true, false),
        };
        Answers { board: self.setup.board, present, wants, epoch: self.epoch, serial: self.setup.serial }
    }

    pub(crate) fn wants(&self) -> bool {
        self.demand || self.leaving || !self.member
    }

    /// The board in its initial state.
    pub(crate) fn fresh(&self) -> Mac {
        Mac {
            #[cfg(feature = "model")]
            mutant: self.mutant,
            ..Mac::new(self.setup)
        }
    }

    fn start(&mut self, now_ns: u64) {
        *self = Mac { demand: self.demand, ..self.fresh() };
        self.enter(MacState::Listen, now_ns, self.setup.timing.listen_ns);
    }

    pub(crate) fn enter(&mut self, state: MacState, now_ns: u64, after_ns: u64) {
        (self.state, self.deadline_ns) = (state, Some(now_ns + after_ns));
    }

    /// Another board has talked: so it has the token.
    fn note_traffic(&mut self, now_ns: u64, out: &mut Actions) {
        match &mut self.state {
            MacState::Idle { received, stuck, .. } => (*received, *stuck) = (true, 0),
            MacState::Burst { .. } | MacState::Park { .. } => self.lose(now_ns),
            MacState::Wire { .. } | MacState::Guard { .. } => self.handed_on(now_ns, out),
            MacState::Hold { .. } | MacState::Arb => {
                out.command = Some(MacCommand::Abort);
                self.lose(now_ns);
            }
            _ => {}
        }
    }

    /// Has no token any more, if it had one.
    pub(crate) fn lose(&mut self, now_ns: u64) {
        let asks = self.wants();
        self.state = MacState::Idle { asks, received: false, stuck: 0 };
        self.deadline_ns = asks.then(|| now_ns + self.claim_after_ns());
        (self.ask, self.announce, self.fruitless, self.leaps) = (false, false, 0, 0);
    }

    pub(crate) fn claim_after_ns(&self) -> u64 {
        self.setup.timing.claim_after_ns(self.setup.board)
    }

    /// Samples lines and demand, in any state.
    fn check_lines(&mut self, now_ns: u64, lines: BusLines, out: &mut Actions) {
        match self.state {
            MacState::Idle { .. } => self.check_idle(now_ns, lines, out),
            MacState::Park { ignores_attention } => self.check_parked(now_ns, lines, ignores_attention, out),
            MacState::Wire { .. } if lines.busy => self.handed_on(now_ns, out),
            _ => {}
        }
    }

    fn time(&mut self, now_ns: u64, lines: BusLines, out: &mut Actions) {
        match self.state {
            MacState::Off => {}
            MacState::Listen => self.lose(now_ns),
            MacState::Idle { .. } | MacState::Burst { .. } | MacState::Fault => self.wait(now_ns, lines, out),
            MacState::Quarantine => self.start(now_ns),
            MacState::Arb | MacState::Hold { .. } => {
                out.command = Some(MacCommand::Abort);
                self.lose(now_ns);
            }
            MacState::Park { .. } => self.check_parked(now_ns, lines, false, out),
            MacState::Wire { target } => self.wire_time(now_ns, lines, target, out),
            MacState::Guard { target } => self.guard_time(now_ns, lines, target, out),
        }
    }

    /// Takes a frame of the protocol.
    fn receive(&mut self, now_ns: u64, lines: BusLines, frame: LinkFrame<'_>, out: &mut Actions) {
        let LinkFrame { header, payload } = frame;
        if matches!(self.state, MacState::Off | MacState::Fault) {
            return;
        }
        if header.source == self.setup.board {
            return self.receive_own(now_ns, header, payload, out);
        }
        if self.state == MacState::Quarantine || self.epoch.is_some_and(|epoch| older(header.epoch, epoch)) {
            return;
        }
        let addressed = [self.setup.board, BROADCAST].contains(&header.destination);
        match (header.kind, payload.first()) {
            (FrameKind::Map, Some(&map)) if addressed => self.receive_map(now_ns, header.epoch, map, out),
            (FrameKind::Poll, _) => self.see_epoch(header.epoch),
            (FrameKind::Join, _) if addressed => self.receive_join(header, payload, out),
            (FrameKind::Token, Some(&map)) if addressed => self.receive_token(now_ns, lines, header, map, out),
            _ => {}
        }
    }

    /// A frame that names this board as its source: it has a double.
    fn receive_own(&mut self, now_ns: u64, header: Header, payload: &[u8], out: &mut Actions) {
        let other = joined_serial(payload).filter(|_| header.kind == FrameKind::Join);
        if other.is_some_and(|serial| serial != self.setup.serial) {
            self.quarantine(now_ns, other, out);
        } else if self.state != MacState::Quarantine && header.kind != FrameKind::Join {
            self.member = false; // joins again
            self.listen_again(now_ns);
        }
    }

    pub(crate) fn quarantine(&mut self, now_ns: u64, other: Option<u64>, out: &mut Actions) {
        if self.state != MacState::Quarantine {
            out.report(MacReport::Duplicate { other });
        }
        if matches!(self.state, MacState::Hold { .. } | MacState::Arb) {
            out.command = Some(MacCommand::Abort);
        }
        *self = Mac { demand: self.demand, leaving: self.leaving, ..self.fresh() };
        self.enter(MacState::Quarantine, now_ns, self.setup.timing.quarantine_ns);
    }

    /// Starts requesting if it has come to want the token.
    pub(crate) fn listen_again(&mut self, now_ns: u64) {
        if matches!(self.state, MacState::Idle { asks: false, .. }) && self.wants() && self.deadline_ns.is_none() {
            self.lose(now_ns);
        }
    }

    /// A board that was refused as old takes an epoch that is not.
    pub(crate) fn leap(&mut self) {
        self.leaps += 1;
        self.epoch = Some(self.epoch.unwrap_or(0).wrapping_add(EPOCH_LEAP));
    }

    pub(crate) fn next_sequence(&mut self) {
        self.sequence = self.sequence.wrapping_add(1);
    }
}
