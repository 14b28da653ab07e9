//! The page cache of a board: pages of files in ordinary page frames, for `read`, `mmap` and `exec` alike.
//!
//! - [`page_cache`]: the process that has them;
//! - [`PageIndex`]: which frame shows which page of which file, and which was used longest ago;
//! - [`Fill`]: how others bring a page in;
//! - [`take_all_home`]: what other boards have written comes to the board of the inodes.
//!
//! Not here: who may hold which page (the inode processes, `renga_fs`), address spaces (`renga_memory`).
#![no_std]
#![forbid(unsafe_code)]

mod adrift;
mod append_room;
mod changing;
mod dirty;
pub mod fill;
pub mod frame_list;
mod held;
mod holding;
mod index;
mod page_cache;
mod ring;
mod room;
mod show;
mod showings;
mod taking_home;
mod templates;
mod windows;
mod write;

pub use append_room::AppendRoom;
pub use changing::change_held;
pub use fill::Fill;
pub use frame_list::FrameList;
pub use held::Holding;
pub use index::PageIndex;
pub use page_cache::page_cache;
pub use room::CacheMemory;
pub use taking_home::{Spares, take_all_home, take_home_and_commit, take_home_until};
