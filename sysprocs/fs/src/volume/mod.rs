//! The file system as a whole: what is free, the journal, mounting, commits.

pub(crate) mod allocator;
pub(crate) mod allocator_state;
pub(crate) mod block_allocation;
pub(crate) mod commit_timer;
pub(crate) mod committer;
pub(crate) mod freed_blocks;
pub(crate) mod journal;
pub(crate) mod journal_file;
pub(crate) mod members;
pub(crate) mod mount;
pub(crate) mod newest_copies;
pub(crate) mod recovery;
pub(crate) mod reservations;
pub(crate) mod transaction;
