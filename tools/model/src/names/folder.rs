//! Complete folders: the board that has made a directory holds all names in it, so that one which is not held stands for nothing.
//!
//! Invariant: a board whose folder is complete holds its status, and that is recalled before any name there changes.
//! Not here: what a make leaves complete (`making.rs`), recalls (`world.rs`).

use super::Mutant;
use super::world::{Board, INODE, NAMES, PLACES, World};

impl Board {
    /// Whether a name would be taken to stand for nothing that stands for something.
    pub(super) fn misses_names(&self, now: [u8; PLACES]) -> bool {
        let known = self.complete && self.held[INODE].is_some();
        known && self.held[..NAMES].iter().zip(now).any(|(held, now)| held.is_none() && now != 0)
    }

    pub(super) fn put_inode(&mut self, inode: u8, stays: bool) {
        self.held[INODE] = Some(inode);
        self.complete &= stays;
    }

    /// Whether there was something.
    pub(super) fn forget_inode(&mut self, stays: bool) -> bool {
        self.complete &= stays;
        self.held[INODE].take().is_some()
    }
}

impl World {
    /// The first board has made the directory of the names, of which there are none.
    pub(super) fn begin_complete(&mut self) {
        (self.boards[0].held[INODE], self.boards[0].complete, self.notes[INODE]) = (Some(0), true, 1);
    }

    pub(super) fn drop_name(&mut self, board: usize, name: usize) -> Option<()> {
        self.left.drops = self.left.drops.checked_sub(1)?;
        let (stays, comes_back) = (self.is(Mutant::CompleteWithoutName), self.is(Mutant::MakeRestoresComplete));
        let board = &mut self.boards[board];
        board.held[name].take()?;
        (board.complete, board.made_in) = (board.complete && stays, board.made_in && comes_back);
        Some(())
    }
}
