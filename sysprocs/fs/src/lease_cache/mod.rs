//! FileName and inode lookups that a diskless board caches under leases of the disk board.

pub(crate) mod cache_state;
pub(crate) mod cached_walk;
pub(crate) mod creation;
pub(crate) mod inode_cache;
pub(crate) mod name_cache;
pub(crate) mod revalidation;
