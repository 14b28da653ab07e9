//! The program's memory: mapping, and what to do when no frame is left.

pub(crate) mod mapping;
mod out_of_memory;
