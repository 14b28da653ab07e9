//! File data between the page cache and the medium.

pub(crate) mod client;
pub(crate) mod data_reader;
pub(crate) mod data_writeback;
pub(crate) mod lease_flusher;
pub(crate) mod prefetcher;
pub(crate) mod read_ahead_window;
