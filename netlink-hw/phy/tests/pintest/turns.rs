//! Who leads when.

use crate::cluster::{findings, run, setup};
use renga_phy::pins::model::Speed;

#[test]
fn boards_lead_in_turn() {
    for boards in [2, 3, 8] {
        let all: Vec<u8> = (0..boards).collect();
        let reports = run(&setup(boards, Speed::PI3_1200, &[]), &all, 2);
        let order: Vec<u8> = reports.iter().map(|report| report.board).collect();
        assert_eq!(order, [all.clone(), all].concat());
    }
}

#[test]
fn boards_that_are_not_there_are_left_out() {
    let reports = run(&setup(4, Speed::PI3_1200, &[]), &[1, 3], 2);
    let order: Vec<u8> = reports.iter().map(|report| report.board).collect();
    assert_eq!(order, [1, 3, 1, 3]);
    for report in &reports {
        assert_eq!((report.heard().count_ones(), findings(report).len()), (1, 0), "{report}");
    }
    assert!(reports[0].to_string().ends_with("board 1: no fault found, but only 1 of 3 others answer\n"));
}
