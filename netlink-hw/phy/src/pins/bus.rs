//! The pins of one board: what it drives, and waiting for the lines with a bound.
//!
//! Invariant: an open-drain line is pulled by making its pin an output whose latch is low, and released
//! by making it an input; the function word of all control lines is kept in memory, so that one store
//! changes any of them and nothing is read back to be modified. The latch of the strobe rests high.
//! Not here: the handshake (`talk`, `listen`).

use super::error::BusError;
use super::timing::{Settle, Timing};
use super::wiring::{Line, OPEN_DRAIN, TERMINATED, Width, function_bits, outputs};
use renga_hal::gpio::{PinBank, Pull};
use renga_wire::bus::BOARDS_MAX;

/// How a word crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Strobe low, accepted, strobe high, ready: as IEEE 488.
    ThreeWire,
    /// Every edge of the strobe carries a word; the two acknowledgement lines answer in turn.
    TwoEdge,
}

/// What holds the control lines up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullUps {
    /// Resistors of the harness; the boards' own are off.
    Harness,
    /// The boards' own.
    Internal,
}

/// How the boards are joined; the same on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wiring {
    /// Data wires.
    pub width: Width,
    /// Handshake.
    pub handshake: Handshake,
    /// Pull-ups of the control lines.
    pub pulls: PullUps,
}

/// Readings between two looks at the clock.
const READS_BETWEEN_CLOCKS: u32 = 32;

/// The bus as one board drives it.
pub struct PinBus<G> {
    pub(super) gpio: G,
    pub(super) board: u8,
    pub(super) wiring: Wiring,
    pub(super) timing: Timing,
    /// Pins of the data wires.
    pub(super) data: u32,
    pub(super) settle: Settle,
    /// Function words but for the pins of the link.
    base: [u32; 3],
    /// Function word 0 as it stands.
    control: u32,
    /// When the frame under way must have ended.
    pub(super) frame_end_ns: u64,
    /// Why something was [`Stopped`] last.
    pub(super) why: BusError,
}

/// Something ended early; why is in the bus. An error that said why itself would not fit into registers,
/// and cost ten instructions at every wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// What a wait waits for.
pub(super) struct Wait {
    /// The lines that matter.
    pub mask: u32,
    /// Their levels wanted.
    pub want: u32,
    /// Their levels that mean that nobody takes part.
    pub nobody: Option<u32>,
}

impl Wait {
    /// The first line that is not as wanted.
    fn blame(&self, levels: u32) -> Line {
        let wrong = (levels ^ self.want) & self.mask;
        *Line::ALL.iter().find(|line| wrong & line.mask() != 0).unwrap_or(&Line::Strobe)
    }
}

impl<G: PinBank> PinBus<G> {
    /// Takes the pins over, all released, and measures how fast they are (some 20 us).
    pub fn begin(mut gpio: G, board: u8, wiring: Wiring, timing: Timing) -> PinBus<G> {
        assert!(board < BOARDS_MAX, "board {board}: the poll word has room for {BOARDS_MAX}");
        let data = wiring.width.pins();
        let ours = data | TERMINATED | OPEN_DRAIN | Line::TokenIn.mask();
        let base = [0, 1, 2].map(|word| gpio.functions(word as usize) & !function_bits(ours, word));
        for (word, value) in base.iter().enumerate() {
            gpio.store_functions(word, *value);
        }
        let up = if wiring.pulls == PullUps::Internal { Pull::Up } else { Pull::Off };
        gpio.set_pulls(TERMINATED, up);
        gpio.set_pulls(Line::TokenIn.mask(), Pull::Up);
        gpio.set_pulls(Line::TokenOut.mask(), Pull::Off);
        gpio.set_pulls(data, Pull::Down);
        gpio.clear(OPEN_DRAIN | data);
        gpio.set(Line::Strobe.mask());
        let settle = Settle::measure(&mut gpio, &timing);
        PinBus {
            gpio,
            board,
            wiring,
            timing,
            data,
            settle,
            control: base[0],
            base,
            frame_end_ns: u64::MAX,
            why: BusError::NotAFrame,
        }
    }

    /// This board's number.
    pub fn board(&self) -> u8 {
        self.board
    }

    /// Bounds and pauses.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The pins, for their clock.
    pub fn gpio(&mut self) -> &mut G {
        &mut self.gpio
    }

    /// Pulls the open-drain lines of `pull` and releases those of `release`, in one store.
    #[inline]
    pub fn change(&mut self, pull: u32, release: u32) {
        debug_assert!((pull | release) & !(OPEN_DRAIN | Line::Strobe.mask()) == 0, "not control lines");
        self.control = (self.control | outputs(pull, 0)) & !outputs(release, 0);
        self.gpio.store_functions(0, self.control);
    }

