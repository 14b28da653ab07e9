//! The test of the link's wires: the boards lead one after the other; a leader pulls one wire after the other, and the
//! others answer on it.
//!
//! **It has never run on a board.** A wire is pulled low or released, data wires too, and the boards' pull-ups keep all
//! of them up: however wires are swapped or shorted, no two boards drive a wire against each other. A board reads some
//! faults from its own pins (stuck, shorted, how long a wire rises). For the rest each board that sees a wire fall
//! answers on that wire, in a slot of time of its own, which wire it takes it for. So a wire needs no other one to be
//! tested but the token's. `docs/reference/pintest.md` is the protocol.
//!
//! Invariant: this board drives no wire high; every wait has a bound, and a round ends within [`turn_bound_ns`]. Not
//! here: traffic over sound wires (`crate::pins`, `crate::spi`), the printing ([`PinReport`] is text).

mod finding;
mod harness;
mod lead;
mod listen;
mod open_drain;
mod report;
mod slots;
mod text;

pub use finding::{FaultPlace, Finding};
pub use harness::{Harness, Use, WIRES_MAX, Wire};
pub use report::{Answer, PinReport, Verdict, WireMeasurement};
pub use slots::turn_bound_ns;

use open_drain::OpenDrain;
use renga_hal::gpio::PinBank;
use renga_wire::bus::BOARDS_MAX;

/// Readings of one rise.
const READINGS: usize = 256;

/// One board that tests its wires: some kilobytes.
pub struct Tester<G> {
    pins: OpenDrain<G>,
    /// What it saw when it led last, and its wires.
    report: PinReport,
    board: u8,
    boards: u8,
    /// It has led since the rounds restarted.
    led: bool,
    readings: [u32; READINGS],
}

impl<G: PinBank> Tester<G> {
    /// Takes the pins over: board `board` of `boards`, all of which have such a harness.
    ///
    /// # Panics
    /// If there are more boards than the link has, or no such board.
    pub fn begin(gpio: G, harness: Harness, board: u8, boards: u8) -> Tester<G> {
        assert!(board < boards && boards <= BOARDS_MAX, "board {board} of {boards}: a link has up to {BOARDS_MAX}");
        let pins = OpenDrain::begin(gpio, harness.all_pins());
        let report = PinReport::new(board, boards, harness);
        Tester { pins, report, board, boards, led: false, readings: [0; READINGS] }
    }

    /// Answers the others until this board is to lead, then leads; the report.
    pub fn round(&mut self) -> &PinReport {
        self.listen();
        self.led = true;
        self.lead();
        &self.report
    }
}
