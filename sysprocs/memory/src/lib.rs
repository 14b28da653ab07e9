//! User memory: page frames, cached file pages, address spaces.
//!
//! Two processes per board, and a library for the processes that run user programs:
//! - [`memory`]: the page frames and their reference counts;
//! - [`text`]: clean file pages that programs share;
//! - [`Space`]: the address space of one program, owned by the process that runs it: faults, mappings,
//!   copy-on-write, loading of programs, moving to another slot or board.
//!
//! Not here: translation tables (`renga_hal::memory::UserMemory`), system-call numbers and flags.
#![no_std]
#![forbid(unsafe_code)]

pub mod area;
pub mod areas;
pub mod copy;
pub mod encode;
pub mod exec;
pub mod fault;
pub mod fork;
pub mod frame_list;
pub mod frames;
pub mod layout;
pub mod map;
pub mod mapped_files;
pub mod memory;
pub mod page_list;
pub mod pager;
pub mod space;
pub mod text;
pub mod text_files;
mod text_table;

pub use copy::{ReadPiece, WritePiece};
pub use exec::arguments::ArgumentPages;
pub use exec::build::{Credentials, Start};
pub use exec::image::{Image, Inspected, Script};
pub use fault::FaultError;
pub use fork::SpaceCopy;
pub use map::{Backing, Mapping, Place, access_of};
pub use mapped_files::MappedFile;
pub use memory::memory;
pub use page_list::{Export, PageList};
pub use pager::Pager;
pub use space::Space;
pub use text::text;
pub use text_table::TextEntry;
