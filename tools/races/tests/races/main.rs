//! Every interleaving of the scenarios over the text as it is; and that each mutant is found.
//!
//! The output of a mutant's search is loom's report of the interleaving in which it shows.

use renga_races::{MUTANTS, Scenario};
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Made by the build script: modules over loom's atomics.
#[allow(clippy::all, dead_code, missing_docs, unused)]
mod variants {
    include!(concat!(env!("OUT_DIR"), "/variants.rs"));
}

/// Steps of an interleaving after which somebody goes round for ever.
const STEPS_MAX: usize = 400;
/// Times that a core is interrupted where it did not wait: enough for each mutant, and all that a search of the larger
/// scenarios can afford.
const PREEMPTIONS_MAX: usize = 3;

/// Searches what is played; how many interleavings there are.
fn search(play: fn()) -> usize {
    let mut search = loom::model::Builder::new();
    (search.max_branches, search.preemption_bound) = (STEPS_MAX, Some(PREEMPTIONS_MAX));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    search.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        play();
    });
    count.load(Ordering::Relaxed)
}

#[test]
fn races_every_interleaving_is_sound() {
    for (scenario, play) in Scenario::ALL.into_iter().zip(variants::RIGHT) {
        println!("{scenario:?}: {} interleavings", search(play));
    }
}

#[test]
fn races_each_mutant_is_found() {
    assert_eq!(variants::WRONG.len(), MUTANTS.into_iter().flatten().count());
    for (mutant, play) in MUTANTS.into_iter().flatten().zip(variants::WRONG) {
        let found = catch_unwind(|| search(play));
        assert!(found.is_err(), "{} was not found by {:?}", mutant.name, mutant.found_by);
    }
}
