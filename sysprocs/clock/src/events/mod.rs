//! Event files: counts that are added to and taken, timers whose expiries are read, and sets of watches.

mod file;
mod server;
mod watches;

pub use file::EventPlace;
pub use server::events;
pub use watches::WatchPlace;
