//! The link between the boards: a token bus, in virtual time.
//!
//! The token goes round in the order of the board numbers, `token_pass_ns` from one board to the next, for ever. A
//! board that has a frame when the token comes sends that one frame and passes the token on (limit: one frame,
//! `docs/reference/link-token.md`). All boards hear a frame when its last word is over. Boards that are off are passed
//! over; what it takes to find the token again when it is lost is in `recovery`.
//!
//! Invariant: [`EmulatedBus::decide`] settles a frame only when every frame that could compete with it is known, so the
//! result does not depend on how often it is called.
//!
//! Not here: how boards agree on all that (`renga-mac`), what frames contain (`renga-wire`).

pub mod recovery;

use renga_emu_device::registers::{BROADCAST, FRAME_BYTES_MAX};
use std::collections::VecDeque;

const WORD_BITS: u64 = 16;
const NS_PER_S: u64 = 1_000_000_000;
/// A frame without payload is its four words of header (`docs/reference/link-pins.md`); nothing is shorter on the wire.
const FRAME_BYTES_MIN: usize = 8;
/// The holder waits so long after ATN# until all boards listen (`docs/reference/link-pins.md`).
const ARM_NS: u64 = 10_000;
/// Words that the start of a frame takes if its only listener acknowledges that it listens: two changes of lines with
/// their rise and readings, one each way.
const INTERLOCKED_WORDS: u64 = 2;
/// Over a neighbour that is not there the token passes by a frame (`docs/reference/link-token.md`).
const IN_BAND_NS: u64 = 10_000;

/// The figures of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusConfig {
    /// Bits per second while words are on the wire.
    pub rate_bps: u64,
    /// Besides the words of the frame itself, ns.
    pub frame_overhead_ns: u64,
    /// The same for a frame from one of two boards to the other, ns.
    pub interlocked_overhead_ns: u64,
    /// From one board to the next, ns, at least 1.
    pub token_pass_ns: u64,
}

impl BusConfig {
    /// A bus of this rate, with the overheads of the GPIO bus.
    ///
    /// Header and checksum words are part of the frames. The rest of a frame's overhead is the 10 us in which all
    /// boards get ready, and the poll word in which the receivers acknowledge. Of two boards the only listener
    /// acknowledges that it is ready. The token takes a word's time from board to board: like a word, it is one store,
    /// one rise time and two reads on either side (`docs/reference/link-pins.md`).
    pub const fn with_rate(rate_bps: u64) -> Self {
        Self::with_overheads(rate_bps, ARM_NS, 0)
    }

    /// The same, whose boards get ready for a frame in `arm_ns`, and whose token takes `token_pass_ns`, or a word's
    /// time if that is 0.
    pub const fn with_overheads(rate_bps: u64, arm_ns: u64, token_pass_ns: u64) -> Self {
        let word_ns = (WORD_BITS * NS_PER_S).div_ceil(rate_bps);
        let token_pass_ns = if token_pass_ns == 0 { word_ns } else { token_pass_ns };
        let answered_ns = INTERLOCKED_WORDS * word_ns;
        let interlocked_ns = if answered_ns < arm_ns { answered_ns } else { arm_ns };
        let (frame_overhead_ns, interlocked_overhead_ns) = (arm_ns + word_ns, interlocked_ns + word_ns);
        Self { rate_bps, frame_overhead_ns, interlocked_overhead_ns, token_pass_ns }
    }

    /// The parallel bus between Pi 3s: 18 Mbit/s (`docs/reference/link-pins.md`, three-wire handshake, 1 kOhm).
    pub const fn gpio() -> Self {
        Self::with_rate(18_000_000)
    }

    /// Time of a frame of `bytes` for `destination` on the wire between `boards`, ns.
    pub fn wire_ns(&self, bytes: usize, destination: u8, boards: usize) -> u64 {
        let words = bytes.max(FRAME_BYTES_MIN).div_ceil(2) as u64;
        let alone = boards == 2 && usize::from(destination) < boards;
        let overhead_ns = if alone { self.interlocked_overhead_ns } else { self.frame_overhead_ns };
        overhead_ns + (words * WORD_BITS * NS_PER_S).div_ceil(self.rate_bps)
    }

    /// No frame between `boards` arrives sooner than this after it was sent, ns.
    pub fn least_latency_ns(&self, boards: usize) -> u64 {
        self.wire_ns(0, 0, boards)
    }
}

impl Default for BusConfig {
    fn default() -> Self {
        Self::gpio()
    }
}

