//! Programs begin, move and end: fork, exec, wait, groups, boards that die.

pub(crate) mod control;
pub(crate) mod execute;
mod file_pages;
pub(crate) mod fork;
pub(crate) mod loss;
mod memory;
pub(crate) mod process_image;
pub(crate) mod slot_loop;
pub(crate) mod wait;
