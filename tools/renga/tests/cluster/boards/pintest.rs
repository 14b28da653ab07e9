//! The test of the wires in place of the system: selected by the cards or by an option, over wires that are sound or
//! broken.

use crate::support::{Ended, Renga, Scratch, clusters_can_run};

/// The line of `wire` in a report.
fn line<'a>(report: &'a str, wire: &str) -> &'a str {
    let found = report.lines().find(|line| line.split(' ').next() == Some(wire));
    found.unwrap_or_else(|| panic!("no {wire} in\n{report}"))
}

/// Holds: pintest-start.
#[test]
fn pintest_sound_wires_are_reported_sound() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("pintest");
    let folder = scratch.join("cards");
    let made = Renga::command(&["image", "--board", "pi3", "--program", "pintest"]);
    made.with(["--out".as_ref(), folder.as_os_str()]).end().expect_status(0);
    let cards = ["--system".as_ref(), "pair".as_ref(), "--cards".as_ref(), folder.as_os_str()];
    let ended = Renga::run().with(cards).end().expect_status(0);
    let (a, b) = (ended.text(), ended.stderr.replace('\r', ""));
    assert!(
        a.contains("pintest: board 0 of 2, 23 wires") && a.contains("board 0: no fault found"),
        "{}",
        ended.report()
    );
    assert!(b.contains("board 1: no fault found"), "{}", ended.report());
    assert!(line(&a, "D15").ends_with("seen by 1") && line(&a, "TOK_OUT#").ends_with("seen by 1"), "{a}");
}

/// The test over these broken wires.
fn broken(wires: &[&str]) -> Ended {
    let options = wires.iter().flat_map(|wire| ["--wire", wire]);
    Renga::run().with(["--program", "pintest"]).with(options).end().expect_status(1)
}

/// Holds: pintest-wires.
#[test]
fn pintest_broken_wires_are_named() {
    if !clusters_can_run() {
        return;
    }
    let ended = broken(&["b:D3=open", "D12=low", "b:NRFD#=open"]);
    let a = ended.text();
    assert!(a.contains("board 0: faults on 3 wires"), "{}", ended.report());
    // The emulator's wires rise at once, as only a wire stuck high does on a board.
    assert!(line(&a, "D3").ends_with("FAULT: stuck high"), "{a}");
    assert!(line(&a, "D12").ends_with("FAULT: stuck low"), "{a}");
    assert!(line(&a, "NRFD#").ends_with("FAULT: no contact at board 1, or stuck high"), "{a}");
    assert!(line(&a, "D4").ends_with("seen by 1"), "{a}");
}
