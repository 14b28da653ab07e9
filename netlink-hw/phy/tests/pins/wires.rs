//! The test frame names what is wrong with the harness; stuck control lines are named by what fails.

use crate::bench::{ALL, BEGIN_NS, Plan, Seen, WIRING, frame, payload, run};
use renga_phy::pins::model::{HarnessFault, ModelSetup, Speed};
use renga_phy::pins::test::{WireFault, name_fault};
use renga_phy::pins::wiring::data_pin;
use renga_phy::pins::{BusError, HarnessLine, Width, Wiring};

const BOARDS: u8 = 4;

/// What a test from board `talker` finds, wire by wire.
fn tested(talker: u8, width: Width, speed: Speed, faults: Vec<HarnessFault>) -> Vec<Option<WireFault>> {
    let plans = [(talker, BEGIN_NS, Plan::Test)];
    let setup = ModelSetup { width, faults, ..ModelSetup::of(BOARDS, speed) };
    let (seen, _) = run(&setup, Wiring { width, ..WIRING }, &plans, 2 * BEGIN_NS);
    assert_eq!(seen.views.len(), usize::from(BOARDS), "{:?}", (seen.sent, seen.errors));
    let own = seen.views.iter().find(|(board, _)| *board == talker).unwrap();
    let others: Vec<_> = seen.views.iter().filter(|(board, _)| *board != talker).copied().collect();
    let wires = width.wires() as u8;
    (0..wires).map(|wire| name_fault(wire, wires, (talker, &own.1), &others)).collect()
}

fn faults(of: &[(u8, WireFault)], wires: u32) -> Vec<Option<WireFault>> {
    (0..wires as u8).map(|wire| of.iter().find(|(bad, _)| *bad == wire).map(|(_, fault)| *fault)).collect()
}

#[test]
fn harness_sound_passes() {
    for width in [Width::Sixteen, Width::Four, Width::One] {
        for speed in Speed::ALL {
            assert_eq!(tested(0, width, speed, vec![]), faults(&[], width.wires()), "{width:?} {speed:?}");
        }
    }
}

/// Holds: pins-test.
#[test]
fn harness_stuck_wires_are_named() {
    for speed in Speed::ALL {
        for wire in 0..16 {
            let low = tested(1, Width::Sixteen, speed, vec![HarnessFault::StuckLow(data_pin(wire))]);
            assert_eq!(low, faults(&[(wire, WireFault::StuckLow)], 16), "{speed:?}");
        }
        // To a board that watches for another talker, a wire at the supply seems to be one; the test reports it at
        // once.
        let plans = [(1, BEGIN_NS, Plan::Test)];
        let setup = ModelSetup { faults: vec![HarnessFault::StuckHigh(data_pin(6))], ..ModelSetup::of(BOARDS, speed) };
        let (seen, _) = run(&setup, WIRING, &plans, 2 * BEGIN_NS);
        assert_eq!(seen.sent[0].result, Err(BusError::Collision(1 << data_pin(6))));
    }
}

/// Holds: pins-test.
#[test]
fn harness_open_wires_are_named_with_board() {
    for board in 0..BOARDS {
        for wire in [0, 5, 11, 15] {
            let found =
                tested(0, Width::Sixteen, Speed::PI3_1200, vec![HarnessFault::Open { board, pin: data_pin(wire) }]);
            assert_eq!(found, faults(&[(wire, WireFault::Open { board })], 16));
        }
    }
}

/// Holds: pins-test.
#[test]
fn harness_swapped_wires_are_named_with_board() {
    for board in 0..BOARDS {
        for (a, b) in [(0, 1), (3, 12), (14, 15)] {
            let swap = HarnessFault::Swapped { board, pins: (data_pin(a), data_pin(b)) };
            let found = tested(0, Width::Sixteen, Speed::PI4_600, vec![swap]);
            let [first, second] = [b, a].map(|with| WireFault::Swapped { board, with });
            assert_eq!(found, faults(&[(a, first), (b, second)], 16));
        }
    }
}

/// Holds: pins-test.
#[test]
fn harness_shorted_wires_are_named() {
    for speed in Speed::ALL {
        for (a, b) in [(1, 2), (7, 13)] {
            let short = HarnessFault::Shorted(data_pin(a), data_pin(b));
            let found = tested(0, Width::Sixteen, speed, vec![short]);
            let [first, second] = [b, a].map(|with| WireFault::Shorted { with });
            assert_eq!(found, faults(&[(a, first), (b, second)], 16), "{speed:?}");
        }
    }
}

fn with_control_fault(fault: HarnessFault) -> Seen {
    let plans = [(0, BEGIN_NS, Plan::Frame(frame(ALL, 0, &payload(16))))];
    let setup = ModelSetup { faults: vec![fault], ..ModelSetup::of(3, Speed::PI3_1200) };
    run(&setup, WIRING, &plans, 3 * BEGIN_NS).0
}

#[test]
fn harness_stuck_control_lines_are_named() {
    let low = |line: HarnessLine| with_control_fault(HarnessFault::StuckLow(line.pin())).sent[0].result;
    let high = |line: HarnessLine| with_control_fault(HarnessFault::StuckHigh(line.pin())).sent[0].result;
    assert_eq!(low(HarnessLine::NotReady), Err(BusError::NoAnswer(HarnessLine::NotReady)));
    assert_eq!(low(HarnessLine::NotAccepted), Err(BusError::NoAnswer(HarnessLine::NotAccepted)));
    assert_eq!(low(HarnessLine::Strobe), Err(BusError::NoAnswer(HarnessLine::Strobe)));
    assert_eq!(low(HarnessLine::Attention), Err(BusError::NoAnswer(HarnessLine::Attention)));
    // Lines that cannot be pulled: no board hears.
    assert_eq!(high(HarnessLine::NotAccepted), Err(BusError::NobodyListens));
    assert!(high(HarnessLine::Attention).is_err());
}
