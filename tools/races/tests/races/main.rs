//! Every interleaving of the scenarios over `kernel/cores` and frames' state as they are; and that each mistake is found.
//!
//! The output of a mistake's search is loom's report of the interleaving in which it shows.

use renga_races::{MISTAKES, Scenario};
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Made by the build script: modules over loom's atomics.
#[allow(clippy::all, dead_code, missing_docs, unused)]
mod variants {
    use renga_races::Scenario;
    include!(concat!(env!("OUT_DIR"), "/variants.rs"));
}

/// Steps of an interleaving after which somebody goes round for ever.
const STEPS_MAX: usize = 400;
/// Times that a core is interrupted where it did not wait: enough for each mistake, and all that a search of the larger
/// scenarios can afford.
const PREEMPTIONS_MAX: usize = 3;

/// Searches `scenario`; how many interleavings there are.
fn search(play: fn(Scenario), scenario: Scenario) -> usize {
    let mut search = loom::model::Builder::new();
    (search.max_branches, search.preemption_bound) = (STEPS_MAX, Some(PREEMPTIONS_MAX));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    search.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        play(scenario);
    });
    count.load(Ordering::Relaxed)
}

const SCENARIOS: [Scenario; 12] = [
    Scenario::Order,
    Scenario::TwoPost,
    Scenario::Sleep,
    Scenario::Answer,
    Scenario::Raise,
    Scenario::RaiseAgain,
    Scenario::Pursue,
    Scenario::Borrow,
    Scenario::Table,
    Scenario::Unmap,
    Scenario::Restrict,
    Scenario::Fetch,
];

#[test]
fn letters_signals_and_frames_cross_in_every_interleaving() {
    for scenario in SCENARIOS {
        println!("{scenario:?}: {} interleavings", search(variants::right::scenarios::play, scenario));
    }
}

#[test]
fn each_mistake_is_found() {
    for (mistake, (name, play)) in MISTAKES.into_iter().flatten().zip(variants::WRONG) {
        assert_eq!(mistake.name, *name);
        let found = catch_unwind(|| search(*play, mistake.found_by));
        assert!(found.is_err(), "{name} was not found by {:?}", mistake.found_by);
    }
}
