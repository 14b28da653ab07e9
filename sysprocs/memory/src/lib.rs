//! User memory: page frames, address spaces.
//!
//! Two processes per board (the page cache is `renga_pages`), and a library for the processes that run user programs:
//! - [`memory`]: the page frames and their reference counts;
//! - [`references`]: the references of programs to the files that they map;
//! - [`Space`]: the address space of one program, owned by the process that runs it: faults, mappings,
//!   copy-on-write, loading of programs, moving to another slot or board.
//!
//! Not here: translation tables (`renga_hal::memory::UserMemory`), system-call numbers and flags.
#![no_std]
#![forbid(unsafe_code)]

pub mod area;
pub mod areas;
mod busy_texts;
mod cached_pages;
mod copy;
mod encode;
mod exec;
mod fault;
mod file_references;
mod fork;
mod frame_cache;
mod frame_counts;
mod frames;
pub mod layout;
mod map;
mod mapped_files;
pub mod memory;
pub mod page_list;
pub mod pager;
mod references;
mod shared_fault;
mod space;
mod storing;
mod tables;

pub use copy::{ReadPiece, WritePiece};
pub use exec::arguments::ArgumentPages;
pub use exec::build::{ProgramIds, Start};
pub use exec::image::{Image, ShebangLine};
pub use fault::FaultError;
pub use file_references::{FILES_MAX, UsedFile};
pub use fork::SpaceCopy;
pub use frame_cache::FrameCache;
pub use frame_counts::FrameCounts;
pub use map::{Backing, MapAddress, Mapping, access_of};
pub use mapped_files::MappedFile;
pub use memory::memory;
pub use page_list::{Export, PageList};
pub use pager::Pager;
pub use references::references;
pub(crate) use renga_pages::frame_list;
pub use space::Space;
pub use tables::{SpaceTables, TABLES_PER_SLOT};
