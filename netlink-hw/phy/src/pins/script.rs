//! The other side of a frame as a script, so that the driver's own work can be counted.
//!
//! [`Ideal`] plays all other boards at once: what they owe is there at the next reading. It writes down
//! what the driver reads. [`ScriptedPins`] lets the driver read the same again and costs next to nothing, so
//! that what is counted then is the driver. Not here: times (`model`); counting (the image's bench).

use super::bus::Handshake;
use super::wiring::{HarnessLine, Width, outputs, spread};
use core::sync::atomic::{AtomicU32, Ordering};
use renga_hal::gpio::{PinBank, Pull};

/// Readings that a script holds: a power of two.
pub const READINGS_MAX: usize = 8192;
/// Between two readings of the clock, ns.
const POLL_NS: u64 = 1_000;

const STROBE: u32 = HarnessLine::Strobe.mask();
const READY: u32 = HarnessLine::NotReady.mask();
const ACCEPTED: u32 = HarnessLine::NotAccepted.mask();
const ATTENTION: u32 = HarnessLine::Attention.mask();
const DATA: u32 = Width::Sixteen.pins();

/// The part of the other side.
enum Part<'a> {
    /// Listeners, one of which takes the frame.
    Listeners {
        /// They take part.
        engaged: bool,
        /// The poll has begun.
        polled: bool,
    },
    /// The talker of a frame.
    Talker { words: core::slice::Iter<'a, [u8; 2]>, handshake: Handshake, begun: bool, polls: bool },
}

/// The other side, always ready.
pub struct Ideal<'a> {
    part: Part<'a>,
    /// What the other side does to strobe, attention and data: levels.
    others: u32,
    functions: [u32; 3],
    latches: u32,
    readings: &'a mut [u32; READINGS_MAX],
    read: usize,
    stored: usize,
    now_ns: u64,
}

impl<'a> Ideal<'a> {
    /// Listeners for a driver that talks.
    pub fn listeners(readings: &'a mut [u32; READINGS_MAX]) -> Ideal<'a> {
        Ideal::new(Part::Listeners { engaged: false, polled: false }, readings, STROBE | ATTENTION | READY)
    }

    /// The talker of `frame`, sixteen wires, for a driver that listens.
    pub fn talker(frame: &'a [u8], handshake: Handshake, readings: &'a mut [u32; READINGS_MAX]) -> Ideal<'a> {
        let words = frame.as_chunks().0.iter();
        Ideal::new(Part::Talker { words, handshake, begun: false, polls: false }, readings, STROBE)
    }

