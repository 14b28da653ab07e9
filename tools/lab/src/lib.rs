//! Measurements, crash points and sweeps: `renga bench`, `renga crash` and `renga sweep`.
//!
//! Not here: what is compared with what (`renga-bench`), running boards (`renga-cluster`).
#![forbid(unsafe_code)]

pub mod benches;
pub mod compare;
pub mod crash;
pub mod machines;
pub mod measure;
pub mod sweep;
pub mod sweep_command;
