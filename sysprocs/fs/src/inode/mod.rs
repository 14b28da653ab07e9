//! Active inodes: one process each, their directory, their content and where its blocks are.

pub(crate) mod active_inode;
pub(crate) mod block_map;
pub(crate) mod content;
pub(crate) mod directory;
pub(crate) mod inode_directory;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod truncate;
