//! Programs begin, move and end: fork, exec, wait, groups and sessions.

mod clone;
pub(crate) mod execute;
mod file_pages;
pub(crate) mod fork;
pub(crate) mod relations;
mod threads;
pub(crate) mod wait;
