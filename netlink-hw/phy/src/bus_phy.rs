//! A bus of wires as a bus with a token: carries out the commands of `renga-mac`, one step at a time.
//!
//! A step samples the lines once, or completes one frame or bid. Invariant: between steps this board takes no part in a
//! handshake; it requests attention only while no frame is under way. Not here: the right to talk; how a frame crosses
//! (`pins`, `spi`).

use crate::FRAME_BYTES_MAX;
use crate::pins::test::PatternReadings;
use crate::pins::{BusError, HarnessLine, Reception};
use crate::token::{Arming, PhyEvent, SendError, TokenPhy};
use renga_hal::gpio::PinBank;
use renga_wire::bus::{Answers, BusLines, Drive, Poll, WatchedLines};

/// Wires by which one board at a time sends frames and the others listen.
pub trait TokenBus {
    /// Where the lines are.
    type Pins: PinBank;

    /// The pin of `line`, as a mask.
    fn mask(line: HarnessLine) -> u32;

    /// This board's number.
    fn board(&self) -> u8;

    /// The pins.
    fn gpio(&mut self) -> &mut Self::Pins;

    /// The levels of the lines, read twice.
    fn levels(&mut self) -> u32;

    /// Whether levels, read twice, show the start of a frame.
    fn frame_begins(levels: u32) -> bool;

    /// Pulls the lines of `pull` and releases those of `release`, in one store.
    fn change(&mut self, pull: u32, release: u32);

    /// Whether this board pulls any line of `mask`.
    fn pulls(&self, mask: u32) -> bool;

    /// Whether this board pulls all lines of `mask`.
    fn pulls_all(&self, mask: u32) -> bool;

    /// Sends a sealed frame and collects the answers. The caller owns the bus.
    ///
    /// # Errors
    /// Why it could not be sent.
    fn talk(&mut self, frame: &[u8], arming: Arming) -> Result<Poll, BusError>;

    /// Receives the frame that starts now and answers it as `answers` says; `room`: `into` is free for it.
    ///
    /// # Errors
    /// Why there was none.
    fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, BusError>;

    /// Bids for a new token; the caller has BUSY# and ATN# low. See [`PhyEvent::Bids`].
    fn bid(&mut self) -> u16;
}

/// Frames kept until they are taken; one that finds no room is refused in the poll word.
const FRAMES: usize = 4;
/// Samples of an idle handshake before this board requests attention: to others the lines may still seem to rise.
const IDLE_SAMPLES: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Nothing,
    Frame(usize, Arming),
    Bid,
}

/// What went over the bus, and what did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhyCounters {
    /// Frames that this board has sent to the end.
    pub sent: u64,
    /// Frames that it could not send.
    pub unsent: u64,
    /// Frames that it has received and kept.
    pub received: u64,
    /// Frames that ended early or were damaged.
    pub broken: u64,
}

/// One board's wires on a bus with a token.
pub struct BusPhy<B> {
    bus: B,
    /// The longest from step to step, ns.
    every_ns: u64,
    drive: Drive,
    watch: WatchedLines,
    answers: Answers,
    now: BusLines,
    /// The same as levels of the pins.
    levels: u32,
    reported: BusLines,
    received: bool,
    wanted: Wanted,
    outgoing: [u8; FRAME_BYTES_MAX],
    ended: Option<PhyEvent>,
    frames: [[u8; FRAME_BYTES_MAX]; FRAMES],
    lengths: [usize; FRAMES],
    first: usize,
    queued: usize,
    step_ns: u64,
    idle_samples: u32,
    /// A talker seems to hang: no more arming until the lines have changed.
    awaits_change: bool,
    count: PhyCounters,
    last_error: Option<BusError>,
    test: Option<PatternReadings>,
}

impl<B: TokenBus> BusPhy<B> {
    /// A board that says nothing until [`TokenPhy::set`]. It wants [`TokenPhy::poll`] to be called when the
    /// pins interrupt, and every `every_ns`.
    pub fn new(bus: B, every_ns: u64) -> BusPhy<B> {
        let board = bus.board();
        BusPhy {
            bus,
            every_ns,
            drive: Drive::default(),
            watch: WatchedLines::default(),
            answers: Answers { board, ..Answers::default() },
            now: BusLines::default(),
            levels: u32::MAX,
            reported: BusLines::default(),
            received: false,
            wanted: Wanted::Nothing,
            outgoing: [0; FRAME_BYTES_MAX],
            ended: None,
            frames: [[0; FRAME_BYTES_MAX]; FRAMES],
            lengths: [0; FRAMES],
            first: 0,
            queued: 0,
            step_ns: 0,
            idle_samples: 0,
            awaits_change: false,
            count: PhyCounters::default(),
            last_error: None,
            test: None,
        }
    }

