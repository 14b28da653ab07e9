//! The wires of the link over SPI, with chips of both kinds on them.

use crate::cluster::{found, harness};
use renga_phy::pins::model::{HarnessFault, ModelSetup, Serial, Speed};
use renga_phy::pintest::{FaultPlace, Finding};

/// Three boards, of which the last is a Pi 4.
fn setup(faults: &[HarnessFault]) -> ModelSetup {
    let boards = vec![Speed::PI3_1200, Speed::PI3_600, Speed::PI4_600];
    ModelSetup { boards, serial: Some(Serial::REPORTED), faults: faults.to_vec(), ..ModelSetup::of(3, Speed::PI3_1200) }
}

fn each(fault: HarnessFault, expected: impl Fn(u8) -> Vec<(&'static str, Finding)>) {
    for (board, found) in found(&setup(&[fault])).into_iter().enumerate() {
        assert_eq!(found, expected(board as u8), "board {board}, {fault:?}");
    }
}

#[test]
fn pintest_sound_spi_has_no_findings() {
    assert_eq!(found(&setup(&[])), [vec![], vec![], vec![]]);
}

/// Holds: pintest-wires.
#[test]
fn pintest_spi_wire_faults_are_named() {
    let wire = |name| harness(&setup(&[]), 0).named(name).expect("there is such a wire");
    for (pin, name) in [(10, "DATA"), (11, "SCLK"), (8, "CE#"), (5, "ATN#")] {
        each(HarnessFault::StuckLow(pin), |_| vec![(name, Finding::HeldLow)]);
        each(HarnessFault::StuckHigh(pin), |_| vec![(name, Finding::HeldHigh)]);
    }
    let touches = |name| Finding::Touches { with: wire(name) };
    each(HarnessFault::Shorted(10, 11), |_| vec![("DATA", touches("SCLK")), ("SCLK", touches("DATA"))]);
    each(HarnessFault::Open { board: 1, pin: 6 }, |board| {
        let place = if board == 1 { FaultPlace::This } else { FaultPlace::Board(1) };
        vec![("NRFD#", Finding::Open { place })]
    });
    each(HarnessFault::Swapped { board: 1, pins: (5, 6) }, |board| {
        let place = if board == 1 { FaultPlace::This } else { FaultPlace::Board(1) };
        let found = |with| Finding::Swapped { place, with: wire(with) };
        vec![("NRFD#", found("ATN#")), ("ATN#", found("NRFD#"))]
    });
}

/// A Pi 3's slave listens by other pins than its master drives: one that is not on its wire is named by the board
/// itself.
/// Holds: pintest-wires.
#[test]
fn pintest_unjoined_slave_pins_are_named() {
    for (pin, name) in [(19, "SCLK"), (20, "DATA"), (21, "CE#")] {
        each(HarnessFault::Open { board: 0, pin }, |board| match board {
            0 => vec![(name, Finding::Unjoined { pin })],
            _ => vec![],
        });
    }
    // Of a Pi 4's the data pin only is another.
    each(HarnessFault::Open { board: 2, pin: 9 }, |board| match board {
        2 => vec![("DATA", Finding::Unjoined { pin: 9 })],
        _ => vec![],
    });
}
