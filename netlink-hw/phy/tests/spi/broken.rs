//! The model against itself: drivers that are broken on purpose are caught, each by its rule.

use crate::bench::{ALL, BEGIN_NS, Plan, RATES, Seen, frame, payload, setup};
use crate::faulty::{SHORT_NS, run};
use crate::lacking::Fault;
use renga_phy::pins::BusError;
use renga_phy::pins::model::{ModelSetup, Rule, Speed, Violation};

const RATE_HZ: u32 = RATES[2];

/// Frames from a broken board 0 and from board 1.
fn frames(setup: &ModelSetup, fault: Option<Fault>) -> (Seen, Vec<Violation>) {
    let by = |board: u8| Plan::Frame(frame(ALL, board, &payload(64)));
    let plans = [(0, BEGIN_NS, by(0)), (1, BEGIN_NS + 5_000_000, by(1))];
    run(setup, RATE_HZ, fault, &[0], &plans, SHORT_NS)
}

/// What is violated first with some seed.
fn caught(setup: &ModelSetup, fault: Fault) -> Violation {
    let violation = (0..40).find_map(|seed| {
        let (_, violations) = frames(&ModelSetup { seed, ..setup.clone() }, Some(fault));
        violations.first().copied()
    });
    violation.unwrap_or_else(|| panic!("{fault:?} is not caught"))
}

/// Listeners that sample slowly, so that the last to answer matters.
fn slow_listeners() -> ModelSetup {
    let mut setup = ModelSetup { stall_every_ns: Some(20_000), spikes_per_mille: 300, ..setup(5, Speed::PI4_600) };
    setup.boards[0] = Speed::PI3_1200;
    setup
}

#[test]
fn mutants_sound_driver_passes() {
    for seed in 0..40 {
        for setup in [setup(4, Speed::PI3_1200), slow_listeners()] {
            let boards = setup.boards.len() as u8;
            let (seen, violations) = frames(&ModelSetup { seed, ..setup }, None);
            assert_eq!((violations, seen.received.len()), (vec![], 2 * (usize::from(boards) - 1)), "{:?}", seen.sent);
        }
    }
}

#[test]
fn mutants_talker_not_waiting_is_caught() {
    let violation = caught(&slow_listeners(), Fault::BelievesAll);
    assert!(matches!(violation.rule, Rule::Overrun { .. } | Rule::Contention { .. }), "{violation}");
}

#[test]
fn mutants_talker_keeping_lines_is_caught() {
    let violation = caught(&setup(4, Speed::PI3_1200), Fault::KeepsData);
    assert!(matches!(violation.rule, Rule::Contention { .. }), "{violation}");
}

#[test]
fn mutants_floating_wires_are_caught() {
    let violation = caught(&setup(1, Speed::PI3_1200), Fault::NoPulls);
    assert!(matches!(violation.rule, Rule::Floating { reader: 0 }), "{violation}");
}

#[test]
fn mutants_missing_barrier_is_caught() {
    let violation = caught(&setup(3, Speed::PI3_1200), Fault::NoBarriers);
    assert_eq!(violation.rule, Rule::NoBarrier { board: 0 });
}

#[test]
fn mutants_early_end_is_caught() {
    let (seen, _) = frames(&setup(3, Speed::PI3_1200), Some(Fault::EndsEarly));
    assert!(seen.sent[0].result.is_err(), "{seen:?}");
    assert!(seen.sent[1].result.is_ok(), "the next talker is sound: {seen:?}");
}

#[test]
fn mutants_unread_input_stops_master() {
    let (seen, _) = frames(&setup(3, Speed::PI3_1200), Some(Fault::KeepsReceived));
    assert_eq!(seen.sent[0].result, Err(BusError::MasterStuck), "{seen:?}");
}
