//! Probes of the file system, which `renga trace` shows.
//!
//! Not here: how a probe is marked (`kernel/core`).

renga_rt::probe! {
    /// A request to the medium: the first block, the number of blocks, whether they are written.
    Disk = "disk" [8, 4, 1];
    /// The medium is done.
    DiskEnd = "disk-end" [];
    /// A commit begins.
    Commit = "commit" [];
    /// The commit is over.
    CommitEnd = "commit-end" [];
    /// Inode, board, page: the board is granted a lease on the page.
    PageLease = "lease" [4, 1, 4];
    /// Inode, board, first page, end: the pages are revoked from the board.
    Revoke = "recall" [4, 1, 4, 4];
    /// Inode, board: the board has given them up.
    RevokeEnd = "recall-end" [4, 1];
}
