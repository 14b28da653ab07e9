//! A sound harness: nothing is found, and rises and skew are those of the model's wires.

use crate::cluster::{found, run, setup};
use renga_phy::pins::model::{HarnessFault, ModelSetup, ONE_PERCENT_NS, Speed};
use renga_phy::pins::{PinName, Width};
use renga_phy::pintest::PinReport;

/// Holds: pintest-wires.
#[test]
fn pintest_sound_wires_have_no_findings() {
    for speed in Speed::ALL {
        for boards in [2, 3, 8] {
            for (width, ohms) in [(Width::Sixteen, 1000.0), (Width::Four, 2200.0)] {
                let found = found(&ModelSetup { width, terminator_ohms: Some(ohms), ..setup(boards, speed, &[]) });
                assert!(found.iter().all(Vec::is_empty), "{boards} boards, {speed:?}, {ohms} ohm: {found:?}");
            }
        }
    }
}

#[test]
fn pintest_stalls_cause_no_findings() {
    for seed in 0..5 {
        let setup = ModelSetup { stall_every_ns: Some(ONE_PERCENT_NS), seed, ..setup(4, Speed::PI4_600, &[]) };
        assert!(found(&setup).iter().all(Vec::is_empty), "seed {seed}");
    }
}

/// Each board's wires as the model has them: capacitance, all that holds them up, and where this board takes them for
/// high.
/// Holds: pintest-rise.
#[test]
fn pintest_rises_match_model() {
    for speed in Speed::ALL {
        for boards in [2_u8, 8] {
            let setup = setup(boards, speed, &[]);
            let reports = run(&setup, &[0, 1], 1);
            let report = reports.iter().find(|report| report.heard() != 0).expect("they hear each other");
            let pf = 30.0 + 10.0 * f64::from(boards);
            let pulled = |ohms: f64| ohms * pf / 1000.0 * (3.3 / (3.3 - speed.high_v)).ln();
            let pulls = 2.0 / (50_000.0 + 220.0);
            let data_ns = pulled(1.0 / pulls);
            let control_ns = pulled(1.0 / (1.0 / 1000.0 + 2.0 / (50_000.0 + 68.0)));
            // A reading and the way of the store; levels between the thresholds are read as either.
            let slack_ns = 2.0 * report.read_ns as f64 + speed.write_ns as f64;
            for (number, wire) in report.harness.wires().iter().enumerate() {
                let rise_ns = report.rise_ns(number).expect("it rises") as f64;
                let bounds = match wire.name {
                    name if name.starts_with('D') && name != "DAV#" => (0.75 * data_ns, data_ns + slack_ns),
                    name if name.starts_with("TOK") => continue,
                    _ => (0.0, control_ns + slack_ns),
                };
                assert!(
                    (bounds.0..=bounds.1).contains(&rise_ns),
                    "{boards}, {speed:?}, {wire:?}: {rise_ns} {bounds:?}"
                );
            }
            assert!(report.read_ns.abs_diff(speed.read_ns + speed.talker_ns) <= 1, "{} {speed:?}", report.read_ns);
            let skew_ns = report.skew_ns().expect("data wires rise") as f64;
            assert!(skew_ns <= 0.25 * data_ns + slack_ns, "{speed:?}: {skew_ns}");
        }
    }
}

/// A wire whose rise is another is late by as much: board 1's end of D3 has no contact, and so no pull-up of board 1.
/// Holds: pintest-rise.
#[test]
fn pintest_skew_is_last_after_first_wire() {
    let skew_ns = |faults: &[HarnessFault]| {
        let reports = run(&setup(2, Speed::PI3_1200, faults), &[0, 1], 1);
        reports.iter().find(|report| report.board == 0).and_then(PinReport::skew_ns).expect("they rise")
    };
    let pin = (0..32).find(|pin| PinName(*pin).to_string() == "D3").expect("there is a D3");
    let (sound, late) = (skew_ns(&[]), skew_ns(&[HarnessFault::Open { board: 1, pin }]));
    // Both ends pull up 50 pF with 25 kohm, one end with 50: 0.66 of the difference of 1.25 us later.
    assert!((500..1_000).contains(&(late - sound)), "{sound} and {late} ns");
}
