//! Leases as the disk board records them, and the process that revokes them.

pub(crate) mod page_leases;
pub(crate) mod referrers;
pub(crate) mod revocations;
pub(crate) mod write_lease;
