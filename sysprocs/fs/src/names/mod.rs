//! Paths: the walkers, who of them has what to do, and what changes names.

pub(crate) mod change;
pub(crate) mod dispatcher;
pub(crate) mod making;
pub(crate) mod open;
pub(crate) mod pathname;
pub(crate) mod rename;
mod resolve;
pub(crate) mod walk;
pub(crate) mod walker;
