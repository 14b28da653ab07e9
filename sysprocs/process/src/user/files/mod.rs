//! The system calls about descriptors: files, directories, devices, pipes, events, and moving bytes.

mod changes;
mod descriptor_calls;
mod directory;
mod disk;
mod events;
mod extended_status;
mod fifo;
mod file_copy;
mod job_control;
mod locks;
mod loss;
pub(crate) mod one_page_transfer;
mod open;
pub(crate) mod path;
pub(crate) mod permissions;
pub(crate) mod permitted_path;
mod poll;
mod poll_round;
mod signal_files;
mod status;
pub(crate) mod synthetic;
mod terminal;
mod transfer;
pub(crate) mod transfer_calls;
mod unsupported;
mod watches;
