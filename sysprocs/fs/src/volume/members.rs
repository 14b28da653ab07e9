//! Sets of inode processes, and the phase of the transaction that they join.
//!
//! Invariant: a set has one bit for each process. Not here: who joins (`transaction.rs`).

use renga_rt::BitSet;

/// Inode processes that may join.
pub(crate) const MEMBERS_MAX: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TransactionPhase {
    /// The journal has not been recovered yet.
    Unmounted,
    /// Changes join the transaction.
    Open,
    /// A transaction is closed and not copied yet.
    Closed,
}

/// A set of them.
pub(crate) type ProcessSet = BitSet<{ MEMBERS_MAX / 64 }>;
