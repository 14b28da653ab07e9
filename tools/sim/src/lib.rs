//! The simulator: the boards of a cluster in one host program, in simulated time.
//!
//! The same kernel core, system processes, router and frames as on boards; only the bus is an
//! imitation. Not here: what the boards run; whoever makes a [`Cluster`] says that.
#![forbid(unsafe_code)]

mod cluster;

pub use cluster::{Cluster, ClusterSetup, Site};
pub use renga_phy::loopback::{BusCount, BusTiming, Faults, Loopback};
