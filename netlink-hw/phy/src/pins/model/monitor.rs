//! The rules of the bus, watched from outside: what a driver does wrong is a violation even when the
//! data happen to arrive.

use crate::pins::Handshake;
use crate::pins::wiring::PinName;
use core::fmt;
use std::vec::Vec;

/// A rule broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Two boards drive a line against each other: the one to high, the other to low.
    Contention {
        /// To high.
        high: u8,
        /// To low.
        low: u8,
    },
    /// A data line had not settled when its talker gave the strobe.
    Unsettled {
        /// The talker.
        talker: u8,
        /// So long before the strobe it changed, ns.
        before_ns: u64,
    },
    /// The strobe moved before all listeners had answered.
    StrobeTooEarly {
        /// The talker.
        talker: u8,
    },
    /// Data changed before all listeners had taken them.
    DataTooEarly {
        /// The talker.
        talker: u8,
    },
    /// A line that nothing holds was read.
    Floating {
        /// The reader.
        reader: u8,
    },
    /// An octet came over SPI to a board that takes part, and had no room there.
    Overrun {
        /// The board.
        reader: u8,
    },
    /// A board went from one peripheral to another without a barrier.
    NoBarrier {
        /// The board.
        board: u8,
    },
    /// A data line was read between the thresholds while the strobe said that it was valid.
    Undefined {
        /// The reader.
        reader: u8,
    },
}

/// Where and when a rule was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When, ns.
    pub at_ns: u64,
    /// On which line.
    pub line: PinName,
    /// What.
    pub rule: Rule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns, {}: ", self.at_ns, self.line)?;
        match self.rule {
            Rule::Contention { high, low } => write!(f, "board {high} drives it high, board {low} low"),
            Rule::Unsettled { talker, before_ns } => {
                write!(f, "board {talker} changed it only {before_ns} ns before the strobe")
            }
            Rule::StrobeTooEarly { talker } => write!(f, "board {talker} moved it before all had answered"),
            Rule::DataTooEarly { talker } => write!(f, "board {talker} changed it before all had taken it"),
            Rule::Floating { reader } => write!(f, "board {reader} reads it while nothing holds it"),
            Rule::Overrun { reader } => write!(f, "an octet came for which board {reader} had no room"),
            Rule::NoBarrier { board } => write!(f, "board {board} went to another peripheral without a barrier"),
            Rule::Undefined { reader } => write!(f, "board {reader} reads it between the thresholds as data"),
        }
    }
}

/// What is watched.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// The handshake of the data pins that the boards use; none over SPI.
    pub handshake: Option<Handshake>,
    /// Data must be stable before the strobe for so long, ns.
    pub settle_ns: u64,
    /// Violations until now; at most [`VIOLATIONS_MAX`].
    pub violations: Vec<Violation>,
    /// A strobe is out that not all have answered.
    pub pending: bool,
}

/// Violations kept.
pub const VIOLATIONS_MAX: usize = 100;

impl Monitor {
    /// Notes a violation.
    pub fn report(&mut self, at_ns: u64, pin: u8, rule: Rule) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(Violation { at_ns, line: PinName(pin), rule });
        }
    }
}
