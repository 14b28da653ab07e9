//! Every interleaving of what crosses between the cores of a board, and mistakes in it that must not go unseen.
//!
//! Invariant: what is searched is the text of `kernel/cores/src` and `kernel/frames/src/state.rs`, which the build script reads; only its atomics are
//! loom's. Each of [`MISTAKES`] is an edit of that text. Not here: the scenarios (`tests/races/scenarios.rs`).
#![forbid(unsafe_code)]

mod mistakes;

pub use mistakes::{MISTAKES, Mistake, Scenario, UNORDERED};
