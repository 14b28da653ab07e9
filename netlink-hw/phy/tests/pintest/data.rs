//! Faults of data wires: each board names wire and fault.

use crate::cluster::{each, found, setup, wire};
use renga_phy::pins::model::{HarnessFault, Speed};
use renga_phy::pins::wiring::data_pin;
use renga_phy::pintest::{FaultPlace, Finding};

const NAMES: [&str; 16] =
    ["D0", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15"];
const BOARDS: u8 = 3;

/// Holds: pintest-wires.
#[test]
fn pintest_held_data_wires_are_named() {
    for at in 0..16 {
        let (pin, name) = (data_pin(at), NAMES[usize::from(at)]);
        each(at, HarnessFault::StuckLow(pin), |_| vec![(name, Finding::HeldLow)]);
        each(at, HarnessFault::StuckHigh(pin), |_| vec![(name, Finding::HeldHigh)]);
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_open_data_wires_are_named_with_board() {
    for open in 0..BOARDS {
        for at in [0, 5, 11, 15] {
            let place = |board| if board == open { FaultPlace::This } else { FaultPlace::Board(open) };
            let fault = HarnessFault::Open { board: open, pin: data_pin(at) };
            each(open + at, fault, |board| vec![(NAMES[usize::from(at)], Finding::Open { place: place(board) })]);
        }
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_swapped_data_wires_are_named_with_board() {
    for swapped in 0..BOARDS {
        for (a, b) in [(0, 1), (3, 12), (14, 15)] {
            let fault = HarnessFault::Swapped { board: swapped, pins: (data_pin(a), data_pin(b)) };
            let [a, b] = [a, b].map(|at| NAMES[usize::from(at)]);
            each(swapped, fault, |board| {
                let place = if board == swapped { FaultPlace::This } else { FaultPlace::Board(swapped) };
                let found = |with| Finding::Swapped { place, with: wire(with) };
                vec![(a, found(b)), (b, found(a))]
            });
        }
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_shorted_data_wires_are_named() {
    for (a, b) in [(1, 2), (7, 13)] {
        let [first, second] = [a, b].map(|at| NAMES[usize::from(at)]);
        let touches = |with| Finding::Touches { with: wire(with) };
        each(a, HarnessFault::Shorted(data_pin(a), data_pin(b)), |_| {
            vec![(first, touches(second)), (second, touches(first))]
        });
    }
}

/// Two boards cannot see at which of them the fault is, and report both.
/// Holds: pintest-two.
#[test]
fn pintest_two_boards_fault_is_either() {
    let open = HarnessFault::Open { board: 1, pin: data_pin(4) };
    let swapped = HarnessFault::Swapped { board: 0, pins: (data_pin(4), data_pin(9)) };
    for speed in Speed::ALL {
        for (board, found_open) in found(&setup(2, speed, &[open])).into_iter().enumerate() {
            let place = FaultPlace::Either(1 - board as u8);
            assert_eq!(found_open, [("D4", Finding::Open { place })], "{speed:?}");
        }
        for (board, found_swapped) in found(&setup(2, speed, &[swapped])).into_iter().enumerate() {
            let found = |with| Finding::Swapped { place: FaultPlace::Either(1 - board as u8), with: wire(with) };
            assert_eq!(found_swapped, [("D4", found("D9")), ("D9", found("D4"))], "{speed:?}");
        }
    }
}
