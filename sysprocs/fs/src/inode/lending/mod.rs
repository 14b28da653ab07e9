//! Inodes that other boards hold pages of, or write: whom that was granted, and how it comes back.

pub(crate) mod away;
pub(crate) mod call;
mod changed;
mod demand;
pub(crate) mod page_leases;
pub(crate) mod revocations;
pub(crate) mod size;
pub(crate) mod write_lease;
