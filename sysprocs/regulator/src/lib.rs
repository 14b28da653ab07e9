//! The regulator of background jobs (paper P2): samples the programs' use of processors, disk and link, and suspends
//! jobs that contend with the foreground.
//!
//! Invariant: while there is no background job it waits without an alarm; it suspends jobs by leases, which end when
//! it dies. Not here: counting and suspending on a board (`procs` of `renga_process`), files and commands.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod machine;
mod server;
mod settings;
mod text;
mod totals;

pub use machine::{Orders, RegulatorMachine, Samples};
pub use server::{RegulatorClients, regulator};
pub use settings::{RegulationPolicy, RegulatorSettings, RegulatorThreshold};
