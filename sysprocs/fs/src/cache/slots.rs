//! The state of the directory of buffers: which buffer caches which block, and its state.
//!
//! Invariants: a block is in at most one buffer, and a slot is in exactly one list, that of its state,
//! oldest first. Only a clean slot is given another block. What is `writing` is on its way to the medium; if it is
//! changed meanwhile (`rewritten`) it stays dirty afterwards. Every step but [`BufferSlots::discard`] takes time that
//! does not grow with the number of buffers.
//! Not here: calls (`buffer_directory.rs`).

use renga_proto::buffer::{DirtyClass, TransactionOutcome};
use renga_rt::linked_list::{self, LinkedList, Links, RowNumber};

const NO_BLOCK: u64 = u64::MAX;
const CHAINS: usize = 256;
pub(crate) const RUN_BLOCKS_MAX: usize = 64;
/// Buffers that metadata leave to others: with them frozen inodes go on reading, so that a transaction can end.
const RESERVE: usize = 2;

/// The state of a buffer's block, and the list of its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    /// As on the medium, or nothing.
    Clean,
    /// The superblock, to go past the journal.
    Direct,
    /// Metadata that the journal has, and their place has not.
    Journaled,
    /// Metadata that neither the journal nor the medium has.
    Metadata,
    /// Metadata of the transaction under way.
    Transaction,
}
const STATES: usize = 5;