    fn new(part: Part<'a>, readings: &'a mut [u32; READINGS_MAX], others: u32) -> Ideal<'a> {
        Ideal { part, others, functions: [0; 3], latches: 0, readings, read: 0, stored: 0, now_ns: 0 }
    }

    /// Forgets earlier readings and stores.
    pub fn begin(&mut self) {
        (self.read, self.stored) = (0, 0);
    }

    /// Readings and stores since [`Ideal::begin`].
    pub fn accesses(&self) -> (usize, usize) {
        (self.read, self.stored)
    }

    fn drives(&self, mask: u32) -> bool {
        (0..3).any(|word| self.functions[word as usize] & outputs(mask, word) != 0)
    }

    /// Whether all others have answered the strobe, if this board is the listener.
    fn is_answered(&self) -> bool {
        let (free, pulled) = if self.others & STROBE == 0 { (ACCEPTED, READY) } else { (READY, ACCEPTED) };
        !self.drives(free) && self.drives(pulled)
    }

    /// The other side does what it owes.
    fn step(&mut self) {
        let (answered, data, calls) = (self.is_answered(), self.drives(DATA), self.drives(ATTENTION));
        let low = self.drives(STROBE) && self.latches & STROBE == 0;
        match &mut self.part {
            Part::Listeners { engaged, polled } => {
                *engaged |= calls;
                *polled |= low && calls && !data;
                *engaged &= low || !*polled;
                self.others = match (*engaged, low) {
                    (false, _) => STROBE | ATTENTION | READY | ACCEPTED,
                    (true, false) => STROBE | ATTENTION | READY,
                    // Board 1 takes the frame.
                    (true, true) => STROBE | ATTENTION | ACCEPTED | if *polled { spread(1 << 1) } else { 0 },
                };
            }
            Part::Talker { words, handshake, begun, polls } if answered => {
                let rises = self.others & STROBE == 0;
                if *polls {
                    self.others = STROBE | ATTENTION | READY | ACCEPTED;
                    return;
                }
                if !rises || *handshake == Handshake::TwoEdge {
                    let word = words.next().map(|bytes| spread(u16::from_le_bytes(*bytes)));
                    *polls = word.is_none() && !rises;
                    self.others = self.others & !DATA | word.unwrap_or(0);
                }
                // Attention stays low until the first word is taken, and comes back with the poll.
                let attention = if *begun && !*polls { ATTENTION } else { 0 };
                *begun = true;
                self.others = (self.others ^ STROBE) & !ATTENTION | READY | ACCEPTED | attention;
            }
            Part::Talker { .. } => {}
        }
    }

    /// Where this board drives nothing, what the others do.
    fn seen(&self) -> u32 {
        let pins = |on: &dyn Fn(u32) -> bool| (0..32).filter(|pin| on(1 << pin)).fold(0, |mask, pin| mask | 1 << pin);
        let driven = pins(&|mask| self.drives(mask));
        self.others & !driven | self.latches & driven
    }
}

impl PinBank for Ideal<'_> {
    fn now_ns(&mut self) -> u64 {
        self.now_ns += POLL_NS;
        self.now_ns
    }
    fn store_functions(&mut self, word: usize, value: u32) {
        self.functions[word] = value;
        self.stored += 1;
    }
    fn functions(&mut self, word: usize) -> u32 {
        self.functions[word]
    }
    fn set(&mut self, mask: u32) {
        self.latches |= mask;
        self.stored += 1;
    }
    fn clear(&mut self, mask: u32) {
        self.latches &= !mask;
        self.stored += 1;
    }
    fn set_pulls(&mut self, _: u32, _: Pull) {}
    fn levels(&mut self) -> u32 {
        self.step();
        let levels = self.seen();
        self.readings[self.read % READINGS_MAX] = levels;
        self.read += 1;
        levels
    }
}

/// What was read once, again. A reading is a load, and a store a store, as those of pins.
pub struct ScriptedPins<'a> {
    readings: &'a [u32; READINGS_MAX],
    read: usize,
    stored: AtomicU32,
    now_ns: u64,
}

impl<'a> ScriptedPins<'a> {
    /// From the first of `readings` on.
    pub fn new(readings: &'a [u32; READINGS_MAX]) -> ScriptedPins<'a> {
        ScriptedPins { readings, read: 0, stored: AtomicU32::new(0), now_ns: 0 }
    }

    /// Goes back to the first reading.
    pub fn begin(&mut self) {
        self.read = 0;
    }

    /// Readings since [`ScriptedPins::begin`].
    pub fn read(&self) -> usize {
        self.read
    }
}

impl PinBank for ScriptedPins<'_> {
    fn now_ns(&mut self) -> u64 {
        self.now_ns += POLL_NS;
        self.now_ns
    }
    #[inline]
    fn store_functions(&mut self, _: usize, value: u32) {
        self.stored.store(value, Ordering::Relaxed);
    }
    fn functions(&mut self, _: usize) -> u32 {
        0
    }
    #[inline]
    fn set(&mut self, mask: u32) {
        self.stored.store(mask, Ordering::Relaxed);
    }
    #[inline]
    fn clear(&mut self, mask: u32) {
        self.stored.store(mask, Ordering::Relaxed);
    }
    fn set_pulls(&mut self, _: u32, _: Pull) {}
    #[inline]
    fn levels(&mut self) -> u32 {
        let levels = self.readings[self.read % READINGS_MAX];
        self.read += 1;
        levels
    }
}
