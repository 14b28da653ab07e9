//! The block of pins of one board (BCM2837 ARM Peripherals, chapter 6; BCM2711 ARM Peripherals, chapter 5), wired to
//! those of other boards.
//!
//! A board's own functions, latches and pulls act at once; other boards' drives come by orders, each with its instant.
//! The levels follow from both: low wins, then high, then a strong resistor upwards, then the weak ones inside the
//! boards; an undriven pin reads 0.
//!
//! Invariant: what a register shows depends on the virtual time of the access and on the orders received, never on when
//! they were received.
//!
//! Not here: the wiring of the pins, its delays, and conflicts (`renga_emu::wires`); rise times, skew between bits,
//! windows of the edge detectors (the pin model of `renga-phy` has those).

mod drive;

pub use drive::PinDrive;

use crate::machine::PullRegisters;
use crate::messages::BoardOrder;
use std::collections::VecDeque;
use std::ops::Range;

/// The block's size.
pub const BLOCK_BYTES: u64 = 0x1000;
/// The peripherals' line for pins 0 to 27, by level.
pub const INTERRUPT_LINE: u32 = 49;

/// RW: functions, six words, ten pins a word, three bits a pin: 0 input, 1 output.
pub const FUNCTIONS: u64 = 0x00;
/// The first of the function words of pins 40 to 53. Those of 48 to 53 choose one of two hosts for the SD card.
pub const CARD_FUNCTIONS: u64 = 0x10;
/// W: ones set latches, two words.
pub const SET: u64 = 0x1c;
/// W: ones clear latches, two words.
pub const CLEAR: u64 = 0x28;
/// R: levels, two words.
pub const LEVELS: u64 = 0x34;
/// RW: events seen, two words; ones clear.
pub const EVENTS: u64 = 0x40;
/// RW: the first of six kinds of detection, in the order of [`Detect`], two words each, 12 bytes apart.
pub const DETECTS: u64 = 0x4c;
/// BCM2837. RW: the pull that the next clock word chooses: 0 none, 1 down, 2 up.
pub const PULL: u64 = 0x94;
/// BCM2837. W: pins that take the pull, two words.
pub const PULL_CLOCK: u64 = 0x98;
/// BCM2711. RW: pulls, four words, sixteen pins a word, two bits a pin: 0 none, 1 up, 2 down.
pub const PULLS: u64 = 0xe4;

/// Pins whose interrupt is [`INTERRUPT_LINE`].
pub const INTERRUPT_PINS: u64 = (1 << 28) - 1;

const FUNCTION_WORDS: usize = 6;
const PINS_PER_FUNCTION_WORD: usize = 10;
const OUTPUT: u32 = 1;
const DETECT_KINDS: usize = 6;
const DETECT_STRIDE: u64 = 12;
/// Words of a register of all pins.
const WORDS: u64 = 2;
const PULLS_END: u64 = PULLS + 16;
const PINS_PER_PULL_WORD: u64 = 16;
const PULL_PINS: u64 = 58;

/// Kinds of detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detect {
    /// Low to high.
    Rising = 0,
    /// High to low.
    Falling = 1,
    /// While high.
    High = 2,
    /// While low.
    Low = 3,
    /// Low to high, however short.
    RisingAsync = 4,
    /// High to low, however short.
    FallingAsync = 5,
}

/// What other boards do is known to a board from this on.
#[derive(Debug)]
struct Arriving {
    time_ns: u64,
    board: u8,
    drive: PinDrive,
    changed: u32,
}

/// The block.
#[derive(Debug)]
pub struct PinBlock {
    functions: [u32; FUNCTION_WORDS],
    /// The pins that these make outputs.
    outputs: u64,
    latches: u64,
    pull_registers: PullRegisters,
    pull_code: u32,
    pulls_up: u64,
    pulls_down: u64,
    detects: [u64; DETECT_KINDS],
    events: u64,
    /// What each other board does to the pins, by board.
    others: Vec<PinDrive>,
    /// Pins with a strong resistor to the supply.
    held_up: u32,
    /// Ordered by time, then by board.
    arriving: VecDeque<Arriving>,
    levels: u64,
}

