//! Buffers of metadata blocks, their directory, and metadata writeback.

pub(crate) mod buffer;
pub(crate) mod buffer_directory;
pub(crate) mod metadata_writeback;
pub(crate) mod slots;
