//! Mutation testing: `renga test --mutants` asks which small mutations the tests would see.
//!
//! All mutants of an area are compiled into one build and chosen at run time by a number in the environment, so that a
//! mutant costs a run of the tests and no build. Each module uses only those before it:
//!
//! | Module | What it is |
//! |---|---|
//! | [`area`] | which crates are one area, and whose tests run against it |
//! | [`change`] | a mutant: a place and what stands there instead |
//! | [`find`] | the mutants of a source text |
//! | [`instrument`] | a source text that holds all of them |
//! | [`build`] | a copy of the tree with them, and its test programs |
//! | [`suite`] | what the tests say about one |
//! | [`command`] | the command: choice, progress, summary |
//!
//! Not here: the tests; images that run in QEMU, whose crates have no tests on the host.
#![forbid(unsafe_code)]

pub mod area;
pub mod build;
pub mod change;
pub mod command;
pub mod find;
pub mod instrument;
pub mod suite;
