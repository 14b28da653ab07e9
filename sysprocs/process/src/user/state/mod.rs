//! The data of a program and its slot, without calls to servers.

pub mod actions;
pub mod descriptors;
pub mod fields;
pub mod image_bytes;
pub mod limits;
pub mod object;
pub mod open_flags;
pub mod process_image;
pub mod program;
pub mod syscall_result;
