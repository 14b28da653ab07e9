//! From trap to system call: the loops of a slot, and the table of calls.

mod attended;
mod governed;
mod missing_init;
pub(crate) mod names;
pub(crate) mod slot_loop;
pub(crate) mod table;
