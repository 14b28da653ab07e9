//! What a program opens: descriptors, files, directories, devices, and moving bytes.

pub(crate) mod absent;
mod append;
pub(crate) mod descriptors;
pub(crate) mod directory;
pub(crate) mod disk;
pub(crate) mod events;
pub(crate) mod extended_status;
pub(crate) mod fifo;
pub(crate) mod hot;
mod job_control;
pub(crate) mod locks;
pub(crate) mod look;
pub(crate) mod made;
mod making;
pub(crate) mod objects;
pub(crate) mod open;
pub(crate) mod passing;
pub(crate) mod path;
pub(crate) mod poll;
pub(crate) mod ranges;
pub(crate) mod status;
mod status_flags;
mod synchronous;
pub(crate) mod terminal;
pub(crate) mod transfer;
mod vectors;
pub(crate) mod watches;
