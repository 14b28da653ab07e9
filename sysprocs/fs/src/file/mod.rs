//! Open files: one process each, and the table of free ones.

pub(crate) mod attributes;
mod busy_text;
pub(crate) mod closing;
pub(crate) mod durability;
pub(crate) mod file_table;
pub(crate) mod inode_session;
pub(crate) mod large_append;
pub(crate) mod listing;
pub(crate) mod loss_mark;
mod offset_lock;
pub(crate) mod open_file;
pub(crate) mod page_read;
pub(crate) mod page_write;
mod push;
pub(crate) mod server;
pub(crate) mod synthetic_file;
pub(crate) mod watching;
mod write_lease;
pub(crate) mod writing;
