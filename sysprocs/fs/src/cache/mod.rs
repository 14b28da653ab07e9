//! Cached blocks: one process each, their directory, and how others use them.

pub(crate) mod buffer;
pub(crate) mod buffer_directory;
pub(crate) mod buffer_work;
pub(crate) mod client;
