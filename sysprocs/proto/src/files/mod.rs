//! What the file system's processes say to each other and to their clients: paths, inodes, data, leases.

pub mod allocator;
pub mod attributes;
pub mod buffer;
pub mod data;
pub mod disk;
pub mod file;
pub mod inode;
pub mod inode_release;
pub mod locks;
pub mod mounts;
pub mod name_index;
pub mod names;
pub mod notices;
mod owner;
pub mod path;
pub mod proc_files;
pub mod references;
pub mod stat;
pub mod steps;
pub mod surplus;
pub mod write_lease;
