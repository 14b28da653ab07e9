//! Faults of control lines and of the token's wires, and pull-ups that are not there.

use crate::cluster::{each, found, setup, wire};
use renga_phy::pins::model::{HarnessFault, ModelSetup, Speed};
use renga_phy::pins::{HarnessLine, Width};
use renga_phy::pintest::{FaultPlace, Finding};

const BOARDS: u8 = 3;
/// The lines that all boards share.
const SHARED: [HarnessLine; 5] =
    [HarnessLine::Strobe, HarnessLine::Busy, HarnessLine::NotReady, HarnessLine::NotAccepted, HarnessLine::Attention];

/// Holds: pintest-wires.
#[test]
fn pintest_held_control_lines_are_named() {
    for line in SHARED {
        each(line.pin(), HarnessFault::StuckLow(line.pin()), |_| vec![(line.name(), Finding::HeldLow)]);
        each(line.pin(), HarnessFault::StuckHigh(line.pin()), |_| vec![(line.name(), Finding::HeldHigh)]);
    }
}

/// With one other board, its contact may be missing as well.
/// Holds: pintest-two.
#[test]
fn pintest_two_boards_silent_control_line_is_either() {
    for fault in [HarnessFault::StuckHigh(8), HarnessFault::Open { board: 1, pin: 8 }] {
        let found = found(&setup(2, Speed::PI3_1200, &[fault]));
        assert_eq!(found[0], [("ATN#", Finding::HeldHighOrOpen { board: 1 })]);
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_open_control_lines_are_named_with_board() {
    for open in 0..BOARDS {
        for line in SHARED {
            let place = |board| if board == open { FaultPlace::This } else { FaultPlace::Board(open) };
            let fault = HarnessFault::Open { board: open, pin: line.pin() };
            each(open + line.pin(), fault, |board| vec![(line.name(), Finding::Open { place: place(board) })]);
        }
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_swapped_control_lines_are_named_with_board() {
    for (a, b) in [
        (HarnessLine::Strobe, HarnessLine::NotReady),
        (HarnessLine::NotAccepted, HarnessLine::Attention),
        (HarnessLine::Strobe, HarnessLine::Busy),
    ] {
        let swapped = 1;
        each(a.pin() + b.pin(), HarnessFault::Swapped { board: swapped, pins: (a.pin(), b.pin()) }, |board| {
            let place = if board == swapped { FaultPlace::This } else { FaultPlace::Board(swapped) };
            let found = |line: HarnessLine| Finding::Swapped { place, with: wire(line.name()) };
            // The one with the lower number comes first.
            let mut both = vec![(a.name(), found(b)), (b.name(), found(a))];
            both.sort_by_key(|(name, _)| wire(name));
            both
        });
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_data_wire_on_control_line_is_named() {
    for (data, line) in [(16, HarnessLine::Busy), (13, HarnessLine::NotAccepted)] {
        let name = if data == 16 { "D0" } else { "D15" };
        each(data, HarnessFault::Shorted(line.pin(), data), |_| {
            let touches = |name| Finding::Touches { with: wire(name) };
            vec![(name, touches(line.name())), (line.name(), touches(name))]
        });
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_token_wire_is_tested_by_puller() {
    for from in 0..BOARDS {
        let next = (from + 1) % BOARDS;
        for fault in [
            HarnessFault::Open { board: from, pin: HarnessLine::TokenOut.pin() },
            HarnessFault::Open { board: next, pin: HarnessLine::TokenIn.pin() },
        ] {
            each(from, fault, |board| {
                let open = Finding::Open { place: FaultPlace::Either(next) };
                if board == from { vec![("TOK_OUT#", open)] } else { vec![] }
            });
        }
    }
}

/// Holds: pintest-wires.
#[test]
fn pintest_missing_pull_ups_are_reported() {
    for speed in Speed::ALL {
        for boards in [2, 8] {
            let setup = ModelSetup { terminator_ohms: None, width: Width::Four, ..setup(boards, speed, &[]) };
            for found in found(&setup) {
                let slow: Vec<_> = SHARED.iter().map(|line| (line.name(), Finding::SlowRise)).collect();
                assert_eq!(found, slow, "{boards} boards, {speed:?}");
            }
        }
    }
}
