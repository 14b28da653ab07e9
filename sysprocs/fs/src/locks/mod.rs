//! Locks that programs put on files, on the disk board for all boards.

pub(crate) mod server;
pub(crate) mod table;
