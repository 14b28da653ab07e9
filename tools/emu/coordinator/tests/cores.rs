//! Boards with several cores: that these run in parallel virtual time, and that it repeats.

mod boards;
#[path = "boards/load.rs"]
mod load;

use boards::{Tools, run, run_with, tools};
use load::under_load;
use renga_emu::{ClusterConfig, EmuError, RecordingHeader};

/// What a loop of two instructions takes a million times, ns.
const LOOP_NS: u64 = 2_000_000;

fn config(tools: &Tools, boards: usize, play: &str) -> ClusterConfig {
    let mut config = tools.config(boards, play);
    config.boards.iter_mut().for_each(|board| board.cores = 4);
    config
}

#[test]
fn cores_four_compute_in_parallel_time() {
    let Some(tools) = tools() else { return };
    for slice_ns in [None, Some(4_000)] {
        let (outcome, stats) = run_with(ClusterConfig { slice_ns, ..config(&tools, 1, "cores") }, |_, _| ()).unwrap();
        assert_eq!(stats.slice_ns, slice_ns.or(Some(40_000)));
        let took = outcome.console[0].lines().map(|line| line.split(' ').nth(2).unwrap().parse().unwrap());
        let took: Vec<u64> = took.collect();
        // A read of the counter shows at most two thirds of a slice more than the core's own time.
        let most_ns = LOOP_NS + 1_000 + stats.slice_ns.unwrap();
        assert!(took.len() == 4 && took.iter().all(|ns| (LOOP_NS - 40_000..most_ns).contains(ns)), "{took:?}");
    }
}

#[test]
fn cores_four_repeat_identically() {
    let Some(tools) = tools() else { return };
    let config = || config(&tools, 2, "gang");
    let first = run(config());
    assert!(first.frames > 5 && first.log.iter().all(|log| log.len() > 100), "{first:?}");
    assert_eq!(run(config()), first);
    assert_eq!(under_load(|| run(config())), first);
    assert_eq!(under_load(|| run(config())), first);
}

#[test]
fn cores_slice_is_part_of_recording() {
    let Some(tools) = tools() else { return };
    let header = RecordingHeader::of(&config(&tools, 2, "gang"));
    assert_eq!((header.cores, header.slice_ns), (vec![4, 4], Some(8_297)));
    let one = RecordingHeader::of(&tools.config(2, "gang"));
    assert_eq!((one.cores, one.slice_ns), (vec![], None));
}

#[test]
fn cores_short_slice_or_too_many_cores_are_refused() {
    let Some(tools) = tools() else { return };
    let refused = |config| matches!(renga_emu::EmulatedCluster::start(config), Err(EmuError::Config(_)));
    assert!(refused(ClusterConfig { slice_ns: Some(15), ..config(&tools, 1, "cores") }));
    let mut config = config(&tools, 1, "cores");
    config.boards[0].cores = 5;
    assert!(refused(config));
}
