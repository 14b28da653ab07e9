//! The test of the link's wires: each board in turn pulls one wire after the other, and the others answer on it.
//!
//! **It has never run on a board.** A wire is pulled low or let go, data wires too, and the boards' pull-ups hold all of them
//! up: whatever is swapped or shorted, no two boards drive a wire against each other. What a board can see alone (held,
//! shorted, how long a wire rises) it sees of its own pins; for the rest each board that sees a wire fall says on that wire,
//! in a slot of time of its own, which wire it takes it for. So a wire needs no other one to be tested but the token's.
//! `docs/reference/pintest.md` is the protocol.
//!
//! Invariant: this board drives nothing high; every wait has a bound, and a turn ends within [`turn_bound_ns`]. Not
//! here: what comes over the wires when they are sound (`crate::pins`, `crate::spi`), who prints ([`PinReport`] is text).

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
    /// It has led since the boards' turns began anew.
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

    /// Answers the others until it is this board's turn, then leads: what it saw.
    pub fn turn(&mut self) -> &PinReport {
        self.listen();
        self.led = true;
        self.lead();
        &self.report
    }
}
