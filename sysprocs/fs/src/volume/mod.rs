//! The file system as a whole: what is free, the journal, mounting, commits.

pub(crate) mod allocator;
pub(crate) mod commit_timer;
pub(crate) mod committer;
mod freed;
mod journal;
mod journal_file;
mod mount;
mod recovery;
mod reserved;
pub(crate) mod transaction;
