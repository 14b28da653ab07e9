//! Which boards cache which names: they are notified before a name changes.
//!
//! Invariant: a board that caches a name is noted in the name's entry, or as one with names without notes
//! (`spilled`), after their slot was needed for another. So a change takes the name's holders, whether the name is
//! known or not. Not here: names (`name_cache.rs`), revocations (`names/name_grants.rs`).

use crate::lookup::name_cache::{Dentry, NameCache, hash};
use renga_proto::inode::NameHolders;
use renga_proto::names::OTHERS;

impl NameCache {
    /// Notes that `board` caches `name` in `directory`, if the name's target is known; returns whether it is. The
    /// note of `OTHERS` needs no target.
    pub(crate) fn grant(&mut self, directory: u32, name: &[u8], board: u8) -> bool {
        if name == OTHERS {
            self.learn(directory, name, Dentry::Negative);
            let granted = self.grant_known(directory, name, board);
            self.forget(directory, name);
            return granted;
        }
        self.grant_known(directory, name, board)
    }

    fn grant_known(&mut self, directory: u32, name: &[u8], board: u8) -> bool {
        let number = self.position(directory, hash(directory, name), name);
        let slot = number.map(|number| &mut self.slots[usize::from(number)]).filter(|slot| !slot.hidden);
        let bit = 1_u8.checked_shl(board.into()).unwrap_or(0);
        slot.is_some_and(|slot| {
            slot.holders |= bit;
            bit != 0
        })
    }

    /// Takes the notes of the boards that cache, or may cache, `name` in `directory`, or all others there. Those that
    /// are `aware`, a bit each, update their cached others themselves.
    pub(crate) fn take_holders(&mut self, directory: u32, name: &[u8], aware: u8) -> NameHolders {
        let all = core::mem::take(&mut self.spilled);
        // Pass by pass, but only after names were spilled.
        for slot in self.slots.iter_mut().filter(|_| all != 0) {
            slot.holders &= !all;
        }
        let one = self.take_noted(directory, name, 0) | self.take_noted(directory, OTHERS, aware);
        NameHolders { one, all }
    }

    /// The noted boards, but for those that stay.
    fn take_noted(&mut self, directory: u32, name: &[u8], stay: u8) -> u8 {
        let Some(number) = self.position(directory, hash(directory, name), name) else { return 0 };
        let slot = &mut self.slots[usize::from(number)];
        let taken = slot.holders & !stay;
        slot.holders &= stay;
        if slot.hidden && slot.holders == 0 {
            self.clear(number);
        }
        taken
    }

    /// Drops the notes of what `boards` cache of a directory whose number becomes another's.
    pub(crate) fn spill(&mut self, boards: u8) {
        self.spilled |= boards;
    }

    /// `board` is dead: it caches nothing.
    pub(crate) fn drop_holder(&mut self, board: u8) {
        let others = !1_u8.checked_shl(board.into()).unwrap_or(0);
        self.spilled &= others;
        self.slots.iter_mut().for_each(|slot| slot.holders &= others);
    }
}
