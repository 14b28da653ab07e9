//! Paths: the lookup workers, who of them has what to do, and what changes names.

pub(crate) mod change;
pub(crate) mod lookup_worker;
pub(crate) mod making;
pub(crate) mod open;
pub(crate) mod path_lookup;
pub(crate) mod pathname;
pub(crate) mod rename;
mod resolve;
pub(crate) mod walk;
