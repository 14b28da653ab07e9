//! A write lease as the owner records it: which board writes the file, and what is still to be flushed.
//!
//! Invariant: no two leases of an inode have one number; the number combines the time of the grant and the boot of
//! the board. Called by: the inode's process. Not here: granting (`inode/lease_grant.rs`), flushing
//! (`inode/lease_flush.rs`).

/// Of the number of a lease: these bits are the time, the others count the starts of this board.
pub(crate) const TIME_BITS: u32 = 56;

/// Indirect blocks for so many pages behind the end: one of each level that they lie in, and one more where they cross.
pub(crate) const INDIRECT_MAX: u32 = 6;

#[derive(Clone, Copy)]
pub(crate) struct WriteLease {
    pub(crate) board: u8,
    /// No other lease of this inode has had that number.
    pub(crate) id: u64,
    /// Times that the board was answered that it has it.
    pub(crate) grants: u32,
    /// The session with the board in which it was given.
    pub(crate) session: u32,
    /// Since when the board has not answered.
    pub(crate) silent_ns: Option<u64>,
    pub(crate) below: u32,
    /// Blocks that are kept for them.
    pub(crate) reserved: u32,
    /// The board may not write any more, and may still have what is dirty.
    pub(crate) closed: bool,
    /// What is dirty from there on is still to be taken.
    pub(crate) from: u32,
    pub(crate) taken: u32,
    pub(crate) size: u64,
    /// A page of it has been lost here.
    pub(crate) damaged: bool,
    /// Some caller has been served while it was orphaned.
    pub(crate) stale: bool,
    /// A sync has missed its pages, so that their loss is recorded.
    pub(crate) missed: bool,
    /// Mode, owner or times were changed here while the board was orphaned: what it has changed before counts no more.
    pub(crate) superseded: bool,
    /// The inode was watched when the lease was granted: what is flushed was written since.
    pub(crate) watched: bool,
}

impl WriteLease {
    /// The board is about to be notified that it has it.
    pub(crate) fn grant(&mut self) -> u64 {
        self.grants = self.grants.saturating_add(1);
        self.id
    }
}

/// When the lease of this number was given, ns since boot.
pub(crate) fn granted_at_ns(id: u64) -> u64 {
    id & ((1 << TIME_BITS) - 1)
}
