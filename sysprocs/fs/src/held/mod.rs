//! What a board without the disk holds of names and inodes, under leases of the disk's board.

mod doubt;
pub(crate) mod inodes;
mod making;
pub(crate) mod name_cache;
mod paths;
pub(crate) mod references;
pub(crate) mod targets;