impl PinBlock {
    /// The block after a reset, at pins where the other boards do `others` and which strong resistors pull up if in
    /// `held_up`.
    pub fn new(pull_registers: PullRegisters, others: Vec<PinDrive>, held_up: u32) -> Self {
        let mut pins = Self {
            functions: [0; FUNCTION_WORDS],
            outputs: 0,
            latches: 0,
            pull_registers,
            pull_code: 0,
            pulls_up: u64::from(PinDrive::RESET.up),
            pulls_down: u64::from(PinDrive::RESET.down),
            detects: [0; DETECT_KINDS],
            events: 0,
            others,
            held_up,
            arriving: VecDeque::new(),
            levels: 0,
        };
        pins.levels = pins.resolved();
        pins
    }

    /// What this board does to its pins.
    pub fn drive(&self) -> PinDrive {
        let outputs = self.outputs;
        let [low, high] = [outputs & !self.latches, outputs & self.latches];
        PinDrive { low: low as u32, high: high as u32, up: self.pulls_up as u32, down: self.pulls_down as u32 }
    }

    /// Takes an order for the future; others than [`BoardOrder::Pins`] are not for this device and are ignored.
    ///
    /// # Panics
    /// If the order lies before `now_ns`: the coordinator let this board run too far.
    pub fn order(&mut self, order: BoardOrder, now_ns: u64) {
        let BoardOrder::Pins { time_ns, board, drive, changed } = order else { return };
        assert!(time_ns >= now_ns, "{now_ns} ns: what board {board} did with its pins comes too late, {time_ns} ns");
        let place = self.arriving.partition_point(|other| (other.time_ns, other.board) <= (time_ns, board));
        self.arriving.insert(place, Arriving { time_ns, board, drive, changed });
    }

    /// Lets everything happen that is due by `now_ns`.
    pub fn advance(&mut self, now_ns: u64) {
        while let Some(change) = self.arriving.pop_front_if(|change| change.time_ns <= now_ns) {
            let board = usize::from(change.board);
            if self.others.len() <= board {
                self.others.resize(board + 1, PinDrive::default());
            }
            self.others[board] = change.drive;
            self.settle();
        }
    }

    /// Whether the interrupt line is high.
    pub fn interrupt(&self) -> bool {
        self.events & INTERRUPT_PINS != 0
    }

    /// When [`PinBlock::interrupt`] may change by itself next, if anything for that is known.
    pub fn next_ns(&self) -> Option<u64> {
        let wakes = self.wakes();
        self.arriving.iter().find(|change| change.changed & wakes != 0).map(|change| change.time_ns)
    }

    /// Pins of which a change may raise the interrupt.
    pub fn wakes(&self) -> u32 {
        (self.detects.iter().fold(0, |all, kind| all | kind) & INTERRUPT_PINS) as u32
    }

    /// Reads the register at `offset`.
    pub fn read(&mut self, offset: u64, now_ns: u64) -> u32 {
        self.advance(now_ns);
        match offset {
            FUNCTIONS..SET => self.functions.get((offset / 4) as usize).copied().unwrap_or(0),
            LEVELS..EVENTS => half(self.levels, offset - LEVELS),
            EVENTS..DETECTS => half(self.events, offset - EVENTS),
            DETECTS..PULL => {
                let from_first = offset - DETECTS;
                half(self.detects[(from_first / DETECT_STRIDE) as usize], from_first % DETECT_STRIDE)
            }
            PULL if self.pull_registers == PullRegisters::Clocked => self.pull_code,
            PULLS..PULLS_END if self.pull_registers == PullRegisters::Direct => self.read_pulls(offset),
            _ => 0,
        }
    }

