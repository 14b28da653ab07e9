//! Which process has which active inode, and how many refer to it.
//!
//! Invariants: an inode is active in at most one process. A slot is in the list of its use, least recently used
//! first. One without references stays active until its process is needed for another, unless it has no links: then
//! it is evicted and freed at once. The table counts references by board. No step but [`ActiveTable::drop_board`],
//! [`ActiveTable::retire`], and taking an inode when no process is vacant, takes time that grows with the table. Not
//! here: calls (`inode_directory.rs`).

use crate::inode_table::inode_slot::{InodeSlot, InodeSlotUse, NO_INODE, USES};
use crate::leases::referrers::Referrers;
use renga_proto::inode::{NextLeased, ReclaimedInode};
use renga_proto::pages::FileId;
use renga_rt::account::AccountNumber;
use renga_rt::linked_list::{self, LinkedList, RowNumber};
use renga_rt::{BoardReferences, Errno};

const CHAINS: usize = 256;
/// Of so many processes one is kept without an inode, so that an opener need not wait.
const SPARE_SHARE: usize = 16;
/// Inodes that are passed over at a time because they are leased.
const LEASED_PASSED_MAX: usize = 16;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// It is active there; referred to once more.
    Active(u16),
    /// This process has none and is to have it; referred to.
    Fresh(u16),
    /// When the inode reclaimer has done something.
    Later,
}

/// Leases of one in so many inodes begin a round of flushes.
const ROUND_SHARE: usize = 64;

renga_rt::with_defaults! {
    pub(crate) struct ActiveTable {
        slots: &'static mut [InodeSlot] = slots,
        referrers: &'static Referrers = referrers,
        chains: [u16; CHAINS] = [u16::NONE; CHAINS],
        lists: [LinkedList<u16>; USES] = [LinkedList::EMPTY; USES],
        /// Inodes that were to be freed so far, and those of them that are.
        pub(crate) to_free: u32 = 0,
        pub(crate) freed: u32 = 0,
        retired: bool = false,
        /// From this process on leases are flushed next.
        flush_from: u16 = 0,
        /// How many leases had been granted when the last round of flushes began.
        flush_granted: u32 = 0,
    }
    fn of(slots: &'static mut [InodeSlot], referrers: &'static Referrers);
}

fn chain(ino: u32) -> usize {
    ino as usize % CHAINS
}

impl ActiveTable {
    pub(crate) fn new(slots: &'static mut [InodeSlot], referrers: &'static Referrers) -> Self {
        let mut table = ActiveTable::of(slots, referrers);
        for number in 0..table.slots.len() as u16 {
            table.lists[InodeSlotUse::Vacant as usize].push(table.slots, |slot| &mut slot.in_list, number);
        }
        table
    }

    fn oldest(&self, used: InodeSlotUse) -> Option<u16> {
        self.lists[used as usize].oldest()
    }

    fn count(&self, used: InodeSlotUse) -> usize {
        self.lists[used as usize].count as usize
    }

    /// Slots that are queued for the inode reclaimer, or with it.
    fn leaving(&self) -> usize {
        self.count(InodeSlotUse::Queued) + self.count(InodeSlotUse::Reclaiming)
    }

    fn slot(&mut self, number: u16) -> &mut InodeSlot {
        &mut self.slots[usize::from(number)]
    }

    /// The process that has inode `ino`.
    pub(crate) fn find(&self, ino: u32) -> Option<u16> {
        linked_list::find(self.slots, self.chains[chain(ino)], |slot| slot.next, |slot| slot.ino == ino)
    }

    /// Refers `board` to inode `ino`. `ENFILE`: all processes are referred to.
    pub(crate) fn activate(&mut self, ino: u32, board: u8) -> Result<Activation, Errno> {
        if self.retired {
            return Err(Errno::EROFS);
        }
        if ino == NO_INODE {
            return Err(Errno::EIO);
        }
        if let Some(number) = self.find(ino) {
            let slot = self.slot(number);
            return match slot.used {
                InodeSlotUse::Reclaiming => Ok(Activation::Later),
                // An inode without references and names cannot be named.
                InodeSlotUse::Queued if slot.unlinked => Ok(Activation::Later),
                _ => self.refer(number, board).map(Activation::Active),
            };
        }
        let Some(number) = self.oldest(InodeSlotUse::Vacant) else {
            self.make_spare();
            return if self.leaving() > 0 { Ok(Activation::Later) } else { Err(Errno::ENFILE) };
        };
        self.set_ino(number, ino);
        let referred = self.refer(number, board);
        self.keep_spare();
        referred.map(Activation::Fresh)
    }

    /// The inode's process may ask which boards refer to it.
    fn publish_referrers(&self, number: u16) {
        self.referrers.set(number, self.slots[usize::from(number)].references.boards());
    }

    fn refer(&mut self, number: u16, board: u8) -> Result<u16, Errno> {
        if !self.slot(number).references.add(board) {
            return Err(Errno::ENFILE);
        }
        self.publish_referrers(number);
        self.set_use(number, InodeSlotUse::Referred);
        Ok(number)
    }

