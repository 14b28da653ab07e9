//! The process that keeps a board's user processes: pids, parents, waiting, signals, idle slots.

mod accounting;
mod background_jobs;
mod home_cores;
mod listing;
mod orphans;
mod out_of_memory;
pub mod queue;
pub mod record;
mod remote_children;
pub mod rows;
pub mod server;
mod signal;
pub mod slot_set;
mod spawn;
pub mod state;
pub mod table;
mod threads;
mod vfork;
