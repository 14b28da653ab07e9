//! The order of the leaders.

use crate::cluster::{findings, run, run_numbered, setup};
use renga_phy::pins::model::{HarnessFault, Speed};
use renga_phy::pintest::Finding;

/// Holds: pintest-turns.
#[test]
fn pintest_boards_lead_in_order() {
    for boards in [2, 3, 8] {
        let all: Vec<u8> = (0..boards).collect();
        let reports = run(&setup(boards, Speed::PI3_1200, &[]), &all, 2);
        let order: Vec<u8> = reports.iter().map(|report| report.board).collect();
        assert_eq!(order, [all.clone(), all].concat());
    }
}

/// Holds: pintest-turns.
#[test]
fn pintest_absent_boards_are_left_out() {
    let reports = run(&setup(4, Speed::PI3_1200, &[]), &[1, 3], 2);
    let order: Vec<u8> = reports.iter().map(|report| report.board).collect();
    assert_eq!(order, [1, 3, 1, 3]);
    for report in &reports {
        assert_eq!((report.heard().count_ones(), findings(report).len()), (1, 0), "{report}");
    }
    assert!(reports[0].to_string().ends_with("board 1: no fault found, but only 1 of 3 others answer\n"));
}

/// Two cards of one board: where their wires differ, their simultaneous answers are none.
/// Holds: pintest-turns.
#[test]
fn pintest_duplicate_numbers_are_refused() {
    let swapped = HarnessFault::Swapped { board: 2, pins: (17, 18) };
    let reports = run_numbered(&setup(3, Speed::PI3_1200, &[swapped]), &[0, 1, 2], |board| board.min(1), 1);
    let first = reports.iter().find(|report| report.board == 0).expect("board 0 has led");
    let garbled = Finding::Garbled { board: 1 };
    assert_eq!(findings(first), [("D1", garbled), ("D2", garbled)], "{first}");
}