/// A frame that waits for the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// When it was sent, ns.
    pub sent_ns: u64,
    /// A board, or a broadcast.
    pub destination: u8,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A frame's passage over the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The sender.
    pub source: u8,
    /// When it took the wire, ns.
    pub start_ns: u64,
    /// When it was over and arrived, ns.
    pub end_ns: u64,
    /// The frame.
    pub frame: Waiting,
}

impl Passage {
    /// Whether board `number` hears it.
    pub fn reaches(&self, number: u8) -> bool {
        let all = self.frame.destination == BROADCAST || self.frame.destination == u8::MAX;
        number != self.source && (all || number == self.frame.destination)
    }
}

/// The bus.
#[derive(Debug)]
pub struct EmulatedBus {
    config: BusConfig,
    /// Per board, in the order sent.
    waiting: Vec<VecDeque<Waiting>>,
    /// Per board: it takes part.
    up: Vec<bool>,
    /// The last holder of the token.
    holder: usize,
    /// When it let it go, ns.
    free_ns: u64,
}

impl EmulatedBus {
    /// A bus between `boards` boards; at 0 the token leaves board 0.
    pub fn new(config: BusConfig, boards: usize) -> Self {
        Self { config, waiting: vec![VecDeque::new(); boards], up: vec![true; boards], holder: 0, free_ns: 0 }
    }

    /// Board `source` sends `frame`; frames of one board come in the order of time.
    pub fn send(&mut self, source: u8, frame: Waiting) {
        assert!(frame.bytes.len() <= FRAME_BYTES_MAX, "a frame of {} bytes", frame.bytes.len());
        self.waiting[usize::from(source)].push_back(frame);
    }

    /// The next frame to take the wire, if it does so before `horizon_ns`; all that is sent before then is known.
    pub fn decide(&mut self, horizon_ns: u64) -> Option<Passage> {
        let (start_ns, source) = self.next()?;
        if start_ns >= horizon_ns {
            return None;
        }
        let frame = self.waiting[source].pop_front()?;
        let wire_ns = self.config.wire_ns(frame.bytes.len(), frame.destination, self.up.len());
        let end_ns = start_ns + wire_ns;
        self.holder = source;
        self.free_ns = end_ns;
        Some(Passage { source: source as u8, start_ns, end_ns, frame })
    }

    /// No frame settled so far lasts longer, ns.
    pub fn free_ns(&self) -> u64 {
        self.free_ns
    }

    /// When the first frame that waits was sent, ns. Which is the next, and when, may still change by those to come:
    /// not only do they take their time, the token comes round at other instants behind them.
    pub fn waits_since_ns(&self) -> Option<u64> {
        self.waiting.iter().filter_map(|queue| Some(queue.front()?.sent_ns)).min()
    }

    /// When the next frame takes the wire, unless one that is not yet sent comes before it, ns.
    pub fn next_start_ns(&self) -> Option<u64> {
        self.next().map(|(start_ns, _)| start_ns)
    }

    fn next(&self) -> Option<(u64, usize)> {
        (0..self.waiting.len())
            .filter_map(|board| Some((self.visit_ns(board, self.waiting[board].front()?.sent_ns), board)))
            .min()
    }

    /// When the token, going round undisturbed, first comes to `board`, which is up, at or after `from_ns`.
    fn visit_ns(&self, board: usize, from_ns: u64) -> u64 {
        let (mut at, mut first_ns) = (self.holder, self.free_ns);
        loop {
            let (next, hop_ns) = self.hop(at);
            (at, first_ns) = (next, first_ns + hop_ns);
            if at == board {
                break;
            }
        }
        let round_ns = self.round_ns();
        first_ns + from_ns.saturating_sub(first_ns).div_ceil(round_ns) * round_ns
    }

    /// The next holder of the token after `board`, and the time of that hop, ns.
    fn hop(&self, board: usize) -> (usize, u64) {
        let boards = self.up.len();
        let distance = (1..boards).find(|distance| self.up[(board + distance) % boards]).unwrap_or(boards);
        let beside = distance == 1 || distance == boards;
        let hop_ns = if beside { self.config.token_pass_ns } else { self.config.token_pass_ns.max(IN_BAND_NS) };
        ((board + distance) % boards, hop_ns)
    }

    /// Once round all boards that are up, ns.
    fn round_ns(&self) -> u64 {
        let hops = (0..self.up.len()).filter(|board| self.up[*board]).map(|board| self.hop(board).1);
        hops.sum::<u64>().max(1)
    }
}

#[cfg(test)]
mod tests;
