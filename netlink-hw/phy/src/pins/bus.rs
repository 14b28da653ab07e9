//! The pins of one board: what it drives, and waiting for the lines with a bound.
//!
//! Invariant: an open-drain line is pulled by making its pin an output whose latch is low, and released
//! by making it an input; the function word of all control lines is kept in memory, so that one store
//! changes any of them and nothing is read back to be modified. The latch of the strobe rests high.
//! Not here: the handshake (`talk`, `listen`).

use super::error::BusError;
use super::listen::Reception;
use super::timing::{PinTiming, Settle};
use super::wiring::{HarnessLine, OPEN_DRAIN, TERMINATED, Width, function_bits, outputs};
use crate::FRAME_BYTES_MAX;
use crate::bus_phy::TokenBus;
use crate::token::Arming;
use renga_hal::gpio::{PinBank, Pull};
use renga_wire::bus::{Answers, BOARDS_MAX, Poll};

/// How a word crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Strobe low, accepted, strobe high, ready: as IEEE 488.
    ThreeWire,
    /// Every edge of the strobe carries a word; the two acknowledgement lines answer alternately.
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

/// Which pins a bus has, as masks.
pub(crate) struct Layout {
    /// Data wires.
    pub data: u32,
    /// Lines that the harness holds up.
    pub terminated: u32,
    /// Lines that are pulled by becoming outputs.
    pub open_drain: u32,
    /// The token's input.
    pub token_in: u32,
    /// Pulled down by this board.
    pub down: u32,
    /// Further pins on the bus, without pulls.
    pub off: u32,
    /// What pins of peripherals do, by function word.
    pub functions: [u32; 3],
    /// The first line of a mask.
    pub line_of: fn(u32) -> HarnessLine,
}

/// Readings between two readings of the clock.
pub(crate) const READS_BETWEEN_CLOCKS: u32 = 32;

/// The bus as one board drives it.
pub struct PinBus<G> {
    pub(crate) gpio: G,
    pub(crate) board: u8,
    pub(crate) wiring: Wiring,
    pub(crate) timing: PinTiming,
    /// Pins of the data wires.
    pub(crate) data: u32,
    pub(super) settle: Settle,
    /// Function words but for the pins of the link.
    base: [u32; 3],
    /// Function word 0 as it stands.
    control: u32,
    /// Pins that [`PinBus::change`] may change.
    controls: u32,
    line_of: fn(u32) -> HarnessLine,
    /// When the frame under way must have ended.
    pub(crate) frame_end_ns: u64,
    /// Why something was [`Stopped`] last.
    pub(crate) why: BusError,
}

/// Something ended early; why is in the bus. An error that said why itself would not fit into registers,
/// and cost ten instructions at every wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

/// What a wait waits for.
pub(crate) struct LineWait {
    /// The lines that matter.
    pub mask: u32,
    /// Their levels wanted.
    pub want: u32,
    /// The levels of a handshake without participants.
    pub unattended: Option<u32>,
}

impl LineWait {
    /// The lines that are not as wanted.
    const fn wrong(&self, levels: u32) -> u32 {
        (levels ^ self.want) & self.mask
    }
}

impl<G: PinBank> PinBus<G> {
    /// Takes the pins over, all released, and measures how fast they are (some 20 us).
    pub fn begin(gpio: G, board: u8, wiring: Wiring, timing: PinTiming) -> PinBus<G> {
        let data = wiring.width.pins();
        let layout = Layout {
            data,
            terminated: TERMINATED,
            open_drain: OPEN_DRAIN,
            token_in: HarnessLine::TokenIn.mask(),
            down: data,
            off: 0,
            functions: [0; 3],
            line_of: HarnessLine::at,
        };
        let mut bus = PinBus::begin_on(gpio, board, wiring, timing, &layout);
        bus.gpio.set(HarnessLine::Strobe.mask());
        bus
    }

