//! Boards and wires in virtual nanoseconds, for the driver of the pins.
//!
//! What is modelled: latch and pad apart; wires as capacitors with pulls, terminators and series
//! resistors; stores that reach the pin later; reads that take their time, with a clock of skew between
//! bits; stalls; thresholds, with either value between them; spikes on wired-AND lines; harness faults;
//! boards that are reset, hang or lose power. The rules of the bus are watched ([`Violation`]).
//!
//! Invariant: the same setup and seed give the same run, on any host. Each board has its own time and its
//! own stack; the one that is furthest behind runs. Not here: reflections, cross-talk, drift.

mod bank;
mod harness;
mod monitor;
mod net;
mod peripherals;
mod powers;
mod rules;
mod speed;
mod spi_master;
mod spi_slave;
mod state;
mod tasks;

pub use bank::ModelPins;
pub use monitor::{Rule, Violation};
pub use peripherals::{ModelRegisters, Peripheral, Serial};
pub use speed::{INSTRUCTIONS, Instructions, Speed};
pub use spi_slave::{Lengths, Oddities};
pub use tasks::Tasks;

use super::Handshake;
use super::wiring::{HarnessLine, Width};
use state::ModelState;
use std::cell::RefCell;
use std::rc::Rc;
use std::vec::Vec;

/// What is wrong with the harness from the beginning. Pins are numbers of GPIOs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HarnessFault {
    /// A wire touches ground.
    StuckLow(u8),
    /// A wire touches the supply.
    StuckHigh(u8),
    /// A board's pin has no contact.
    Open {
        /// The board.
        board: u8,
        /// Its pin.
        pin: u8,
    },
    /// Two pins of a board are exchanged.
    Swapped {
        /// The board.
        board: u8,
        /// Its pins.
        pins: (u8, u8),
    },
    /// Two wires touch.
    Shorted(u8, u8),
}

/// A cluster on a harness.
#[derive(Clone, Debug)]
pub struct ModelSetup {
    /// The boards.
    pub boards: Vec<Speed>,
    /// Data wires of the harness.
    pub width: Width,
    /// The handshake whose rules are watched.
    pub handshake: Handshake,
    /// Pull-ups at the end of the harness, ohm; none: the boards' own pulls only.
    pub terminator_ohms: Option<f64>,
    /// The boards' own pulls, ohm.
    pub pull_ohms: f64,
    /// Each board stalls for up to 5 us, once in so many ns on average; none: never.
    pub stall_every_ns: Option<u64>,
    /// Spikes, of a thousand releases of a line that another board still pulls.
    pub spikes_per_mille: u16,
    /// Data must be stable before the strobe for so long, ns.
    pub settle_ns: u64,
    /// SPI in the place of the data wires, the strobe and pins 8 to 12; none: the pins.
    pub serial: Option<Serial>,
    /// What is wrong with the harness.
    pub faults: Vec<HarnessFault>,
    /// Of stalls, spikes, skew, levels between the thresholds.
    pub seed: u64,
}

impl ModelSetup {
    /// `boards` equal boards, three-wire, 1 kOhm, without stalls.
    pub fn of(boards: u8, speed: Speed) -> ModelSetup {
        ModelSetup {
            boards: (0..boards).map(|_| speed).collect(),
            width: Width::Sixteen,
            handshake: Handshake::ThreeWire,
            terminator_ohms: Some(1000.0),
            pull_ohms: PULL_OHMS,
            stall_every_ns: None,
            spikes_per_mille: 100,
            settle_ns: 80,
            serial: None,
            faults: Vec::new(),
            seed: 1,
        }
    }
}

/// Stalls of one word in a hundred of 880 ns, the estimate's word of a Pi 3: each board stalls once in so
/// many ns on average. Boards that take longer for a word stall in more of them.
pub const ONE_PERCENT_NS: u64 = 88_000;

/// The boards' own pulls as they usually are, ohm. The data sheet of a Pi 4 allows 33 to 73 kOhm.
pub const PULL_OHMS: f64 = 50_000.0;
/// The weakest that the data sheet of a Pi 4 allows, ohm.
pub const WEAKEST_PULL_OHMS: f64 = 73_000.0;

/// The boards and the harness.
#[derive(Clone)]
pub struct HarnessModel(Rc<RefCell<ModelState>>);

impl HarnessModel {
    /// All boards just reset.
    pub fn new(setup: &ModelSetup) -> HarnessModel {
        HarnessModel(Rc::new(RefCell::new(ModelState::new(setup))))
    }

    /// Violations of the bus's rules until now.
    pub fn violations(&self) -> Vec<Violation> {
        self.0.borrow().monitor.violations.clone()
    }

    /// `board`'s own time, ns.
    pub fn now_ns(&self, board: u8) -> u64 {
        self.0.borrow().boards[usize::from(board)].local_ns
    }

    /// What `board` is.
    pub fn speed(&self, board: u8) -> Speed {
        self.0.borrow().boards[usize::from(board)].speed
    }

    /// Reads and stores of `board`.
    pub fn accesses(&self, board: u8) -> u64 {
        self.0.borrow().boards[usize::from(board)].accesses
    }

    /// Whether `line` is high for `board` at `at_ns`, which no board may have passed by far.
    pub fn is_high(&self, board: u8, line: HarnessLine, at_ns: u64) -> bool {
        let mut state = self.0.borrow_mut();
        state.apply_until(at_ns);
        state.is_high(usize::from(board), line, at_ns)
    }

    /// The voltage of the wire at `pin` of `board`, V.
    pub fn voltage(&self, board: u8, pin: u8, at_ns: u64) -> f64 {
        let mut state = self.0.borrow_mut();
        state.apply_until(at_ns);
        state.voltage(usize::from(board), pin, at_ns)
    }

    fn reset(&self, board: u8, at_ns: u64, powered: bool) {
        self.0.borrow_mut().reset(usize::from(board), at_ns, powered);
    }
}
