//! The program's memory: mapping, waiting for its words, and what to do when no frame is left.

mod futex;
pub(crate) mod mapping;
mod out_of_memory;
mod segments;
