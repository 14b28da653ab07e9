//! The checkout that the tools work in: where things are, what cargo has built, folders of one run, progress.
//!
//! Not here: what is built (`renga-images`), installing what is missing (`tools/setup`).
#![forbid(unsafe_code)]

pub mod cargo;
pub mod delegate;
pub mod environment;
pub mod exit;
pub mod freshness;
pub mod lock;
pub mod output;
pub mod prebuilt;
pub mod progress;
pub mod scratch;
pub mod shell;