impl From<DirtyClass> for SlotState {
    fn from(class: DirtyClass) -> SlotState {
        match class {
            DirtyClass::Direct => SlotState::Direct,
            DirtyClass::Journaled => SlotState::Journaled,
            DirtyClass::Metadata => SlotState::Metadata,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockAccess {
    Read,
    Change { metadata: bool },
}

renga_rt::with_defaults! {
    /// What the directory knows of one buffer. Boot provides one per buffer.
    pub struct BufferSlot {
        block: u64 = NO_BLOCK,
        state: SlotState = SlotState::Clean,
        writing: bool = false,
        rewritten: bool = false,
        in_list: Links<u16> = Links::NONE,
        next: u16 = u16::NONE,
    }
    /// A buffer without a block.
    pub const EMPTY;
}

pub(crate) struct BufferSlots {
    slots: &'static mut [BufferSlot],
    chains: [u16; CHAINS],
    lists: [LinkedList<u16>; STATES],
}

fn chain(block: u64) -> usize {
    block as usize % CHAINS
}

impl BufferSlots {
    pub(crate) fn new(slots: &'static mut [BufferSlot]) -> BufferSlots {
        let mut all = BufferSlots { slots, chains: [u16::NONE; CHAINS], lists: [LinkedList::EMPTY; STATES] };
        for number in 0..all.slots.len() as u16 {
            all.lists[SlotState::Clean as usize].push(all.slots, |slot| &mut slot.in_list, number);
        }
        all
    }

    fn slot(&mut self, number: u16) -> &mut BufferSlot {
        &mut self.slots[usize::from(number)]
    }

    fn oldest(&self, state: SlotState) -> Option<u16> {
        self.lists[state as usize].oldest()
    }

    pub(crate) fn count(&self, state: SlotState) -> usize {
        self.lists[state as usize].count as usize
    }

    /// Buffers that metadata leave to others; 0: there are too few buffers for that.
    pub(crate) fn reserve(&self) -> usize {
        RESERVE.min((self.slots.len() - 1) / 2)
    }
    /// Buffers with metadata blocks that wait for a transaction, or for the one under way.
    fn metadata(&self) -> usize {
        self.count(SlotState::Metadata) + self.count(SlotState::Transaction)
    }
    /// Whether so many metadata blocks wait for a transaction that one should come soon.
    pub(crate) fn is_crowded(&self) -> bool {
        self.metadata() * 4 > self.slots.len()
    }
    /// Whether so few buffers are clean that some should be cleaned.
    pub(crate) fn is_short(&self) -> bool {
        self.count(SlotState::Clean) * 16 <= self.slots.len()
    }

    /// Bounded by the length of one chain, which is at most the number of buffers.
    pub(crate) fn find(&self, block: u64) -> Option<u16> {
        linked_list::find(self.slots, self.chains[chain(block)], |slot| slot.next, |slot| slot.block == block)
    }

    /// The buffer for a call that does `access` to `block`; `None` while no buffer is clean, or nearly all cache
    /// metadata blocks that wait for a transaction.
    pub(crate) fn place(&mut self, block: u64, access: BlockAccess) -> Option<u16> {
        let number = match self.find(block) {
            Some(number) => number,
            None => self.assign(block)?,
        };
        let state = self.slot(number).state;
        let joins = access == (BlockAccess::Change { metadata: true })
            && !matches!(state, SlotState::Metadata | SlotState::Transaction);
        if joins && self.reserve() > 0 && self.metadata() + self.reserve() >= self.slots.len() {
            return None;
        }
        let next = match (access, state) {
            (BlockAccess::Read, SlotState::Clean) | (BlockAccess::Change { metadata: false }, SlotState::Direct) => {
                state
            }
            (BlockAccess::Change { metadata: false }, SlotState::Clean) => SlotState::Direct,
            (BlockAccess::Change { metadata: true }, _) => SlotState::Metadata,
            _ => return Some(self.touch(number, access)),
        };
        if next != state || state == SlotState::Clean {
            self.move_to(number, next);
        }
        Some(self.touch(number, access))
    }

    fn touch(&mut self, number: u16, access: BlockAccess) -> u16 {
        if access != BlockAccess::Read {
            self.slot(number).rewritten = true;
        }
        number
    }

    fn assign(&mut self, block: u64) -> Option<u16> {
        let number = self.oldest(SlotState::Clean)?;
        let former = self.slot(number).block;
        if former != NO_BLOCK {
            linked_list::unchain(self.slots, &mut self.chains[chain(former)], |slot| &mut slot.next, number);
        }
        linked_list::chain(self.slots, &mut self.chains[chain(block)], |slot| &mut slot.next, number);
        let slot = self.slot(number);
        (slot.block, slot.writing) = (block, false);
        Some(number)
    }

    fn may_write(&self, number: u16, state: SlotState) -> bool {
        let slot = &self.slots[usize::from(number)];
        slot.state == state && !slot.writing
    }

    /// A dirty block of `state` to be written now: the oldest, or the first of the run that it is in.
    pub(crate) fn next_write(&mut self, state: SlotState) -> Option<(u64, u16)> {
        // A slot that is being written is at the newest end.
        let mut number = self.oldest(state).filter(|oldest| self.may_write(*oldest, state))?;
        for _ in 1..RUN_BLOCKS_MAX {
            let before = self.slot(number).block.checked_sub(1).and_then(|block| self.find(block));
            match before.filter(|before| self.may_write(*before, state)) {
                Some(before) => number = before,
                None => break,
            }
        }
        Some(self.begin_write(number))
    }

    /// The block behind `block`, if it can be written with it.
    pub(crate) fn extend_write(&mut self, block: u64) -> Option<(u64, u16)> {
        let number = self.find(block)?;
        let state = self.slot(number).state;
        let next = self.find(block + 1)?;
        if state == SlotState::Clean || !self.may_write(next, state) { None } else { Some(self.begin_write(next)) }
    }

    fn begin_write(&mut self, number: u16) -> (u64, u16) {
        let state = self.slot(number).state;
        self.move_to(number, state);
        let slot = self.slot(number);
        (slot.writing, slot.rewritten) = (true, false);
        (slot.block, number)
    }

    /// Whether some of `state` are on their way to the medium, and none is left to begin with.
    pub(crate) fn is_writing(&self, state: SlotState) -> bool {
        self.oldest(state).is_some_and(|oldest| self.slots[usize::from(oldest)].writing)
    }

    /// The writing of `block` has ended. What was refused stays dirty.
    pub(crate) fn written(&mut self, block: u64, done: bool) {
        let Some(number) = self.find(block) else { return };
        let slot = self.slot(number);
        if core::mem::take(&mut slot.writing) && slot.state != SlotState::Clean && done && !slot.rewritten {
            self.move_to(number, SlotState::Clean);
        }
    }

    /// Dirty metadata become part of the transaction under way.
    pub(crate) fn next_metadata(&mut self) -> Option<(u64, u16)> {
        let number = self.oldest(SlotState::Metadata)?;
        self.move_to(number, SlotState::Transaction);
        Some((self.slot(number).block, number))
    }

    pub(crate) fn end_transaction(&mut self, outcome: TransactionOutcome) {
        let next = match outcome {
            TransactionOutcome::Failed => SlotState::Metadata,
            TransactionOutcome::Journaled => SlotState::Journaled,
            TransactionOutcome::Placed | TransactionOutcome::Abandoned => SlotState::Clean,
        };
        self.move_all(SlotState::Transaction, next);
        match outcome {
            TransactionOutcome::Placed => self.move_all(SlotState::Journaled, SlotState::Clean),
            TransactionOutcome::Abandoned => self.move_all(SlotState::Metadata, SlotState::Clean),
            TransactionOutcome::Failed | TransactionOutcome::Journaled => {}
        }
    }

    fn move_all(&mut self, from: SlotState, to: SlotState) {
        while let Some(number) = self.oldest(from) {
            self.move_to(number, to);
        }
    }

    /// Blocks that are about to be freed need not be written.
    pub(crate) fn discard(&mut self, first: u64, count: u64) {
        let dirty = self.slots.len() - self.count(SlotState::Clean);
        if count < dirty as u64 {
            for block in first..first + count {
                if let Some(number) = self.find(block) {
                    self.discard_slot(number);
                }
            }
            return;
        }
        for number in 0..self.slots.len() as u16 {
            if (first..first + count).contains(&self.slot(number).block) {
                self.discard_slot(number);
            }
        }
    }

    fn discard_slot(&mut self, number: u16) {
        let state = self.slot(number).state;
        if state != SlotState::Clean {
            self.move_to(number, SlotState::Clean);
        }
    }

    fn move_to(&mut self, number: u16, state: SlotState) {
        let former = core::mem::replace(&mut self.slot(number).state, state);
        self.lists[former as usize].remove(self.slots, |slot| &mut slot.in_list, number);
        self.lists[state as usize].push(self.slots, |slot| &mut slot.in_list, number);
    }
}

#[cfg(test)]
mod tests;