    /// What it has done.
    pub fn count(&self) -> PhyCounters {
        self.count
    }

    /// Why the last frame that failed did.
    pub fn last_error(&self) -> Option<BusError> {
        self.last_error
    }

    /// What was received of a test since the last call.
    pub fn take_test(&mut self) -> Option<PatternReadings> {
        self.test.take()
    }

    /// The bus.
    pub fn bus(&mut self) -> &mut B {
        &mut self.bus
    }

    /// One step: a frame or a bid that was commanded, a frame of another board that starts, or one sample of the lines.
    ///
    /// Before and after it other drivers use other peripherals: those of a BCM2837 answer out of order when
    /// accesses go from one to another, so there is a fence at both ends.
    fn step(&mut self) {
        self.bus.gpio().fence();
        self.step_ns = self.bus.gpio().now_ns();
        if self.wanted != Wanted::Nothing {
            self.wake(0);
        }
        match core::mem::replace(&mut self.wanted, Wanted::Nothing) {
            Wanted::Frame(bytes, arming) => {
                let sent = self.bus.talk(&self.outgoing[..bytes], arming);
                self.note(&sent);
                self.count.sent += u64::from(sent.is_ok());
                self.ended = Some(PhyEvent::Sent(sent.map_err(send_error)));
            }
            Wanted::Bid => self.ended = Some(PhyEvent::Bids(self.bus.bid())),
            Wanted::Nothing => {}
        }
        let levels = self.bus.levels();
        let begins = B::frame_begins(levels);
        // The end of the own frame is reported first: the next may come from the board that got the token by it.
        if begins && !self.awaits_change && self.ended.is_none() {
            self.listen();
        } else {
            self.awaits_change &= begins;
            self.check_lines(levels);
        }
        self.bus.gpio().fence();
    }

    fn listen(&mut self) {
        self.wake(0);
        let room = self.queued < FRAMES;
        let place = (self.first + self.queued) % FRAMES;
        // Without room the frame is only answered; what is being sent is not touched by that.
        let mut scratch = [0; FRAME_BYTES_MAX];
        let into = if room { &mut self.frames[place] } else { &mut scratch };
        let received = self.bus.listen(into, room, &self.answers);
        match &received {
            Ok(Reception::Frame(bytes)) => {
                self.lengths[place] = *bytes;
                self.queued += 1;
                self.count.received += 1;
            }
            Ok(Reception::Test(view)) => self.test = Some(*view),
            Ok(Reception::Nothing) | Err(_) => {}
        }
        // An intact header is what counts, whatever became of the rest.
        self.received |= matches!(received, Ok(Reception::Frame(_) | Reception::Nothing));
        self.awaits_change = matches!(received, Err(BusError::NoAnswer(_)));
        self.note(&received);
    }

    fn note<T>(&mut self, result: &Result<T, BusError>) {
        if let Err(error) = result {
            self.last_error = Some(*error);
            match error {
                BusError::Abandoned | BusError::HeaderDamaged => self.count.broken += 1,
                _ => self.count.unsent += 1,
            }
        }
    }

    fn check_lines(&mut self, levels: u32) {
        self.levels = levels;
        let handshake = B::mask(HarnessLine::NotReady) | B::mask(HarnessLine::NotAccepted);
        let low = |line: HarnessLine| levels & B::mask(line) == 0;
        let idle = levels & handshake == handshake;
        self.now = BusLines {
            busy: low(HarnessLine::Busy),
            attention: idle && low(HarnessLine::Attention),
            token_in: low(HarnessLine::TokenIn),
            received: false,
        };
        self.idle_samples = if idle { self.idle_samples.saturating_add(1) } else { 0 };
        if !idle && !B::frame_begins(levels) && self.bus.pulls(B::mask(HarnessLine::Attention)) {
            // A frame is under way whose start this board missed, and attention is that talker's. An interlocked start
            // is too short for a board that was about to ask.
            self.bus.change(0, B::mask(HarnessLine::Attention));
        }
        if self.idle_samples >= IDLE_SAMPLES && self.is_asking() {
            self.bus.change(B::mask(HarnessLine::Attention), 0);
        }
    }

