//! The servers that a user process calls, and the calls that need no program.

mod cached_status;
mod create;
pub(crate) mod object_calls;
pub(crate) mod rights;
pub(crate) mod services;
pub(crate) mod terminal_calls;