    /// Evicts, in time, the least recently used of those without references.
    fn keep_spare(&mut self) {
        let spare = (self.slots.len() / SPARE_SHARE).max(1);
        if self.count(InodeSlotUse::Vacant) + self.leaving() >= spare {
            return;
        }
        for _ in 0..LEASED_PASSED_MAX {
            let Some(idle) = self.oldest(InodeSlotUse::Idle) else { return };
            if !self.referrers.is_leased(idle) {
                return self.set_use(idle, InodeSlotUse::Queued);
            }
            self.move_to(idle, InodeSlotUse::Idle);
        }
    }

    /// As `keep_spare`, however many are leased: when there is none left.
    fn make_spare(&mut self) {
        for _ in 0..=self.slots.len() / LEASED_PASSED_MAX {
            self.keep_spare();
        }
    }

    /// A number of an earlier incarnation of this board does no harm to its present inode.
    fn check(&self, number: u16, ino: u32) -> Result<(), Errno> {
        let slot = self.slots.get(usize::from(number)).ok_or(Errno::EINVAL)?;
        if slot.ino == ino && slot.used == InodeSlotUse::Referred { Ok(()) } else { Err(Errno::EINVAL) }
    }

    /// One reference more to what the board refers to already: a number alone gives it none.
    pub(crate) fn keep(&mut self, number: u16, ino: u32, board: u8) -> Result<(), Errno> {
        self.check(number, ino)?;
        if !self.slot(number).references.contains(board) {
            return Err(Errno::EINVAL);
        }
        self.refer(number, board).map(|_| ())
    }

    pub(crate) fn release(&mut self, number: u16, ino: u32, board: u8) -> Result<(), Errno> {
        self.check(number, ino)?;
        if !self.slot(number).references.remove(board) {
            return Err(Errno::EINVAL);
        }
        self.publish_referrers(number);
        self.leave_if_unused(number);
        Ok(())
    }

    pub(crate) fn hand_over(&mut self, number: u16, from: u8, to: u8) -> Result<(), Errno> {
        let slot = self.slots.get_mut(usize::from(number)).ok_or(Errno::EINVAL)?;
        if !slot.references.remove(from) {
            return Err(Errno::EINVAL);
        }
        let added = slot.references.add(to);
        self.publish_referrers(number);
        self.leave_if_unused(number);
        if added { Ok(()) } else { Err(Errno::ENFILE) }
    }

    /// It has no links any more; which inode it is, which boards refer to it, and whether only one reference is left:
    /// then `aware` boards drop its data.
    pub(crate) fn set_unlinked(&mut self, number: u16, aware: u8) -> Result<(u32, u8, bool), Errno> {
        let slot = self.slots.get_mut(usize::from(number)).filter(|slot| slot.used == InodeSlotUse::Referred);
        let slot = slot.ok_or(Errno::EINVAL)?;
        let sole = slot.references.total() == 1;
        (slot.unlinked, slot.aware) = (true, if sole { aware } else { 0 });
        Ok((slot.ino, slot.references.boards(), sole))
    }
    /// Where inode `ino` is active, referred to or not, unless the inode reclaimer has it; it counts as used now.
    pub(crate) fn touch(&mut self, ino: u32) -> Option<u16> {
        let number =
            self.find(ino).filter(|number| self.slots[usize::from(*number)].used != InodeSlotUse::Reclaiming)?;
        if self.slot(number).used == InodeSlotUse::Idle {
            self.move_to(number, InodeSlotUse::Idle);
        }
        Some(number)
    }
    pub(crate) fn is_named(&self, ino: u32) -> bool {
        self.find(ino).is_some_and(|number| !self.is_unlinked(number))
    }
    pub(crate) fn is_unlinked(&self, number: u16) -> bool {
        self.slots[usize::from(number)].unlinked
    }

    pub(crate) fn set_directory(&mut self, number: u16, generation: u32) {
        self.slot(number).directory = Some(generation);
    }
    /// Whether it is known to be that directory, which it stays meanwhile.
    pub(crate) fn is_directory(&self, wanted: FileId) -> bool {
        let slot = self.find(wanted.ino).map(|number| &self.slots[usize::from(number)]);
        let is_wanted = |slot: &&InodeSlot| slot.directory.is_some_and(|generation| wanted.is_of(generation));
        slot.filter(is_wanted).is_some_and(|slot| matches!(slot.used, InodeSlotUse::Idle | InodeSlotUse::Referred))
    }

    fn leave_if_unused(&mut self, number: u16) {
        let slot = self.slot(number);
        if slot.used == InodeSlotUse::Referred && slot.references.is_empty() {
            let unlinked = slot.unlinked;
            self.set_use(number, if unlinked { InodeSlotUse::Queued } else { InodeSlotUse::Idle });
            self.to_free = self.to_free.wrapping_add(unlinked.into());
            self.keep_spare();
        }
    }

    /// Evicts an invalid inode without reading it; returns whether it had no references.
    pub(crate) fn forget(&mut self, number: u16) -> bool {
        let idle = self.slot(number).used == InodeSlotUse::Idle;
        if idle {
            self.set_use(number, InodeSlotUse::Vacant);
        }
        idle
    }

