//! Reading: it changes the inode's status, and nothing that an open needs. A board that alone caches the status gets it
//! in advance, and keeps caching it.
//!
//! Invariant: a board's cache has the newest of the versions that any board has. Not here: other changes (`world.rs`).

use super::NamesMutant;
use super::world::{INODE, NamesWorld, PLACES};

impl NamesWorld {
    /// Names and inode as they are, or will be at once, if some board has that version already.
    pub(super) fn newest(&self) -> [u8; PLACES] {
        let future = self.boards.iter().filter(|board| !board.behind).filter_map(|board| board.cached[INODE]);
        let mut newest = self.now;
        newest[INODE] = future.fold(self.now[INODE], u8::max);
        newest
    }

    pub(super) fn read(&mut self) -> Option<()> {
        self.left.reads = self.left.reads.checked_sub(1)?;
        if self.changes_inode() {
            return None;
        }
        let holders = self.notes[INODE];
        self.begin_change(INODE, None);
        if !holders.is_power_of_two() && !self.is(NamesMutant::SeveralUpdated) {
            return Some(());
        }
        if !self.is(NamesMutant::UpdatedNotNoted) {
            self.notes[INODE] = holders;
        }
        self.changes[INODE].iter_mut().for_each(|change| change.updates = true);
        Some(())
    }

    /// The board that caches the status gets the future one.
    pub(super) fn update_status(&mut self, number: usize) -> Option<()> {
        let (future, old) = (self.now[INODE] + 1, self.is(NamesMutant::GenerationOutlivesUpdate));
        let board = &mut self.boards[number];
        if board.behind {
            return None;
        }
        board.cached[INODE].iter_mut().for_each(|cached| *cached = future);
        board.generation += u8::from(!old);
        self.changes[INODE].iter_mut().for_each(|change| change.answered = true);
        Some(())
    }
}
