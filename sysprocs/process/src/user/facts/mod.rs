//! The system calls that report facts: identity, time, the cluster, limits.

pub(crate) mod cluster;
pub(crate) mod comparison;
pub mod identity;
pub(crate) mod limits;
pub(crate) mod schedule;
pub(crate) mod system_log;
pub(crate) mod time;
pub mod timers;
pub(crate) mod usage;
mod users;
