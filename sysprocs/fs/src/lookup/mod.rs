//! Names in memory: the table of known names, their holders, and walking along a path by it.

pub(crate) mod name_cache;
pub(crate) mod name_holders;
pub(crate) mod path_walk;
pub(crate) mod pathname;