    /// Whether it waits for a moment to ask for attention.
    fn is_asking(&self) -> bool {
        self.drive.attention && !self.bus.pulls(B::mask(HarnessLine::Attention))
    }

    /// The lines whose change needs a step.
    fn waking(&self) -> u32 {
        let watched = [(HarnessLine::Busy, self.watch.busy), (HarnessLine::TokenIn, self.watch.token_in)];
        let watched = watched.iter().filter(|(_, on)| *on).fold(0, |mask, (line, _)| mask | B::mask(*line));
        // While a board requests attention, a frame starts with the next line.
        let begins =
            if self.levels & B::mask(HarnessLine::Attention) == 0 { B::mask(HarnessLine::NotReady) } else { 0 };
        watched | begins | B::mask(HarnessLine::Attention)
    }

    /// Makes the pins interrupt at a change of the lines of `mask`, if interrupts are in use.
    fn wake(&mut self, mask: u32) {
        self.bus.gpio().wake_on_change(mask, self.levels);
    }

    fn lines_changed(&self) -> bool {
        let (watch, now, reported) = (self.watch, self.now, self.reported);
        watch.busy && now.busy != reported.busy
            || watch.attention && now.attention != reported.attention
            || watch.token_in && now.token_in != reported.token_in
    }
}

/// As the token protocol knows it.
fn send_error(error: BusError) -> SendError {
    match error {
        BusError::NobodyListens => SendError::NoListener,
        BusError::Collision(_) | BusError::WiresDiffer(_) => SendError::Collision,
        _ => SendError::Stalled,
    }
}

impl<B: TokenBus> TokenPhy for BusPhy<B> {
    fn board(&self) -> u8 {
        self.answers.board
    }

    fn lines(&mut self, _: u64) -> BusLines {
        self.reported = self.now;
        BusLines { received: core::mem::take(&mut self.received), ..self.now }
    }

    fn set(&mut self, _: u64, drive: Drive, watch: WatchedLines, answers: Answers) {
        let lines = [(HarnessLine::Busy, drive.busy), (HarnessLine::TokenOut, drive.token_out)];
        let mask = |wanted: bool| {
            lines.iter().filter(|(_, low)| *low == wanted).fold(0, |mask, (line, _)| mask | B::mask(*line))
        };
        // Asking for attention waits until no frame is under way; letting go does not.
        let quiet = if drive.attention { 0 } else { B::mask(HarnessLine::Attention) };
        let (pull, release) = (mask(true), mask(false) | quiet);
        // As in a step.
        self.bus.gpio().fence();
        if self.bus.pulls(release) || !self.bus.pulls_all(pull) {
            self.bus.change(pull, release);
        }
        let others = watch != self.watch;
        (self.drive, self.watch, self.answers) = (drive, watch, answers);
        self.now.busy |= drive.busy;
        if others {
            self.wake(self.waking());
        }
        self.bus.gpio().fence();
    }

    fn transmit(&mut self, now_ns: u64, frame: &[u8], arming: Arming) {
        self.outgoing[..frame.len()].copy_from_slice(frame);
        (self.wanted, self.step_ns) = (Wanted::Frame(frame.len(), arming), now_ns);
    }

    fn bid(&mut self, now_ns: u64) {
        (self.wanted, self.step_ns) = (Wanted::Bid, now_ns);
    }

    fn abort(&mut self, _: u64) {
        (self.wanted, self.ended) = (Wanted::Nothing, None);
    }

    fn poll(&mut self, _: u64) -> Option<PhyEvent> {
        if self.ended.is_none() {
            self.step();
        }
        if let Some(ended) = self.ended.take() {
            return Some(ended);
        }
        let changed = self.lines_changed();
        self.reported = self.now;
        if !changed {
            self.wake(self.waking());
        }
        changed.then_some(PhyEvent::Lines)
    }

    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        if self.queued == 0 {
            return None;
        }
        let (place, bytes) = (self.first, self.lengths[self.first]);
        out[..bytes].copy_from_slice(&self.frames[place][..bytes]);
        (self.first, self.queued) = ((place + 1) % FRAMES, self.queued - 1);
        Some(bytes)
    }

    fn now_ns(&mut self) -> Option<u64> {
        Some(self.bus.gpio().now_ns())
    }

    fn deadline_ns(&self) -> Option<u64> {
        let soon = self.wanted != Wanted::Nothing || self.is_asking();
        Some(if soon { self.step_ns } else { self.step_ns + self.every_ns })
    }

    fn take_overrun(&mut self) -> bool {
        false
    }
}
