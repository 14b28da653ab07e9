//! Active inodes: one process each, their directory, their content and where its blocks are.

pub(crate) mod active_inode;
pub(crate) mod active_table;
mod appends;
mod block_map;
mod commit_queue;
pub(crate) mod content;
pub(crate) mod directory;
pub(crate) mod held_call;
pub(crate) mod index_table;
pub(crate) mod inode_directory;
pub(crate) mod inode_reclaimer;
mod inode_slot;
mod known_names;
pub(crate) mod known_path;
pub(crate) mod lending;
pub(crate) mod mapped;
pub(crate) mod name_cache;
mod name_holders;
pub(crate) mod name_index;
mod names_lock;
pub(crate) mod read_ahead;
pub(crate) mod referrers;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod truncate;