    /// Whether what is made in the inode of process `number` gets its group.
    pub(crate) fn gives_group(&self, number: u16) -> bool {
        self.referrers.gives_group(number)
    }
    pub(crate) fn session(&self, board: u8) -> u32 {
        self.referrers.session(board)
    }

    pub(crate) fn drop_board(&mut self, board: u8) {
        self.referrers.end_session(board);
        for number in 0..self.slots.len() as u16 {
            if self.slot(number).references.drop_board(board) > 0 {
                self.publish_referrers(number);
                self.leave_if_unused(number);
            }
        }
    }

    /// Nothing is activated any more, and all that is active goes to the inode reclaimer.
    pub(crate) fn retire(&mut self) {
        self.retired = true;
        for number in 0..self.slots.len() as u16 {
            let slot = self.slot(number);
            if matches!(slot.used, InodeSlotUse::Idle | InodeSlotUse::Referred) {
                slot.references = BoardReferences::NONE;
                let unlinked = slot.unlinked;
                self.publish_referrers(number);
                self.to_free = self.to_free.wrapping_add(unlinked.into());
                self.set_use(number, InodeSlotUse::Queued);
            }
        }
    }

    fn set_ino(&mut self, number: u16, ino: u32) {
        let former = core::mem::replace(&mut self.slot(number).ino, ino);
        if former != NO_INODE {
            linked_list::unchain(self.slots, &mut self.chains[chain(former)], |slot| &mut slot.next, number);
        }
        if ino != NO_INODE {
            linked_list::chain(self.slots, &mut self.chains[chain(ino)], |slot| &mut slot.next, number);
        }
    }

    fn set_use(&mut self, number: u16, used: InodeSlotUse) {
        if self.slot(number).used == used {
            return;
        }
        if used == InodeSlotUse::Vacant {
            self.set_ino(number, NO_INODE);
            let slot = self.slot(number);
            (slot.unlinked, slot.aware, slot.directory, slot.account) = (false, 0, None, AccountNumber::SYSTEM);
        }
        self.move_to(number, used);
    }

    fn move_to(&mut self, number: u16, used: InodeSlotUse) {
        let former = core::mem::replace(&mut self.slot(number).used, used);
        self.lists[former as usize].remove(self.slots, |slot| &mut slot.in_list, number);
        self.lists[used as usize].push(self.slots, |slot| &mut slot.in_list, number);
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.leaving() == 0
    }

    /// The first process from `from` on whose inode is leased to another board.
    pub(crate) fn next_leased(&self, NextLeased { from, spares }: NextLeased) -> Result<u16, Errno> {
        self.referrers.next_leased(from, spares).ok_or(Errno::ENOENT)
    }

    /// What jobs of these boards have written need not be flushed while they are suspended.
    pub(crate) fn spare(&self, boards: u8) {
        self.referrers.spare(boards);
    }

    /// Its release, once it has no references, is charged to this account.
    pub(crate) fn note_account(&mut self, number: u16, account: AccountNumber) {
        if let Some(slot) = self.slots.get_mut(usize::from(number)) {
            slot.account = account;
        }
    }

    /// Whether [`ActiveTable::next_reclaim`] may find one, by less: the directory asks after each lookup.
    pub(crate) fn may_reclaim(&self) -> bool {
        self.oldest(InodeSlotUse::Queued).is_some() || (!self.retired && self.referrers.has_leased())
    }

    pub(crate) fn next_reclaim(&mut self) -> Option<ReclaimedInode> {
        let Some(number) = self.oldest(InodeSlotUse::Queued) else { return self.next_flush() };
        self.set_use(number, InodeSlotUse::Reclaiming);
        let InodeSlot { ino, account, aware, .. } = *self.slot(number);
        Some(ReclaimedInode { slot: number, ino, account: account.0, aware })
    }

    /// The next inode whose lease is to be flushed, if many are leased. An inode whose lease goes on is flushed again
    /// in the next round, which begins when more have been leased.
    fn next_flush(&mut self) -> Option<ReclaimedInode> {
        if self.retired || !self.referrers.has_leased() {
            return None;
        }
        let mut found = self.referrers.next_crowded(self.flush_from);
        let (granted, round) = (self.referrers.granted(), (self.slots.len() / ROUND_SHARE).max(1) as u32);
        if found.is_none() && granted.wrapping_sub(self.flush_granted) >= round {
            self.flush_granted = granted;
            found = self.referrers.next_crowded(0);
        }
        // Behind the last one a round ends.
        self.flush_from = found.map_or(u16::MAX, |slot| slot + 1);
        let slot = found?;
        Some(ReclaimedInode { slot, ino: NO_INODE, account: AccountNumber::SYSTEM.0, aware: 0 })
    }

    pub(crate) fn reclaimed(&mut self, number: u16) {
        if let Some(slot) = self.slots.get(usize::from(number)).filter(|slot| slot.used == InodeSlotUse::Reclaiming) {
            self.freed = self.freed.wrapping_add(slot.unlinked.into());
            self.set_use(number, InodeSlotUse::Vacant);
        }
    }
}

#[cfg(test)]
mod tests;
