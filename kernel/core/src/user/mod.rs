//! User programs: their time slices on this core.
//!
//! Calls: types, sched, ipc. Called by: `smp`, `api`. Not here: slices on other cores (`smp`).

pub mod time_slice;
