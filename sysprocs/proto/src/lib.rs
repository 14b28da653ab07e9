//! The protocols between system processes, one module each.
//!
//! Invariant: the same words mean the same on every board. Slices are at most one page, but for the disk's on its own
//! board. A protocol's number is unique. Not here: who serves and who calls (the processes' signatures).
#![no_std]
#![forbid(unsafe_code)]

pub mod allocator;
pub mod attributes;
pub mod buffer;
pub mod clock;
pub mod console;
pub mod counter;
pub mod data;
pub mod disk;
pub mod events;
pub mod fifos;
pub mod file;
pub mod futex;
mod in_slice;
pub mod inode;
pub mod inode_release;
pub mod internet;
pub mod listed;
pub mod locks;
pub mod memory;
pub mod mounts;
pub mod name_index;
pub mod names;
pub mod notices;
mod owner;
pub mod packed;
pub mod pages;
pub mod path;
pub mod pipe;
pub mod proc_files;
pub mod procs;
pub mod references;
pub mod regulation;
pub mod router;
pub mod sessions;
pub mod settings;
pub mod slots;
pub mod socket;
pub mod socket_table;
pub mod stat;
pub mod steps;
pub mod surplus;
pub mod terminals;
pub mod used;
pub mod write_lease;
