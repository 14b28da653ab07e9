//! The directory of inodes: which process has which inode, known names, the lock of names, commits and reclaim.

pub(crate) mod active_table;
pub(crate) mod commit_queue;
pub(crate) mod directory_state;
pub(crate) mod inode_directory;
pub(crate) mod inode_reclaimer;
pub(crate) mod inode_slot;
pub(crate) mod known_names;
pub(crate) mod names_lock;
