//! The protocols between system processes, one module each.
//!
//! Invariant: the same words mean the same on every board. Slices are at most one page, but for the disk's on its own
//! board. A protocol's number is unique. Not here: who serves and who calls (the processes' signatures).
#![no_std]
#![forbid(unsafe_code)]

pub mod clock;
pub mod counter;
mod files;
mod in_slice;
pub mod listed;
pub mod memory;
mod objects;
pub mod packed;
pub mod pages;
pub mod procs;
pub mod regulation;
pub mod router;
pub mod sessions;
pub mod settings;
pub mod slots;
pub mod used;

pub use files::{
    allocator, attributes, buffer, data, disk, file, inode, inode_release, locks, mounts, name_index, names, notices,
    path, proc_files, references, stat, steps, surplus, write_lease,
};
pub use objects::{console, events, fifos, futex, interfaces, internet, pipe, socket, socket_table, terminals};
