//! Locks that programs put on files, on the disk's board for all boards.

pub(crate) mod server;
pub(crate) mod table;
