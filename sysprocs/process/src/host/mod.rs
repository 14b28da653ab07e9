//! Scripted user programs inside a host program: for tests and the simulator.
//!
//! A [`Script`] is assembled to a real ELF program of a few AArch64 instructions; [`run_slice`] runs user
//! programs by interpreting exactly these, so that fork, exec, page faults, copy-on-write and signal
//! frames work as on a board. Not here: any other instruction (they trap as undefined), time.

mod execute;
mod instructions;
mod script;

pub use execute::{Flushed, run, run_slice};
pub use script::{Argument, Label, Script, Variable};
