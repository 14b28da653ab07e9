//! Inodes that are given up: which the inode reclaimer is to have next, and for whom it works.
//!
//! Invariant: that of the table. Not here: when an inode is to be given up (`active_table.rs`).

use super::{ActiveTable, InodeSlot, NONE, SlotUse};
use renga_rt::account::AccountNumber;

impl ActiveTable {
    /// Whether the inode reclaimer has nothing to do.
    pub(crate) fn is_settled(&self) -> bool {
        self.leaving == 0
    }

    /// The first process from `from` on whose inode is leased to another board.
    pub(crate) fn next_leased(&self, from: u16, spares: bool) -> Option<u16> {
        self.referrers.next_leased(from, spares)
    }

    /// What jobs of these boards have written need not be flushed while they are held.
    pub(crate) fn spare(&self, boards: u8) {
        self.referrers.spare(boards);
    }

    /// What becomes of it, if nobody refers to it any more, is done for this account.
    pub(crate) fn note_account(&mut self, number: u16, account: AccountNumber) {
        if let Some(slot) = self.slots.get_mut(usize::from(number)) {
            slot.account = account;
        }
    }

    /// What the inode reclaimer is to give up next, and for whom.
    pub(crate) fn next_reclaim(&mut self) -> Option<(u16, u32, AccountNumber)> {
        let number = self.oldest[SlotUse::Queued as usize];
        if number == NONE {
            return None;
        }
        self.set_use(number, SlotUse::Reclaiming);
        let InodeSlot { ino, account, .. } = *self.slot(number);
        Some((number, ino, account))
    }
    /// The inode reclaimer has given it up.
    pub(crate) fn reclaimed(&mut self, number: u16) {
        if let Some(slot) = self.slots.get(usize::from(number)).filter(|slot| slot.used == SlotUse::Reclaiming) {
            self.freed = self.freed.wrapping_add(slot.unlinked.into());
            self.set_use(number, SlotUse::Vacant);
        }
    }
}
