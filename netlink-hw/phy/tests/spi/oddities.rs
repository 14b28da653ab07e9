//! What was reported of the blocks: with each oddity the link works, and without its remedy it does not.
//!
//! The reports are others' (`docs/reference/link-spi.md`); no test shows that a board behaves like the model.

use crate::bench::{ALL, BEGIN_NS, Plan, RATES, Seen, frame, payload, send, setup};
use crate::faulty::{SHORT_NS, run};
use crate::lacking::Fault;
use renga_phy::pins::BusError;
use renga_phy::pins::model::{Lengths, ModelSetup, Oddities, Rule, Serial, Speed, Violation};

const BOARDS: u8 = 3;
/// 4 MHz.
const RATE_HZ: u32 = RATES[1];

fn with(oddities: Oddities, speed: Speed) -> ModelSetup {
    ModelSetup { serial: Some(Serial { oddities, ..Serial::REPORTED }), ..setup(BOARDS, speed) }
}

/// Board 0 sends a frame to board 1, and one to all.
fn two_frames(setup: &ModelSetup, rate_hz: u32, fault: Option<Fault>, faulty: &[u8]) -> (Seen, Vec<Violation>) {
    let plans = [
        (0, BEGIN_NS, Plan::Frame(frame(1, 0, &payload(110)))),
        (0, BEGIN_NS + 5_000_000, Plan::Frame(frame(ALL, 0, &payload(110)))),
    ];
    run(setup, rate_hz, fault, faulty, &plans, SHORT_NS)
}

/// Both frames, and nothing that had to be tried twice.
fn arrived(seen: &Seen) -> bool {
    // The talker's own bit: without a tail the data wire is left as it was.
    let others = |takers: u8| takers & !0b001;
    let takers =
        |number: usize| seen.sent.get(number).and_then(|sent| sent.result.ok()).map(|poll| others(poll.takers()));
    (takers(0), takers(1)) == (Some(0b010), Some(0b110)) && seen.received.len() == 3 && seen.errors.is_empty()
}

/// With the oddity and the remedy it works; with the oddity alone it does not; without both it does.
fn hangs_on_remedy(odd: Oddities, plain: Oddities, rate_hz: u32, fault: Fault, faulty: &[u8]) -> Seen {
    for speed in Speed::ALL {
        let (seen, violations) = two_frames(&with(odd, speed), rate_hz, None, &[]);
        assert!(arrived(&seen) && violations.is_empty(), "with the remedy, {speed:?}: {violations:?} {seen:?}");
        let (seen, _) = two_frames(&with(plain, speed), rate_hz, Some(fault), faulty);
        assert!(arrived(&seen), "without oddity and remedy, {speed:?}: {seen:?}");
    }
    let (seen, _) = two_frames(&with(odd, Speed::PI3_1200), rate_hz, Some(fault), faulty);
    assert!(!arrived(&seen), "without the remedy: {seen:?}");
    seen
}

const REPORTED: Oddities = Oddities::REPORTED;

#[test]
fn spi_slave_first_bit_decides() {
    let (seen, _) = two_frames(&with(REPORTED, Speed::PI3_1200), RATE_HZ, Some(Fault::OddHead), &[0]);
    assert!(seen.received.is_empty(), "{seen:?}");
    assert!(seen.sent.iter().all(|sent| sent.result.is_err()), "{seen:?}");
    assert!(seen.errors.iter().any(|(.., error)| *error == BusError::NoOctets || *error == BusError::Abandoned));
    // With a slave that receives the first octet too, headers match no board.
    let (seen, _) =
        two_frames(&with(Oddities { first_octet_decides: false, ..REPORTED }, Speed::PI3_1200), RATE_HZ, None, &[]);
    assert!(
        seen.received.is_empty() && seen.errors.iter().any(|(.., error)| *error == BusError::HeaderDamaged),
        "{seen:?}"
    );
}

