//! One board of the abstract bus: the real protocol, and what its phy would know.

use renga_mac::model::Mutant;
use renga_mac::{Control, Mac, MacCommand, MacEvent, MacSetup, MacState, TokenTiming};
use renga_wire::LinkFrame;
use renga_wire::bus::{BusLines, Drive, Poll, SendError, WatchedLines};

/// The time at every step: boards' times are moved back instead.
pub const NOW_NS: u64 = 1_000_000;
/// Events that a board may take in one tick.
const EVENTS_MAX: usize = 12;

/// Times in ticks of the model, in the order of sizes that they have on wires.
pub const TIMING: TokenTiming = TokenTiming {
    listen_ns: 4,
    pass_ns: 6,
    guard_ns: 3,
    claim_ns: 18,
    claim_step_ns: 4,
    back_off_ns: 4,
    bid_ns: 5,
    hold_ns: 14,
    burst_ns: 3,
    fault_ns: 12,
    quarantine_ns: 40,
};

/// A frame on the wire; one of data without `control`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TokenTalk {
    /// What it says, if it belongs to the protocol.
    pub control: Option<Control>,
    /// Ticks until it ends.
    pub left: u8,
    /// Another board talks too.
    pub collided: bool,
}

/// One board.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TokenBoard {
    /// The protocol.
    pub mac: Mac,
    /// It runs.
    pub on: bool,
    /// A frame of data waits.
    pub demand: bool,
    /// Whenever one was sent, the next waits already.
    pub endless: bool,
    /// What others see of it in this tick.
    pub seen: Drive,
    /// The lines as it knows them.
    reported: BusLines,
    /// Another board has talked since its last sample.
    pub received: bool,
    /// The end of its frame, with the receiver.
    pub sent: Option<(u8, Result<Poll, SendError>)>,
    /// The bids.
    pub bids: Option<u16>,
    /// Ticks until its bid ends.
    pub bidding: u8,
    /// Frames of the protocol that it has not processed.
    pub frames: Vec<Control>,
    /// Its frame on the wire.
    pub talk: Option<TokenTalk>,
    /// It did nothing in the last tick.
    pub late: bool,
    /// The last token that came in a frame.
    pub last_token: Option<Control>,
    /// It has created a token since the world's start.
    pub regenerated: bool,
    /// It has begun to use the bus, or to bid, while it saw BUSY# low; or it lost the bids, or heard another
    /// talk, and went on.
    pub rude: bool,
}

impl TokenBoard {
    /// Board `number`, which is to be started.
    pub fn new(number: u8, mutant: Option<Mutant>) -> TokenBoard {
        let mut mac = Mac::new(MacSetup { board: number, serial: u64::from(number), timing: TIMING });
        mac.mutate(mutant);
        TokenBoard {
            mac,
            on: false,
            demand: false,
            endless: false,
            seen: Drive::default(),
            reported: BusLines::default(),
            received: false,
            sent: None,
            bids: None,
            bidding: 0,
            frames: Vec::new(),
            talk: None,
            late: false,
            last_token: None,
            regenerated: false,
            rude: false,
        }
    }

    /// Switches it off, in the middle of whatever it does.
    pub fn crash(&mut self, mutant: Option<Mutant>) {
        let (regenerated, rude) = (self.regenerated, self.rude);
        *self = TokenBoard { regenerated, rude, ..TokenBoard::new(self.mac.setup().board, mutant) };
    }

    /// Switches it on.
    pub fn start(&mut self) {
        self.on = true;
        self.step(BusLines::default(), MacEvent::Started);
    }

    fn number(&self) -> u8 {
        self.mac.setup().board
    }

    /// Whether it has anything to do, the lines being as they are.
    pub fn is_due(&self, lines: BusLines) -> bool {
        let watch = self.mac.watch(lines);
        let news = self.sent.is_some() || self.bids.is_some() || !self.frames.is_empty();
        let due = self.mac.deadline_ns().is_some_and(|at_ns| at_ns <= NOW_NS);
        self.on && (news || due || self.lines_changed(lines, watch))
    }

    fn lines_changed(&self, lines: BusLines, watch: WatchedLines) -> bool {
        watch.busy && lines.busy != self.reported.busy
            || watch.attention && lines.attention != self.reported.attention
            || watch.token_in && lines.token_in != self.reported.token_in
    }

