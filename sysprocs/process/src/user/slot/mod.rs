//! The process of a user-process slot.

pub(crate) mod user;
