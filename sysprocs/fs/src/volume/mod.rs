//! The volume as a whole: free blocks and inodes, mounting, the journal, commits and when they are due.

pub(crate) mod allocator;
pub(crate) mod commit;
pub(crate) mod journal;
pub(crate) mod mount;
pub(crate) mod recovery;
pub(crate) mod write_back;
