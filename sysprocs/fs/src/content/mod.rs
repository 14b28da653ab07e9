//! Content of files between the page cache and the medium.

pub(crate) mod client;
pub(crate) mod reader;
pub(crate) mod returner;
pub(crate) mod sent;
pub(crate) mod writer;
