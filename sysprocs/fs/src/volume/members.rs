//! Sets of inode processes, and the phase of the transaction that they join.
//!
//! Invariant: a set has one bit for each process. Not here: who joins (`transaction.rs`).

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

pub(crate) struct ProcessSet([u64; MEMBERS_MAX / 64]);

impl ProcessSet {
    pub(crate) const NONE: ProcessSet = ProcessSet([0; MEMBERS_MAX / 64]);
    /// Adds one; whether there is room for such a number.
    pub(crate) fn add(&mut self, slot: u16) -> bool {
        let word = self.0.get_mut(usize::from(slot) / 64);
        word.map(|word| *word |= 1 << (slot % 64)).is_some()
    }
    pub(crate) fn take(&mut self) -> Option<u16> {
        let index = self.0.iter().position(|word| *word != 0)?;
        let word = &mut self.0[index];
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        Some(index as u16 * 64 + bit as u16)
    }
    pub(crate) fn remove(&mut self, slot: u16) {
        if let Some(word) = self.0.get_mut(usize::from(slot) / 64) {
            *word &= !(1 << (slot % 64));
        }
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}
