//! The simulator: the boards of a cluster in one host program, in simulated time.
//!
//! The same kernel core, system processes, router and frames as on boards; only the bus, the medium, the terminal and
//! user mode are imitations. [`SimCluster`] steps boards from event to event, whatever they run; [`system::SimSystem`]
//! is a cluster with all processes of a placement file, whose user programs are closures ([`program`]); [`seed`]
//! generates a workload and faults from a number and checks the run.
#![forbid(unsafe_code)]

pub mod calls;
#[cfg(feature = "campaign")]
pub mod campaign;
mod cluster;
mod cores;
pub mod cut;
pub mod incident;
mod logged;
mod ongoing;
pub mod outcome;
pub mod program;
mod reach;
pub mod seed;
pub mod system;
pub mod trace;
mod waits;

pub use cluster::{ClusterSetup, Players, SimCluster, SimSite};
pub use renga_phy::loopback::{BusCounters, BusTiming, CrossedFrame, Faults, Loopback};
