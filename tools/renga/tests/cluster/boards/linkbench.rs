//! The measurement of the link in place of the system, over the emulated boards' pins.

use crate::support::{Renga, clusters_can_run};

/// Of the wires of emulated boards, kbit/s: each of a frame's 516 words needs two changes, which are seen after 3 us,
/// so that 1024 bytes take 3.1 ms at least; arming and the poll word take the rest.
const RATE_KBPS: std::ops::Range<u32> = 2_000..2_650;

/// Holds: linkbench-rates.
#[test]
fn linkbench_boards_measure_link() {
    if !clusters_can_run() {
        return;
    }
    let ended = Renga::run().with(["--program", "linkbench", "--stats"]).end().expect_status(0);
    let text = ended.text();
    for way in ["0 -> 1 ", "1 -> 0 "] {
        let rate = text.lines().find_map(|line| line.strip_prefix(way)?.trim().split(' ').next()?.parse().ok());
        assert!(rate.is_some_and(|rate: u32| RATE_KBPS.contains(&rate)), "{way}{rate:?}\n{}", ended.report());
    }
    assert!(text.contains("linkbench: every frame came\n"), "{}", ended.report());
}