    /// The same on other pins.
    pub(crate) fn begin_on(mut gpio: G, board: u8, wiring: Wiring, timing: PinTiming, layout: &Layout) -> PinBus<G> {
        assert!(board < BOARDS_MAX, "board {board}: the poll word has room for {BOARDS_MAX}");
        let Layout { data, terminated, open_drain, token_in, down, off, functions, line_of } = *layout;
        let ours = terminated | open_drain | token_in | down | off;
        let base =
            [0, 1, 2].map(|word| gpio.functions(word as usize) & !function_bits(ours, word) | functions[word as usize]);
        gpio.clear(open_drain | down);
        for (word, value) in base.iter().enumerate() {
            gpio.store_functions(word, *value);
        }
        let up = if wiring.pulls == PullUps::Internal { Pull::Up } else { Pull::Off };
        gpio.set_pulls(terminated, up);
        gpio.set_pulls(token_in, Pull::Up);
        gpio.set_pulls(HarnessLine::TokenOut.mask() | off, Pull::Off);
        gpio.set_pulls(down, Pull::Down);
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
            controls: open_drain | terminated,
            line_of,
            frame_end_ns: u64::MAX,
            why: BusError::NotAFrame,
        }
    }

    /// Gives the pins of `pins` the functions in `functions`, word by word in the order of `words`; lines
    /// that are pulled stay so.
    pub(crate) fn route(&mut self, pins: u32, functions: [u32; 3], words: [usize; 3]) {
        for word in words {
            let others = !function_bits(pins, word as u32);
            self.base[word] = self.base[word] & others | functions[word];
            self.control = if word == 0 { self.control & others | functions[0] } else { self.control };
            self.gpio.store_functions(word, if word == 0 { self.control } else { self.base[word] });
        }
    }

    /// This board's number.
    pub fn board(&self) -> u8 {
        self.board
    }

    /// Bounds and pauses.
    pub fn timing(&self) -> &PinTiming {
        &self.timing
    }

    /// The pins, for their clock.
    pub fn gpio(&mut self) -> &mut G {
        &mut self.gpio
    }

    /// Pulls the open-drain lines of `pull` and releases those of `release`, in one store.
    #[inline]
    pub fn change(&mut self, pull: u32, release: u32) {
        debug_assert!((pull | release) & !self.controls == 0, "not control lines");
        self.control = (self.control | outputs(pull, 0)) & !outputs(release, 0);
        self.gpio.store_functions(0, self.control);
    }

    /// Pulls those lines of `both` that it does not pull, and releases the others, in one store.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, both: u32) {
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
    pub(crate) fn release(&mut self) {
        self.float_data();
        self.gpio.set(HarnessLine::Strobe.mask());
        self.change(
            0,
            HarnessLine::Strobe.mask()
                | HarnessLine::NotReady.mask()
                | HarnessLine::NotAccepted.mask()
                | HarnessLine::Attention.mask(),
        );
    }

    /// Releases everything: what a board does that no longer trusts itself.
    pub fn release_all(&mut self) {
        self.release();
        self.change(0, OPEN_DRAIN);
    }

    /// Drives the data wires of `mask`.
    pub(crate) fn drive_data(&mut self, mask: u32) {
        for word in [1, 2] {
            self.gpio.store_functions(word as usize, self.base[word as usize] | outputs(mask, word));
        }
    }

    /// Drives no data wire.
    pub(crate) fn float_data(&mut self) {
        self.gpio.store_functions(1, self.base[1]);
        self.gpio.store_functions(2, self.base[2]);
    }

    /// Puts `levels` on the data pins of `mask`.
    #[inline(always)]
    pub(crate) fn put(&mut self, mask: u32, levels: u32) {
        self.gpio.set(levels & mask);
        self.gpio.clear(!levels & mask);
    }

    /// Lets what was stored settle on the wires.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        for _ in 0..self.settle.reads {
            self.gpio.levels();
        }
        for _ in 0..self.settle.stores {
            self.gpio.set(0);
        }
    }

    /// Keeps the data where they are a little after the strobe.
    #[inline(always)]
    pub(crate) fn hold(&mut self) {
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
    pub(crate) fn twice(&mut self, wait: LineWait) -> Result<u32, Stopped> {
        self.counted(&mut 0, wait)
    }

    /// The same, counting the readings.
    #[inline(always)]
    pub(crate) fn counted(&mut self, readings: &mut u32, wait: LineWait) -> Result<u32, Stopped> {
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
                if now == before && Some(now) == wait.unattended {
                    return Err(self.stop(BusError::NobodyListens));
                }
                before = now;
            }
            self.read_clock(&mut end_ns, self.timing.answer_ns, (self.line_of)(wait.wrong(before)))?;
        }
    }

    /// Waits until `mask` is as `want`.
    pub(crate) fn wait_for(&mut self, mask: u32, want: u32) -> Result<u32, Stopped> {
        self.twice(LineWait { mask, want, unattended: None })
    }

    /// Ends a wait of `bound_ns` that began when `end_ns` was none, and the frame when it took too long.
    #[cold]
    #[inline(never)]
    pub(crate) fn read_clock(
        &mut self,
        end_ns: &mut Option<u64>,
        bound_ns: u64,
        line: HarnessLine,
    ) -> Result<(), Stopped> {
        let now_ns = self.gpio.now_ns();
        if now_ns >= *end_ns.get_or_insert(now_ns + bound_ns) {
            return Err(self.stop(BusError::NoAnswer(line)));
        }
        if now_ns >= self.frame_end_ns { Err(self.stop(BusError::FrameTooSlow)) } else { Ok(()) }
    }

    /// Notes why something ends early.
    #[cold]
    #[inline(never)]
    pub(crate) fn stop(&mut self, why: BusError) -> Stopped {
        self.why = why;
        Stopped
    }
}

impl<G: PinBank> TokenBus for PinBus<G> {
    type Pins = G;

    fn mask(line: HarnessLine) -> u32 {
        line.mask()
    }
    fn board(&self) -> u8 {
        self.board
    }
    fn gpio(&mut self) -> &mut G {
        &mut self.gpio
    }
    fn levels(&mut self) -> u32 {
        PinBus::levels(self)
    }
    fn frame_begins(levels: u32) -> bool {
        PinBus::<G>::frame_begins(levels)
    }
    fn change(&mut self, pull: u32, release: u32) {
        PinBus::change(self, pull, release);
    }
    fn pulls(&self, mask: u32) -> bool {
        PinBus::pulls(self, mask)
    }
    fn pulls_all(&self, mask: u32) -> bool {
        PinBus::pulls_all(self, mask)
    }
    fn talk(&mut self, frame: &[u8], arming: Arming) -> Result<Poll, BusError> {
        PinBus::talk(self, frame, arming)
    }
    fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, BusError> {
        PinBus::listen(self, into, room, answers)
    }
    fn bid(&mut self) -> u16 {
        PinBus::bid(self)
    }
}
