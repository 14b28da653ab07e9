//! From trap to system call: the loop of a slot, the loop of paced programs, and the table of calls.

pub(crate) mod governed;
pub(crate) mod names;
pub(crate) mod slot_loop;
pub(crate) mod table;
