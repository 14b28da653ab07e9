//! Boards whose pins are wired to each other.

mod boards;
#[path = "boards/load.rs"]
mod load;

use boards::{Outcome, Tools, run, run_with, tools};
use load::under_load;
use renga_emu::{ClusterConfig, ClusterEvent, EmuError, EmulatedCluster, Fight, PinsConfig};

const PROPAGATION_NS: u64 = 1_500;
/// A board samples its pins at least so often, ns.
const POLL_NS: u64 = 60;

fn config(tools: &Tools, boards: usize, play: &str) -> ClusterConfig {
    ClusterConfig { pins: Some(PinsConfig { propagation_ns: PROPAGATION_NS }), ..tools.config(boards, play) }
}

/// The number behind `before` on the console of `board`.
fn number(outcome: &Outcome, board: usize, before: &str) -> u64 {
    let line = outcome.console[board].lines().find_map(|line| line.strip_prefix(before));
    line.unwrap_or_else(|| panic!("no `{before}` at board {board}")).parse().unwrap()
}

/// Fails unless `seen_ns` is when a board that samples without a pause sees what was done at `done_ns`.
fn expect_seen(seen_ns: u64, done_ns: u64) {
    let least_ns = done_ns + PROPAGATION_NS;
    assert!((least_ns..least_ns + 2 * POLL_NS).contains(&seen_ns), "done at {done_ns} ns, seen at {seen_ns} ns");
}

#[test]
fn pins_change_is_seen_after_propagation_time() {
    let Some(tools) = tools() else { return };
    let mut fights = Vec::new();
    let (outcome, stats) = run_with(config(&tools, 3, "wires"), |_, event| {
        if let ClusterEvent::Fight(fight) = event {
            fights.push(fight.clone());
        }
    })
    .unwrap();
    for board in [1, 2] {
        expect_seen(number(&outcome, board, "strobe low at "), number(&outcome, 0, "strobe low before ") - POLL_NS);
        expect_seen(number(&outcome, board, "strobe free at "), number(&outcome, 0, "strobe free after "));
    }
    let free: Vec<&str> =
        outcome.console.iter().filter_map(|said| said.lines().find(|line| line.starts_with("line"))).collect();
    assert_eq!(free, ["line free 21000 ns after mine", "line free 11000 ns after mine", "line free 0 ns after mine"]);
    let token_ns = number(&outcome, 0, "token after ");
    expect_seen(number(&outcome, 1, "woken by 0x200 at "), token_ns);
    expect_seen(number(&outcome, 2, "woken by 0x100 at "), token_ns + 100_000);
    assert!(matches!(&fights[..], [Fight { line, boards: [0, 1] | [1, 0], .. }] if line == "D0"), "{fights:?}");
    assert!(outcome.console[1].ends_with("attention true then\n"), "{outcome:?}");
    assert_eq!(stats.pin_changes, 15, "{stats:?}");
}

#[test]
fn pins_handshake_repeats_to_the_nanosecond() {
    let Some(tools) = tools() else { return };
    let first = run(config(&tools, 3, "shake"));
    assert!(first.console.iter().all(|said| said.contains(" done at ")), "{first:?}");
    assert_eq!(under_load(|| run(config(&tools, 3, "shake"))), first);
    let short = ClusterConfig { quantum_ns: Some(700), ..config(&tools, 3, "shake") };
    assert_eq!(run(short), first, "the quantum shows");
}

#[test]
fn pins_faster_than_quantum_are_refused() {
    let Some(tools) = tools() else { return };
    let refused = EmulatedCluster::start(ClusterConfig { quantum_ns: Some(2_000), ..config(&tools, 2, "shake") });
    assert!(matches!(refused, Err(EmuError::Config(_))));
}
