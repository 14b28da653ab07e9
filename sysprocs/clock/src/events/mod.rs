//! Event files: counts that are added to and taken, and timers whose expiries are read.

mod file;
mod server;

pub use file::EventPlace;
pub use server::events;
