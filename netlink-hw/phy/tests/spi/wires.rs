//! Broken wires: errors in bounded time, with the line's name where it can be known, and nothing wrong arrives.

use crate::bench::{ALL, BEGIN_NS, Plan, RATES, Seen, frame, payload, quick, run, setup};
use renga_phy::pins::model::{HarnessFault, ModelSetup, Speed};
use renga_phy::pins::{BusError, HarnessLine};
use renga_phy::spi::wiring::mask;

const RATE_HZ: u32 = RATES[1];
const SELECT: u8 = 8;
const DATA: u8 = 10;
const CLOCK: u8 = 11;

fn with(boards: u8, fault: HarnessFault) -> Seen {
    let sent = frame(ALL, 0, &payload(64));
    let plans = [(0, BEGIN_NS, Plan::Frame(sent.clone()))];
    let setup = ModelSetup { faults: vec![fault], ..setup(boards, Speed::PI3_1200) };
    let (seen, _) = run(&setup, RATE_HZ, &plans, BEGIN_NS + 2 * quick(RATE_HZ).talker_bound_ns());
    let whole = |seen: &Seen| seen.received.iter().all(|(_, bytes)| *bytes == sent);
    assert!(whole(&seen), "{fault:?}: {seen:?}");
    let ended = |sent: &crate::station::Sent| sent.end_ns - sent.begin_ns <= quick(RATE_HZ).talker_bound_ns();
    assert!(seen.sent.len() == 1 && seen.sent.iter().all(ended), "{fault:?}: {seen:?}");
    seen
}

fn pin(line: HarnessLine) -> u8 {
    mask(line).trailing_zeros() as u8
}

#[test]
fn harness_stuck_control_lines_are_named() {
    let low = |line: HarnessLine| with(3, HarnessFault::StuckLow(pin(line))).sent[0].result;
    let high = |line: HarnessLine| with(3, HarnessFault::StuckHigh(pin(line))).sent[0].result;
    assert_eq!(low(HarnessLine::NotAccepted), Err(BusError::NoAnswer(HarnessLine::NotAccepted)));
    assert_eq!(low(HarnessLine::NotReady), Err(BusError::NoAnswer(HarnessLine::NotReady)));
    assert_eq!(low(HarnessLine::Attention), Err(BusError::NoAnswer(HarnessLine::Attention)));
    // Lines that cannot be pulled: no board hears, or none continues.
    assert_eq!(high(HarnessLine::NotAccepted), Err(BusError::NobodyListens));
    assert!(high(HarnessLine::Attention).is_err() && high(HarnessLine::NotReady).is_err());
}

/// Holds: spi-bounds.
#[test]
fn spi_stuck_wire_passes_nothing() {
    for wire in [SELECT, DATA, CLOCK] {
        for fault in [HarnessFault::StuckLow(wire), HarnessFault::StuckHigh(wire)] {
            let seen = with(3, fault);
            assert!(
                seen.received.is_empty() && !seen.sent[0].result.is_ok_and(|poll| poll.takers() != 0),
                "{fault:?}: {seen:?}"
            );
        }
    }
    assert_eq!(with(3, HarnessFault::StuckLow(SELECT)).sent[0].result, Err(BusError::NoAnswer(HarnessLine::Strobe)));
}

#[test]
fn spi_touching_wires_pass_nothing_wrong() {
    for (a, b) in [(SELECT, DATA), (DATA, CLOCK), (SELECT, CLOCK), (4, 5), (5, 6), (6, 7), (7, SELECT)] {
        let seen = with(3, HarnessFault::Shorted(a, b));
        println!("{a} and {b}: {:?}", seen.sent[0].result);
    }
}

/// A board that hears nothing is missing in the poll, or keeps the frame from ending; the others get nothing wrong.
/// Holds: spi-bounds.
#[test]
fn spi_open_or_swapped_wire_is_detected() {
    for board in 1..3 {
        for slave_pin in [19, 20, 21, 5, 6, 7] {
            let seen = with(3, HarnessFault::Open { board, pin: slave_pin });
            // Without one of the acknowledgement lines the talker does not wait for the board, which may still keep up.
            let hears = matches!(slave_pin, 6 | 7);
            assert!(hears || seen.received.iter().all(|(by, _)| *by != board), "GPIO{slave_pin}: {seen:?}");
        }
        for pins in [(19, 20), (20, 21), (19, 21)] {
            let seen = with(3, HarnessFault::Swapped { board, pins });
            assert!(seen.received.iter().all(|(by, _)| *by != board), "{pins:?}: {seen:?}");
        }
    }
}
