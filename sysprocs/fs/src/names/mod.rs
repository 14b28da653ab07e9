//! Path operations: the lookup workers, and what changes names.

pub(crate) mod lookup_worker;
pub(crate) mod name_change;
pub(crate) mod name_grants;
mod name_reports;
pub(crate) mod open;
pub(crate) mod path_lookup;
pub(crate) mod path_resolution;
pub(crate) mod remote_lookup;
pub(crate) mod rename;
pub(crate) mod worker_state;
