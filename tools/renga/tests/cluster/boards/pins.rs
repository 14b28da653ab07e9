//! The link on the boards' pins: the driver and the token protocol that real boards run, pin by pin.

use crate::support::{Ended, Renga, Scratch, clusters_can_run, under_load};
use renga_trace::{TraceEvent, TraceReader};
use std::fs;

/// The smallest program on the other board: of a larger one each page takes seconds here.
const SCRIPT: &str = "remote -b b /usr/lib/renga/nothing; echo $?";
const EXPECTED: &str = "0\n";

/// What must be the same.
const FIGURES: [&str; 5] = ["virtual time", "pins", "pin hash", "console hash", "frames"];

fn run() -> Ended {
    Renga::script(SCRIPT).with(["--link", "pins", "--stats"]).end().expect_status(0)
}

/// Holds: pins-rate.
#[test]
#[ignore = "minutes: renga test --long=wires"]
fn pins_driver_speed_matches_model() {
    if clusters_can_run() {
        Renga::bench("pins").end().expect_status(0);
    }
}

#[test]
#[ignore = "half a minute of both cores: renga test --long=wires"]
fn pins_cluster_repeats_identically() {
    if !clusters_can_run() {
        return;
    }
    let first = run();
    assert!(first.figure("pins") != "0", "{}", first.report());
    let scratch = Scratch::new("pins");
    let trace = scratch.join("trace");
    let second = under_load(|| {
        let traced = Renga::script(SCRIPT).with(["--link", "pins", "--stats"]);
        traced.with(["--trace".as_ref(), trace.as_os_str()]).end().expect_status(0)
    });
    assert_eq!(first.figures(&FIGURES), second.figures(&FIGURES), "{}", second.report());
    let bytes = fs::read(&trace).expect("a trace was written");
    let events: Vec<_> = TraceReader::new(&bytes).expect("a trace").map(|event| event.expect("an event")).collect();
    let tokens =
        |board| events.iter().filter(|timed| timed.board == board && timed.event == TraceEvent::Token {}).count();
    // Each frame of data needs the token, and between two boards it goes to and fro.
    assert!(tokens(0) > 10 && tokens(0).abs_diff(tokens(1)) <= 1, "{} and {} times", tokens(0), tokens(1));
    // Last, so that the hashes are seen if it fails.
    first.expect_text(EXPECTED);
}

/// With the sum of the 1092 bytes that `seq 300` writes.
#[test]
#[ignore = "minutes: renga test --long=wires"]
fn pins_pipe_through_other_board_works() {
    if clusters_can_run() {
        let run = Renga::script("seq 300 | remote -b b cat | md5sum").with(["--link", "pins"]);
        run.end().expect_status(0).expect_text("bf4fa7116e26846bba3502a134f9bcba  -\n");
    }
}

#[test]
#[ignore = "minutes: renga test --long=wires"]
fn pins_cluster_with_fewer_wires_works() {
    if clusters_can_run() {
        Renga::script("remote -b b uname -n").with(["--link", "pins4"]).end().expect_status(0).expect_text("b\n");
    }
}
