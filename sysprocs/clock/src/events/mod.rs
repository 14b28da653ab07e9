//! Event files: counts that are added to and taken, timers whose expiries are read, sets of watches, and notices of changed files.

mod file;
mod notices;
mod server;
mod watches;

pub use file::EventPlace;
pub use notices::{InodeWatch, NoticeMemory, NoticePlace};
pub use server::events;
pub use watches::WatchPlace;
