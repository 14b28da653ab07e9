//! Every interleaving of what crosses between the cores of a board, and mutants in it that must not go unseen.
//!
//! Invariant: what is searched is the text of `kernel/sync/src`, `kernel/sync/src/frame_state.rs` and
//! `sysprocs/memory/src/frame_counts.rs`, which the build
//! script reads; only its atomics are loom's, and [`stand_ins`] stand for what it takes from elsewhere. Each of
//! [`MUTANTS`] is an edit of that text. Not
//! here: the scenarios (`tests/races`).
#![forbid(unsafe_code)]

mod mutants;
pub mod stand_ins;

pub use mutants::{MUTANTS, RaceMutant, Scenario, UNORDERED};
