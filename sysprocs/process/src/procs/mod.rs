//! The process that keeps a board's user processes: pids, parents, waiting, signals, idle slots.

mod charged;
mod far;
mod homes;
mod listing;
pub mod queue;
pub mod record;
pub mod regulated;
mod relief;
pub mod rows;
pub mod server;
mod signal;
pub mod slot_set;
mod spawn;
pub mod table;
mod vfork;
