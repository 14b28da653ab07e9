//! The system calls about descriptors: files, directories, devices, pipes, events, and moving bytes.

mod changes;
mod descriptor_calls;
mod directory;
mod disk;
mod extended_status;
mod fifo;
mod file_copy;
mod locks;
mod loss;
mod memory_file;
pub(crate) mod one_page_transfer;
pub(crate) mod open;
mod open_how;
pub(crate) mod path;
pub(crate) mod permissions;
pub(crate) mod permitted_path;
mod socket;
pub(crate) mod status;
pub(crate) mod synthetic;
mod terminals;
mod transfer;
pub(crate) mod transfer_calls;
mod unsupported;
mod waiting;
