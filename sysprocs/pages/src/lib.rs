//! The page cache of a board: pages of files in ordinary page frames, for `read`, `mmap` and `exec` alike.
//!
//! - [`page_cache`]: the process;
//! - [`PageIndex`]: which frame has which page of which file, and which was used longest ago;
//! - [`Fill`]: how others bring a page in;
//! - [`flush_all`]: flushes other boards' dirty pages to the board of the inodes.
//!
//! Not here: leases of pages (the inode processes, `renga_fs`), address spaces (`renga_memory`).
#![no_std]
#![forbid(unsafe_code)]

mod append_reservation;
mod attribute_change;
mod cache_state;
mod delayed_call;
mod dirty;
mod eviction;
pub mod fill;
mod flush;
pub mod frame_list;
mod index;
mod lease;
mod lease_calls;
mod leased_files;
mod leased_status;
mod orphaned;
mod owner_clock;
mod page_cache;
mod push;
mod records;
mod reverse_mappings;
mod shared_mapping;
mod shared_tables;
mod time_windows;
mod write;

pub use append_reservation::AppendReservation;
pub use attribute_change::{change_leased, complete_status};
pub use fill::Fill;
pub use flush::{FlushSpares, flush_all, flush_and_commit, flush_until};
pub use frame_list::FrameList;
pub use index::PageIndex;
pub use lease::CachedLease;
pub use page_cache::page_cache;
pub use records::CacheMemory;
