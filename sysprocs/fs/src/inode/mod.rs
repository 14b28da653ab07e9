//! Active inodes: one process each; their data, block map, directory entries and leases.

pub(crate) mod active_inode;
pub(crate) mod append_room;
pub(crate) mod appends;
pub(crate) mod block_map;
pub(crate) mod block_route;
pub(crate) mod data_losses;
pub(crate) mod directory;
pub(crate) mod eviction;
pub(crate) mod file_data;
pub(crate) mod kept_call;
pub(crate) mod lease_calls;
pub(crate) mod lease_demand;
pub(crate) mod lease_flush;
pub(crate) mod lease_grant;
mod lease_push;
pub(crate) mod lease_size;
pub(crate) mod mapped_write;
pub(crate) mod read_ahead;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod truncate;
mod watching;
