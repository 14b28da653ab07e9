//! A token bus as a device that takes and gives whole frames: the protocol, a phy, a queue.
//!
//! Invariant: frames leave in the order in which they came. The link resends a frame that its receiver did not take, as
//! the poll word says, at most [`TRIES_MAX`] times, and at most once per [`PAUSE_NS`] to a full receiver. Later losses
//! are the session's.

use renga_core::probe::Probe;
use renga_mac::{Control, Mac, MacCommand, MacEvent, MacReport, MacSetup};
use renga_phy::token::{Arming, PhyEvent, TokenPhy};
use renga_phy::{FRAME_BYTES_MAX, Phy, TransmitFull};
use renga_wire::bus::{BOARDS_MAX, Poll, SendError};
use renga_wire::frame::{BROADCAST, frame_bytes};
use renga_wire::{FrameKind, LinkFrame};

renga_core::probe! {
    /// This board has the token of the link from now on.
    Token = "token" [];
}

/// Times that a frame is sent before it is left to the session.
pub const TRIES_MAX: u8 = 4;
/// Before a frame is sent again to a receiver that was full, ns.
pub const PAUSE_NS: u64 = 200_000;
/// Frames that wait to be sent.
const QUEUE_FRAMES: usize = 2;
/// Events that one pass takes from the phy; it interrupts again if there are more.
const EVENTS_PER_TURN: usize = 64;
/// Bytes of the longest frame of the protocol.
const CONTROL_BYTES_MAX: usize = frame_bytes(renga_wire::bus::CONTROL_PAYLOAD_BYTES_MAX);

#[derive(Clone, Copy)]
struct Queued {
    destination: u8,
    bytes: u16,
    frame: [u8; FRAME_BYTES_MAX],
}

/// The link's counters beside those of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCount {
    /// Frames resent because their receiver did not take them.
    pub again: u64,
    /// Frames that were given up.
    pub given_up: u64,
    /// Tokens that this board made because one was lost.
    pub regenerated: u64,
    /// Times that this board found another one with its number.
    pub duplicates: u64,
    /// Times that lines were stuck.
    pub stuck: u64,
}

renga_rt::with_defaults! {
    /// One board's device on a bus with a token.
    pub struct TokenLink[P] P {
        mac: Mac = Mac::new(setup),
        phy: P = phy,
        now_ns: u64 = 0,
        started: bool = false,
        queue: [Queued; QUEUE_FRAMES] =
            [Queued { destination: 0, bytes: 0, frame: [0; FRAME_BYTES_MAX] }; QUEUE_FRAMES],
        first: usize = 0,
        queued: usize = 0,
        tries: u8 = 0,
        /// The first frame is not to be sent again before this.
        pause_until_ns: Option<u64> = None,
        /// The demand last reported to the protocol.
        demand: bool = false,
        /// Whom the frame on the wire is for; data, not control.
        sending: (u8, bool) = (BROADCAST, false),
        count: TokenCount = TokenCount::default(),
    }
    /// A board that takes part from the first [`Phy::attend`] on.
    pub fn new(setup: MacSetup, phy: P);
}

impl<P: TokenPhy> TokenLink<P> {
    /// The protocol's state.
    pub fn mac(&self) -> &Mac {
        &self.mac
    }
    /// What it was made from.
    pub fn setup(&self) -> &MacSetup {
        self.mac.setup()
    }
    /// Whether it was attended to for the first time.
    pub fn is_started(&self) -> bool {
        self.started
    }
    /// Its counters.
    pub fn count(&self) -> TokenCount {
        self.count
    }
    /// Frames that wait to be sent.
    pub fn queued(&self) -> usize {
        self.queued
    }
    /// The phy.
    pub fn phy(&mut self) -> &mut P {
        &mut self.phy
    }

    /// Takes part no more once what is on the wire is done, and the token handed on.
    pub fn leave(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        self.step(MacEvent::Leave);
    }

    fn step(&mut self, event: MacEvent<'_>) {
        let now_ns = self.now_ns;
        let lines = self.phy.lines(now_ns);
        let had_token = self.mac.has_token();
        let actions = self.mac.step(now_ns, lines, event);
        if self.mac.has_token() && !had_token {
            Token::mark([]);
        }
        if actions.command == Some(MacCommand::Abort) {
            self.phy.abort(now_ns);
        }
        self.phy.set(now_ns, self.mac.drive(), self.mac.watch(lines), self.mac.answers());
        actions.reports().for_each(|report| self.note(report));
        match actions.command {
            None | Some(MacCommand::Abort) => {}
            Some(MacCommand::Bid) => self.phy.bid(now_ns),
            Some(MacCommand::SendControl(control)) => self.send_control(&control),
            Some(MacCommand::SendData) => {
                let queued = &self.queue[self.first];
                self.sending = (queued.destination, true);
                let arming = self.arming(queued.destination);
                self.phy.transmit(now_ns, &queued.frame[..usize::from(queued.bytes)], arming);
            }
        }
    }