    /// Does what it has to do; `lines`: as others pull them.
    pub fn act(&mut self, others: BusLines) {
        for _ in 0..EVENTS_MAX {
            let lines = self.lines(others);
            if !self.is_due(lines) {
                return;
            }
            if let Some((destination, result)) = self.sent.take() {
                self.check(destination, result);
                self.step(others, MacEvent::Sent { destination, result });
            } else if let Some(bids) = self.bids.take() {
                self.step(others, MacEvent::Bids(bids));
            } else if !self.frames.is_empty() {
                let control = self.frames.remove(0);
                let payload = &control.payload[..usize::from(control.bytes)];
                self.step(others, MacEvent::Frame(LinkFrame { header: control.header, payload }));
            } else if self.mac.deadline_ns().is_some_and(|at_ns| at_ns <= NOW_NS) {
                self.step(others, MacEvent::Time);
            } else {
                self.step(others, MacEvent::Lines);
            }
        }
    }

    /// Reports to the protocol that a frame waits, or none.
    pub fn set_demand(&mut self, others: BusLines, demand: bool) {
        self.demand = demand;
        self.step(others, MacEvent::Demand(demand));
    }

    /// A frame that was taken waits no more; nor does one for a board that is not there.
    fn check(&mut self, destination: u8, result: Result<Poll, SendError>) {
        let data = matches!(self.mac.state(), MacState::Hold { sending: renga_mac::Sending::Data, .. });
        if !data || result == Err(SendError::Collision) {
            return;
        }
        let poll = result.unwrap_or_default();
        if poll.took(destination) || self.mac.members() >> destination & 1 == 0 {
            self.demand = self.endless;
            let _ = self.mac.step(NOW_NS, BusLines::default(), MacEvent::Demand(self.endless));
        }
    }

    /// The lines as it sees them: others' and its own.
    fn lines(&self, others: BusLines) -> BusLines {
        let own = self.mac.drive();
        BusLines { busy: others.busy || own.busy, attention: others.attention || own.attention, ..others }
    }

    fn step(&mut self, others: BusLines, event: MacEvent<'_>) {
        let before = self.mac.drive();
        let lines = BusLines { received: self.received, ..self.lines(others) };
        (self.reported, self.received) = (BusLines { received: false, ..lines }, false);
        let (state, event_kind) = (self.mac.state(), event);
        let actions = self.mac.step(NOW_NS, lines, event);
        self.rude |= is_rude(
            state,
            self.mac.state(),
            BusLines { received: lines.received, ..others },
            &event_kind,
            self.number(),
        );
        let drive = self.mac.drive();
        if drive.busy != before.busy {
            self.reported.busy = drive.busy;
        }
        if drive.attention != before.attention {
            self.reported.attention = drive.attention;
        }
        self.regenerated |= actions.reports().any(|report| matches!(report, renga_mac::MacReport::Regenerated { .. }));
        match actions.command {
            None => {}
            Some(MacCommand::Abort) => (self.talk, self.bidding, self.sent, self.bids) = (None, 0, None, None),
            Some(MacCommand::Bid) => self.bidding = super::bus::BID_TICKS,
            Some(MacCommand::SendData) => self.talk(None),
            Some(MacCommand::SendControl(control)) => self.talk(Some(control)),
        }
    }

    fn talk(&mut self, control: Option<Control>) {
        let left = if control.is_some() { super::bus::CONTROL_TICKS } else { super::bus::DATA_TICKS };
        self.talk = Some(TokenTalk { control, left, collided: false });
    }

    /// The receiver of its frame.
    pub fn destination(&self, talk: &TokenTalk, boards: u8) -> u8 {
        talk.control.map_or((self.number() + 1) % boards, |control| control.header.destination)
    }
}

/// Whether a board has gone from one state to another without manners.
fn is_rude(from: MacState, to: MacState, others: BusLines, event: &MacEvent<'_>, number: u8) -> bool {
    let uses = |state| matches!(state, MacState::Hold { .. } | MacState::Arb);
    match event {
        MacEvent::Bids(bids) => matches!(to, MacState::Hold { .. }) && bids.trailing_zeros() != u32::from(number),
        // Its sender keeps BUSY# low until the token has arrived.
        MacEvent::Frame(_) => false,
        // It has heard that its token is one too many.
        _ if matches!(from, MacState::Park { .. }) && others.received && !others.token_in => {
            matches!(to, MacState::Park { .. } | MacState::Hold { .. })
        }
        _ => uses(to) && !uses(from) && others.busy,
    }
}
