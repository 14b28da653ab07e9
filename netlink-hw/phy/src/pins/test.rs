//! The test frame: which data wires are stuck, open, swapped or shorted.
//!
//! It needs no data wire to be understood: attention stays low throughout. The patterns are none, all,
//! and walking ones and zeros. A wire driven by its own board reads as it is driven, whatever happens
//! behind the board's series resistor, so the talker lets go of the wires for each pattern and reads
//! what the harness holds. Not here: what to do about a broken wire.

use super::bus::{PinBus, Stopped};
use super::error::BusError;
use super::wiring::{HarnessLine, gather, spread};
use crate::token::Arming;
use renga_hal::gpio::PinBank;

/// Data wires at most.
pub const WIRES: usize = 16;
/// Patterns of a test.
pub const PATTERNS: usize = 2 + 2 * WIRES;
/// Samples of the harness until it reads as it was driven: a stall lets the wires fall.
const POLLS_MAX: u32 = 4;

/// What a board saw of each pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternReadings {
    /// By pattern.
    pub patterns: [u16; PATTERNS],
}

impl Default for PatternReadings {
    fn default() -> PatternReadings {
        PatternReadings { patterns: [0; PATTERNS] }
    }
}

/// What one board sees of one wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireReading {
    /// What was sent.
    Good,
    /// Always low.
    NeverHigh,
    /// Always high.
    NeverLow,
    /// What was sent on another wire.
    Carries(u8),
    /// Disturbed when another wire differs.
    MixedWith(u8),
    /// Something else.
    Unclear,
}

/// What is wrong with a wire, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// The wire is low for every board.
    StuckLow,
    /// The wire is high for every board.
    StuckHigh,
    /// The board has no contact with the wire.
    Open {
        /// The board.
        board: u8,
    },
    /// At the board, the wire is exchanged with another.
    Swapped {
        /// The board.
        board: u8,
        /// The wire with which.
        with: u8,
    },
    /// The wire touches another.
    Shorted {
        /// The other.
        with: u8,
    },
    /// It does not work, and no single fault explains it.
    Unclear,
}

/// Pattern `index` on all sixteen wires.
pub const fn pattern(index: usize) -> u16 {
    match index {
        0 => 0,
        1 => u16::MAX,
        index if index < 2 + WIRES => 1 << (index - 2),
        index => !(1 << (index - 2 - WIRES)),
    }
}

/// A wire's levels over all patterns, a bit each.
fn column(view: &PatternReadings, wire: u8) -> u64 {
    let bit = |(index, word): (usize, &u16)| u64::from(word >> wire & 1) << index;
    view.patterns.iter().enumerate().map(bit).sum()
}

fn sent(wire: u8) -> u64 {
    (0..PATTERNS).map(|index| u64::from(pattern(index) >> wire & 1) << index).sum()
}

impl PatternReadings {
    /// What this board sees of `wire` of `wires` wires.
    pub fn sight(&self, wire: u8, wires: u8) -> WireReading {
        let (seen, right) = (column(self, wire), sent(wire));
        let others = || (0..wires).filter(|other| *other != wire);
        if seen == right {
            return WireReading::Good;
        }
        if seen == 0 {
            return WireReading::NeverHigh;
        }
        if seen == (1 << PATTERNS) - 1 {
            return WireReading::NeverLow;
        }
        if let Some(other) = others().find(|other| seen == sent(*other)) {
            return WireReading::Carries(other);
        }
        // Wires that touch are wrong only while they are driven apart.
        match others().find(|other| (seen ^ right) & !(sent(*other) ^ right) == 0) {
            Some(other) => WireReading::MixedWith(other),
            None => WireReading::Unclear,
        }
    }
}

/// Names what is wrong with `wire`, from what the talker of a test and its listeners saw.
pub fn name_fault(
    wire: u8,
    wires: u8,
    talker: (u8, &PatternReadings),
    listeners: &[(u8, PatternReadings)],
) -> Option<WireFault> {
    let at_talker = talker.1.sight(wire, wires);
    let sights = || listeners.iter().map(|(board, view)| (*board, view.sight(wire, wires)));
    let (board, first) = sights().find(|(_, sight)| *sight != WireReading::Good).unwrap_or((talker.0, at_talker));
    if first == WireReading::Good {
        return None;
    }
    let all = sights().all(|(_, sight)| sight == first);
    let alone = sights().filter(|(_, sight)| *sight != WireReading::Good).count() == 1;
    // Where all others see the same, and they are several, it is the talker's end.
    let place = if all && !(alone && listeners.len() == 1) { talker.0 } else { board };
    Some(match first {
        WireReading::NeverHigh if all && at_talker == first => WireFault::StuckLow,
        WireReading::NeverLow if all && at_talker == first => WireFault::StuckHigh,
        WireReading::NeverHigh if all || alone => WireFault::Open { board: place },
        WireReading::Carries(with) if all || alone => WireFault::Swapped { board: place, with },
        // Wires driven against each other may read as anything (a Pi 4 reads their level either way).
        _ => {
            let views = || listeners.iter().map(|(_, view)| view).chain([talker.1]);
            touching(wire, wires, views).map_or(WireFault::Unclear, |with| WireFault::Shorted { with })
        }
    })
}

/// The wire that `wire` touches: both are wrong for some board, and only while they are driven apart.
fn touching<'a, I: Iterator<Item = &'a PatternReadings>>(wire: u8, wires: u8, views: impl Fn() -> I) -> Option<u8> {
    let wrong = |wire: u8| views().fold(0, |wrong, view| wrong | column(view, wire) ^ sent(wire));
    let apart = |other: &u8| wrong(wire) & !(sent(*other) ^ sent(wire)) == 0;
    (0..wires).filter(|other| *other != wire && wrong(*other) != 0).find(apart)
}

impl<G: PinBank> PinBus<G> {
    /// Sends the patterns and returns what this board sees on the harness.
    ///
    /// # Errors
    /// Which control line does not answer.
    pub fn talk_test(&mut self) -> Result<PatternReadings, BusError> {
        self.frame_end_ns = self.gpio.now_ns() + self.timing.frame_ns;
        let mut sent = self.call_attention(Arming::Timed).map(|()| PatternReadings::default());
        if sent.is_ok() {
            sent = self.send_patterns();
            if sent.is_err() {
                self.give_up();
            }
        }
        self.release();
        sent.map_err(|Stopped| self.why)
    }

    fn send_patterns(&mut self) -> Result<PatternReadings, Stopped> {
        let (pins, mut view) = (self.data, PatternReadings::default());
        for (index, seen) in view.patterns.iter_mut().enumerate() {
            let levels = spread(pattern(index));
            *seen = self.sample_harness(levels & pins);
            // The first to finish must not take the end for the start of a frame.
            self.send_three_wire(levels, index + 1 == PATTERNS)?;
        }
        let ready = HarnessLine::NotReady.mask();
        let both = ready | HarnessLine::NotAccepted.mask();
        self.wait_for(both, both)?;
        Ok(view)
    }

    /// Drives `levels`, releases them, and reads the wires at once.
    fn sample_harness(&mut self, levels: u32) -> u16 {
        let pins = self.data;
        let mut seen = 0;
        for _ in 0..POLLS_MAX {
            self.put(pins, levels);
            self.settle();
            self.float_data();
            // The pins let go later than the store returns.
            self.hold();
            self.hold();
            seen = self.gpio.levels();
            self.drive_data(pins);
            if (seen ^ levels) & pins == 0 {
                break;
            }
        }
        gather(seen & pins)
    }
}
