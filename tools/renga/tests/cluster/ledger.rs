//! `renga bench p1` to `p5`: the same figures each time, and counts that do not grow.

use crate::support::{Renga, Scratch, clusters_can_run};
use std::fs;

/// All rows in their short forms: their exact counts are within those of `bench/counts.json`, or the command ends with
/// 1.
#[test]
fn ledger_row_counts_stay_within_bounds() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("counts");
    let folder = scratch.join("results");
    let rows = Renga::bench("p1").with(["--profile", "pi3", "--short", "--results"]).with([folder.as_os_str()]);
    let text = rows.end().expect_status(0).text();
    let counted = fs::read_to_string("../../bench/counts.json").unwrap();
    for row in ["T1", "T1b", "T2", "T3", "T4", "F2"] {
        assert!(
            text.contains(&format!("P1.{row} ")) && counted.contains(&format!("\"P1.{row} pi3\"")),
            "{row}: {text}"
        );
    }
}

/// The short form of a row, whose figures are as `bench/counts.json` says.
fn is_as_counted(row: &str) {
    if !clusters_can_run() {
        return;
    }
    let (paper, name) = row.split_once('.').unwrap();
    let scratch = Scratch::new(row);
    let folder = scratch.join("results");
    let ran = Renga::bench(&paper.to_lowercase()).with([name, "--short", "--results"]).with([folder.as_os_str()]);
    let text = ran.end().expect_status(0).text();
    let counted = fs::read_to_string("../../bench/counts.json").unwrap();
    assert!(text.contains(&format!("{row} ")) && counted.contains(&format!("\"{row} pi3\"")), "{text}");
}

/// Holds: bench-counts.
#[test]
fn ledger_background_row_is_exact() {
    is_as_counted("P2.F2a");
}

/// Holds: bench-counts.
#[test]
fn ledger_io_speed_row_is_exact() {
    is_as_counted("P4.SEVERAL");
}

/// Holds: bench-counts.
#[test]
fn ledger_cores_row_is_exact() {
    is_as_counted("P5.F5a");
}

/// What a page costs that is given back, by small batches and by large ones, is within what `bench/counts.json` says;
/// beside a stream the computation's steps are hardly longer for it.
/// Holds: reclaim-cost.
#[test]
fn ledger_reclaim_instructions_stay_within_bound() {
    is_as_counted("P3.F4");
}

/// One row in its short form, run afresh twice: exactly the same findings, and counts within their bounds.
/// Holds: run-repeats.
#[test]
fn ledger_row_run_twice_is_identical() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("ledger");
    let results = ["one", "two"].map(|name| scratch.join(name));
    for folder in &results {
        let row = Renga::bench("p1").with(["T2", "--profile", "pi3", "--short", "--force", "--results"]);
        let ended = row.with([folder.as_os_str()]).end().expect_status(0);
        assert!(ended.text().contains("P1.T2") && ended.text().contains("published"), "{}", ended.text());
    }
    let [one, two] = results.each_ref().map(|folder| fs::read_to_string(folder.join("P1.T2.pi3.short.json")).unwrap());
    assert!(one == two, "{one}\n\nand then\n\n{two}");
    assert!(one.contains("calls between boards"), "{one}");
    let compared = Renga::command(&["bench", "diff"]).with(results.each_ref().map(|folder| folder.as_os_str()));
    let text = compared.end().expect_status(0).text();
    assert!(text.contains("1 results, 0 changes"), "{text}");
}
