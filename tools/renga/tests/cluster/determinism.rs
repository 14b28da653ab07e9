//! A run is the same whenever and wherever it is run: times, frames and output, to the nanosecond.

use crate::support::{Facts, Renga, Scratch, clusters_can_run, under_load, work};
use std::fs;
use std::path::Path;

/// Programs on both boards, files, pipes, time.
const SCRIPT: &str =
    "ls / | remote -b b sort | head -n 3; remote -b b sh -c 'echo $$ > /tmp/f; date +%s'; cat /tmp/f; sleep 1";

fn traced(trace: &Path) -> Facts {
    let run = Renga::script(SCRIPT).with(["--stats".as_ref(), "--trace".as_ref(), trace.as_os_str()]);
    Facts::of_traced(&run.end().expect_status(0))
}

/// The kernel that runs have booted; a run that differs because sources were edited meanwhile is no fault of the
/// system.
fn kernel() -> Vec<u8> {
    fs::read(work().join("kernels/plain/kernel8.img")).expect("a kernel was built")
}

/// Holds: run-repeats.
#[test]
fn determinism_four_runs_under_host_load_are_identical() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("determinism");
    let trace = |number: usize| scratch.join(&format!("trace{number}"));
    let first = traced(&trace(0));
    let kernel_before = kernel();
    let first_trace = fs::read(trace(0)).expect("a trace was written");
    for number in 1..4 {
        let again = if number == 1 { traced(&trace(number)) } else { under_load(|| traced(&trace(number))) };
        assert!(kernel() == kernel_before, "the kernel was rebuilt during this test: run it again");
        assert_eq!(again, first, "run {number} differs");
        let same = fs::read(trace(number)).expect("a trace was written") == first_trace;
        assert!(same, "the trace of run {number} differs");
    }
}

#[test]
fn determinism_other_seed_prints_same_output() {
    if !clusters_can_run() {
        return;
    }
    let output =
        |seed: &str| Renga::script("ls / | sort; echo $((1 + 1))").with(["--seed", seed]).end().expect_status(0).stdout;
    assert_eq!(output("1"), output("77"));
}

/// Holds: kill-session.
#[test]
fn determinism_replayed_session_has_same_hashes() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("recording");
    let recording = scratch.join("typed");
    let record = Renga::run().with(["--stats".as_ref(), "--record".as_ref(), recording.as_os_str()]);
    let recorded = record.input(b"echo hi | remote -b b cat\nsleep 2\nexit 3\n").end().expect_status(3);
    let replay = || Renga::run().with(["--stats".as_ref(), "--replay".as_ref(), recording.as_os_str()]);
    let replayed = replay().end().expect_status(3);
    assert_eq!(Facts::of(&replayed), Facts::of(&recorded), "{}\n{}", recorded.report(), replayed.report());
    let again = under_load(|| replay().end()).expect_status(3);
    assert_eq!(Facts::of(&again), Facts::of(&recorded));
}

#[test]
fn run_json_has_the_figures_of_stats() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("run-json");
    let file = scratch.join("figures.json");
    let json = format!("--json={}", file.display());
    let ended = Renga::script("exit 3").with(["--stats", &json]).end().expect_status(3);
    let text = std::fs::read_to_string(file).expect("it was written");
    renga_schema::expect_valid("run", &text);
    let figures: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(figures["status"], 3);
    assert_eq!(figures["console_hash"], ended.figure("console hash"));
    assert_eq!(figures["frame_hash"], ended.figure("frame hash"));
    assert_eq!(figures["frames"], ended.frames());
    let virtual_s = figures["virtual_ns"].as_f64().expect("a number") / 1e9;
    assert!((virtual_s - ended.virtual_s()).abs() < 1e-6, "{virtual_s}");
}
