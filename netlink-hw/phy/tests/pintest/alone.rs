//! One board's view without an answer.

use crate::cluster::{findings, run, setup, wire};
use renga_phy::pins::model::{HarnessFault, ModelSetup, Speed};
use renga_phy::pintest::{Finding, PinReport};

fn alone(faults: &[HarnessFault]) -> PinReport {
    let reports = run(&setup(2, Speed::PI3_1200, faults), &[0], 1);
    reports[0]
}

/// Holds: pintest-two.
#[test]
fn pintest_lone_board_names_findings() {
    let touches = |name| Finding::Touches { with: wire(name) };
    assert_eq!(findings(&alone(&[])), []);
    assert_eq!(findings(&alone(&[HarnessFault::StuckLow(20)])), [("D4", Finding::HeldLow)]);
    assert_eq!(findings(&alone(&[HarnessFault::StuckHigh(20)])), [("D4", Finding::HeldHigh)]);
    assert_eq!(findings(&alone(&[HarnessFault::StuckLow(4)])), [("BUSY#", Finding::HeldLow)]);
    assert_eq!(findings(&alone(&[HarnessFault::Shorted(20, 22)])), [("D4", touches("D6")), ("D6", touches("D4"))]);
}

/// Holds: pintest-two.
#[test]
fn pintest_lone_board_reports_being_alone() {
    let text = alone(&[]).to_string();
    assert!(text.ends_with("board 0: no board answers; what this board sees alone has no fault\n"), "{text}");
    let text = alone(&[HarnessFault::StuckLow(20)]).to_string();
    assert!(text.ends_with("board 0: no board answers; faults on 1 wires\n"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("D4 ") && line.ends_with("FAULT: stuck low")), "{text}");
}

/// Pull-ups so weak, on a harness of eight boards, that a wire is not up when the last reading comes.
/// Holds: pintest-wires.
#[test]
fn pintest_wires_without_pull_up_are_named() {
    let setup = ModelSetup { pull_ohms: 400_000.0, ..setup(8, Speed::PI3_1200, &[]) };
    let found = findings(&run(&setup, &[0], 1)[0]);
    // Between the thresholds some read as high at random.
    assert!(
        !found.is_empty()
            && found.iter().all(|(name, finding)| name.starts_with('D') && *finding == Finding::NeverRises),
        "{found:?}"
    );
}
