//! The process that keeps a board's user processes: pids, parents, waiting, signals, idle slots.

pub mod record;
pub mod server;
mod signal;
pub mod table;
