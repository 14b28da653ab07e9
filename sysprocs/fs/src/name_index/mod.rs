//! The index of large directories' names.

pub(crate) mod index_table;
pub(crate) mod server;