/// The first answer is 0xff, on a wire that the talker drives, if the slave of a Pi 4 is given all its pins.
/// Holds: spi-oddities.
#[test]
fn spi_slave_enabled_output_fights_talker() {
    for (speed, contends) in [(Speed::PI4_600, true), (Speed::PI3_1200, false)] {
        let (_, violations) = two_frames(&with(REPORTED, speed), RATE_HZ, Some(Fault::AnswersToo), &[1]);
        let seen = violations.iter().any(|violation| violation.rule == Rule::Contention { high: 1, low: 0 });
        assert_eq!(seen, contends, "{violations:?}");
    }
}

/// Holds: spi-oddities.
#[test]
fn spi_slave_residue_after_abort_is_read() {
    let clears = Oddities { nothing_clears: false, ..REPORTED };
    hangs_on_remedy(REPORTED, clears, RATE_HZ, Fault::ClearsByBreak, &[2]);
}

#[test]
fn spi_slave_foreign_frames_are_discarded() {
    let (seen, _) = two_frames(&with(REPORTED, Speed::PI3_1200), RATE_HZ, Some(Fault::NeverClears), &[2]);
    assert!(!arrived(&seen), "{seen:?}");
}

/// Holds: spi-oddities.
#[test]
fn spi_slave_last_octet_may_be_lost() {
    for rate_hz in [5_000_000, 8_000_000] {
        for lengths in [Lengths::Even, Lengths::Odd, Lengths::All] {
            let lost = Oddities { last_octet_lost: Some(lengths), ..REPORTED };
            let kept = Oddities { last_octet_lost: None, ..REPORTED };
            hangs_on_remedy(lost, kept, rate_hz, Fault::NoTail, &[0]);
        }
    }
    // It was reported from 4 to 9.5 MHz: below, nothing is lost.
    let (seen, _) = two_frames(&with(REPORTED, Speed::PI3_1200), 1_000_000, Some(Fault::NoTail), &[0]);
    assert!(arrived(&seen), "{seen:?}");
}

/// Data pins are swapped against the data sheet: a cluster wired by it has no link, and the test names the wires. If a
/// board follows the data sheet after all, its slave drives the data wire against the talker, which the series
/// resistors bound.
/// Holds: spi-oddities.
#[test]
fn spi_harness_follows_reports() {
    for speed in [Speed::PI3_1200, Speed::PI4_600] {
        for (swapped_pins, wired_by_data_sheet) in [(true, true), (false, false)] {
            let oddities = Oddities { swapped_pins, ..REPORTED };
            let serial = Serial { oddities, wired_by_data_sheet, ..Serial::REPORTED };
            let setup = ModelSetup { serial: Some(serial), ..setup(BOARDS, speed) };
            let (seen, violations) = send(&setup, RATE_HZ, &frame(ALL, 0, &payload(40)));
            assert!(seen.received.is_empty() && seen.sent.iter().all(|sent| sent.result.is_err()), "{seen:?}");
            let drives = violations.iter().any(|violation| matches!(violation.rule, Rule::Contention { .. }));
            assert_eq!(drives, !swapped_pins, "{speed:?}: {violations:?}");
        }
    }
}

/// The clock of a board whose core runs faster than the firmware says: the interlock does not mind, a slave at its
/// limit does.
#[test]
fn spi_clock_follows_core() {
    let fast = Oddities { core_percent: 160, ..REPORTED };
    let limit = |oddities| Oddities { limit_hz: Some(5_000_000), ..oddities };
    for (oddities, works) in [(fast, true), (limit(REPORTED), true), (limit(fast), false)] {
        let (seen, violations) = two_frames(&with(oddities, Speed::PI3_1200), RATE_HZ, None, &[]);
        assert_eq!(arrived(&seen), works, "{oddities:?}: {seen:?}");
        assert_eq!(violations, []);
    }
}

#[test]
fn spi_slave_excess_rate_gives_errors() {
    let limit = Oddities { limit_hz: Some(3_000_000), ..REPORTED };
    for (rate_hz, works) in [(1_000_000, true), (4_000_000, false), (8_000_000, false)] {
        let (seen, violations) = two_frames(&with(limit, Speed::PI3_1200), rate_hz, None, &[]);
        assert_eq!(arrived(&seen), works, "{rate_hz} Hz: {seen:?}");
        assert_eq!((seen.sent.len(), violations), (2, vec![]));
    }
}