    /// Writes the register at `offset`; what the board does to its pins, if that changes.
    pub fn write(&mut self, offset: u64, value: u32, now_ns: u64) -> Option<PinDrive> {
        self.advance(now_ns);
        let before = self.drive();
        match offset {
            FUNCTIONS..SET if (offset / 4) < FUNCTION_WORDS as u64 => self.choose(offset / 4, value),
            SET..CLEAR => self.latches |= word(value, offset - SET),
            CLEAR..LEVELS => self.latches &= !word(value, offset - CLEAR),
            EVENTS..DETECTS => self.events &= !word(value, offset - EVENTS),
            DETECTS..PULL => {
                let from_first = offset - DETECTS;
                let kind = &mut self.detects[(from_first / DETECT_STRIDE) as usize];
                let place = from_first % DETECT_STRIDE;
                *kind = *kind & !word(u32::MAX, place) | word(value, place);
            }
            _ => self.write_pulls(offset, value),
        }
        self.settle();
        let after = self.drive();
        (after != before).then_some(after)
    }

    fn choose(&mut self, word: u64, value: u32) {
        self.functions[word as usize] = value;
        for place in 0..PINS_PER_FUNCTION_WORD {
            let pin = word as usize * PINS_PER_FUNCTION_WORD + place;
            let output = value >> (place * 3) & 7 == OUTPUT;
            self.outputs = self.outputs & !(1 << pin) | u64::from(output) << pin;
        }
    }

    fn write_pulls(&mut self, offset: u64, value: u32) {
        match (self.pull_registers, offset) {
            (PullRegisters::Clocked, PULL) => self.pull_code = value & 3,
            (PullRegisters::Clocked, PULL_CLOCK..PULLS) => {
                let pins = word(value, offset - PULL_CLOCK);
                self.pull(pins, self.pull_code == 2, self.pull_code == 1);
            }
            (PullRegisters::Direct, PULLS..PULLS_END) => {
                for pin in pull_word(offset) {
                    let code = value >> (pin % PINS_PER_PULL_WORD * 2) & 3;
                    self.pull(1 << pin, code == 1, code == 2);
                }
            }
            _ => {}
        }
    }

    fn pull(&mut self, pins: u64, up: bool, down: bool) {
        self.pulls_up = self.pulls_up & !pins | if up { pins } else { 0 };
        self.pulls_down = self.pulls_down & !pins | if down { pins } else { 0 };
    }

    fn read_pulls(&self, offset: u64) -> u32 {
        pull_word(offset).fold(0, |word, pin| {
            let code = (self.pulls_up >> pin & 1) as u32 | ((self.pulls_down >> pin & 1) as u32) << 1;
            word | code << (pin % PINS_PER_PULL_WORD * 2)
        })
    }

    /// Brings the levels up to date, and the events with them.
    fn settle(&mut self) {
        let (before, now) = (self.levels, self.resolved());
        self.levels = now;
        let detect = |kind: Detect| self.detects[kind as usize];
        let rising = detect(Detect::Rising) | detect(Detect::RisingAsync);
        let falling = detect(Detect::Falling) | detect(Detect::FallingAsync);
        self.events |= now & !before & rising | before & !now & falling;
        self.events |= now & detect(Detect::High) | !now & detect(Detect::Low);
    }

    fn resolved(&self) -> u64 {
        let own = self.drive();
        let all = self.others.iter().fold(own, |all, other| all.with(*other));
        let first = all.level(self.held_up);
        // Only the first 32 pins are wired to anything.
        let rest = self.outputs & self.latches | !self.outputs & self.pulls_up & !self.pulls_down;
        u64::from(first) | rest >> 32 << 32
    }
}

/// The pins of the pull word at `offset`.
fn pull_word(offset: u64) -> Range<u64> {
    let first = (offset - PULLS) / 4 * PINS_PER_PULL_WORD;
    first..(first + PINS_PER_PULL_WORD).min(PULL_PINS)
}

/// The word at `place` bytes of a register of all pins; those behind the second do not exist.
fn half(all: u64, place: u64) -> u32 {
    if place / 4 < WORDS { (all >> (place * 8)) as u32 } else { 0 }
}

/// `value` at `place` bytes of a register of all pins.
fn word(value: u32, place: u64) -> u64 {
    if place / 4 < WORDS { u64::from(value) << (place * 8) } else { 0 }
}

#[cfg(test)]
mod tests;