    /// Pulls those lines of `both` that it does not pull, and releases the others, in one store.
    #[inline(always)]
    pub(super) fn exchange(&mut self, both: u32) {
        self.control ^= outputs(both, 0);
        self.gpio.store_functions(0, self.control);
    }

    /// Whether this board pulls any line of `mask`.
    pub fn pulls(&self, mask: u32) -> bool {
        self.control & outputs(mask, 0) != 0
    }

    /// Whether this board pulls all lines of `mask`.
    pub fn pulls_all(&self, mask: u32) -> bool {
        self.control & outputs(mask, 0) == outputs(mask, 0)
    }

    /// Releases data wires and strobe, and the lines of the handshake. The token's lines stay.
    pub(super) fn release(&mut self) {
        self.float_data();
        self.gpio.set(Line::Strobe.mask());
        self.change(0, Line::Strobe.mask() | Line::NotReady.mask() | Line::NotAccepted.mask() | Line::Attention.mask());
    }

    /// Releases everything: what a board does that no longer trusts itself.
    pub fn release_all(&mut self) {
        self.release();
        self.change(0, OPEN_DRAIN);
    }

    /// Drives the data wires of `mask`.
    pub(super) fn drive_data(&mut self, mask: u32) {
        for word in [1, 2] {
            self.gpio.store_functions(word as usize, self.base[word as usize] | outputs(mask, word));
        }
    }

    /// Drives no data wire.
    pub(super) fn float_data(&mut self) {
        self.gpio.store_functions(1, self.base[1]);
        self.gpio.store_functions(2, self.base[2]);
    }

    /// Puts `levels` on the data pins of `mask`.
    #[inline(always)]
    pub(super) fn put(&mut self, mask: u32, levels: u32) {
        self.gpio.set(levels & mask);
        self.gpio.clear(!levels & mask);
    }

    /// Lets what was stored settle on the wires.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        for _ in 0..self.settle.reads {
            self.gpio.levels();
        }
        for _ in 0..self.settle.stores {
            self.gpio.set(0);
        }
    }

    /// Keeps the data where they are a little after the strobe.
    #[inline(always)]
    pub(super) fn hold(&mut self) {
        for _ in 0..self.settle.hold {
            self.gpio.set(0);
        }
    }

    /// Two readings that agree, so that no passing spike counts; the last of some if none agree.
    pub fn levels(&mut self) -> u32 {
        let mut before = self.gpio.levels();
        for _ in 0..READS_BETWEEN_CLOCKS {
            let now = self.gpio.levels();
            if now == before {
                break;
            }
            before = now;
        }
        before
    }

    /// Waits until two readings in a row are as wanted; the second one.
    #[inline(always)]
    pub(super) fn twice(&mut self, wait: Wait) -> Result<u32, Stopped> {
        self.counted(&mut 0, wait)
    }

    /// The same, counting the readings.
    #[inline(always)]
    pub(super) fn counted(&mut self, readings: &mut u32, wait: Wait) -> Result<u32, Stopped> {
        // Nothing that the mask leaves over is like its complement.
        let (mut end_ns, mut before) = (None, !wait.mask);
        loop {
            for _ in 0..READS_BETWEEN_CLOCKS {
                let levels = self.gpio.levels();
                let now = levels & wait.mask;
                *readings += 1;
                if now == before && now == wait.want {
                    return Ok(levels);
                }
                if now == before && Some(now) == wait.nobody {
                    return Err(self.stop(BusError::NobodyListens));
                }
                before = now;
            }
            self.look_at_clock(&mut end_ns, self.timing.answer_ns, wait.blame(before))?;
        }
    }

    /// Waits until `mask` is as `want`.
    pub(super) fn wait_for(&mut self, mask: u32, want: u32) -> Result<u32, Stopped> {
        self.twice(Wait { mask, want, nobody: None })
    }

    /// Ends a wait of `bound_ns` that began when `end_ns` was none, and the frame when it took too long.
    #[cold]
    #[inline(never)]
    pub(super) fn look_at_clock(&mut self, end_ns: &mut Option<u64>, bound_ns: u64, line: Line) -> Result<(), Stopped> {
        let now_ns = self.gpio.now_ns();
        if now_ns >= *end_ns.get_or_insert(now_ns + bound_ns) {
            return Err(self.stop(BusError::NoAnswer(line)));
        }
        if now_ns >= self.frame_end_ns { Err(self.stop(BusError::FrameTooSlow)) } else { Ok(()) }
    }

    /// Notes why something ends early.
    #[cold]
    #[inline(never)]
    pub(super) fn stop(&mut self, why: BusError) -> Stopped {
        self.why = why;
        Stopped
    }
}