    fn send_control(&mut self, control: &Control) {
        let mut frame = [0; CONTROL_BYTES_MAX];
        let Ok(bytes) = control.header.emit(&control.payload[..usize::from(control.bytes)], &mut frame) else {
            unreachable!("the buffer is as long as the longest control frame")
        };
        self.sending = (control.header.destination, false);
        // Boards that do not take part yet hear those of the protocol, too.
        self.phy.transmit(self.now_ns, &frame[..bytes], Arming::Timed);
    }

    /// How a frame for `destination` may begin.
    fn arming(&self, destination: u8) -> Arming {
        let others = self.mac.members() & !(1 << self.mac.setup().board);
        let alone = destination < BOARDS_MAX && others == 1 << destination;
        if alone { Arming::Interlocked } else { Arming::Timed }
    }

    fn note(&mut self, report: MacReport) {
        match report {
            MacReport::Regenerated { .. } => self.count.regenerated += 1,
            MacReport::Duplicate { .. } => self.count.duplicates += 1,
            MacReport::Stuck(_) => self.count.stuck += 1,
            MacReport::Member | MacReport::Joined { .. } | MacReport::Left { .. } | MacReport::Off => {}
        }
    }

    /// Reports to the protocol a change of whether a frame waits to be sent.
    fn report_demand(&mut self) {
        let demand = self.queued > 0 && self.pause_until_ns.is_none();
        if demand != self.demand {
            self.demand = demand;
            self.step(MacEvent::Demand(demand));
        }
    }

    /// The frame on the wire has ended.
    fn sent(&mut self, result: Result<Poll, SendError>) {
        let (destination, data) = self.sending;
        if data && result != Err(SendError::Collision) {
            self.finish_frame(destination, result.unwrap_or_default());
            self.report_demand();
        }
        self.step(MacEvent::Sent { destination, result });
    }

    /// Drops the first frame if it arrived or was given up; otherwise leaves it for another try.
    fn finish_frame(&mut self, destination: u8, poll: Poll) {
        let alone = destination < BOARDS_MAX;
        self.tries += 1;
        let absent = alone && self.mac.members() >> destination & 1 == 0;
        if !alone || poll.took(destination) {
            self.drop_first();
        } else if self.tries >= TRIES_MAX || absent && !poll.refused(destination) {
            self.count.given_up += 1;
            self.drop_first();
        } else {
            self.count.again += 1;
            self.pause_until_ns = poll.refused(destination).then_some(self.now_ns + PAUSE_NS);
        }
    }

    fn drop_first(&mut self) {
        (self.tries, self.first, self.queued) = (0, (self.first + 1) % QUEUE_FRAMES, self.queued - 1);
    }
}

impl<P: TokenPhy> Phy for TokenLink<P> {
    fn board(&self) -> u8 {
        self.mac.setup().board
    }

    fn attend(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        if !self.started {
            self.started = true;
            self.step(MacEvent::Started);
        }
        self.pause_until_ns = self.pause_until_ns.filter(|until_ns| *until_ns > now_ns);
        for _ in 0..EVENTS_PER_TURN {
            let event = self.phy.poll(self.now_ns);
            self.now_ns = self.phy.now_ns().unwrap_or(self.now_ns);
            match event {
                Some(PhyEvent::Lines) => self.step(MacEvent::Lines),
                Some(PhyEvent::Sent(result)) => self.sent(result),
                Some(PhyEvent::Bids(bids)) => self.step(MacEvent::Bids(bids)),
                None => break,
            }
        }
        self.report_demand();
        if self.mac.deadline_ns().is_some_and(|at_ns| at_ns <= self.now_ns) {
            self.step(MacEvent::Time);
        }
    }

    fn deadline_ns(&self) -> Option<u64> {
        [self.mac.deadline_ns(), self.pause_until_ns, self.phy.deadline_ns()].into_iter().flatten().min()
    }

    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        // Bounded by the phy's buffers: control frames are short work.
        loop {
            let bytes = self.phy.receive(out)?;
            let own = bytes > 0 && out[0] & 0xf == self.mac.setup().board;
            if !own && !FrameKind::looks_control(&out[..bytes]) {
                return Some(bytes);
            }
            if let Ok(frame) = LinkFrame::parse(&out[..bytes]) {
                self.step(MacEvent::Frame(frame));
            }
        }
    }

    fn has_room(&self) -> bool {
        self.queued < QUEUE_FRAMES
    }

    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull> {
        if self.queued == QUEUE_FRAMES {
            return Err(TransmitFull);
        }
        let place = &mut self.queue[(self.first + self.queued) % QUEUE_FRAMES];
        place.frame[..frame.len()].copy_from_slice(frame);
        (place.destination, place.bytes) = (destination.min(BROADCAST), frame.len() as u16);
        self.queued += 1;
        Ok(())
    }

    /// It always does.
    fn enable_receive_interrupt(&mut self, _: bool) {}

    /// It always does when a frame has left.
    fn enable_transmit_interrupt(&mut self, _: bool) {}

    fn take_overrun(&mut self) -> bool {
        self.phy.take_overrun()
    }
}
