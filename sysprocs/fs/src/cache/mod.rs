//! Buffers, their directory, how they are written, and how the other processes use them.

pub(crate) mod buffer;
pub(crate) mod buffer_directory;
pub(crate) mod client;
pub(crate) mod metadata_writeback;
pub(crate) mod slots;
