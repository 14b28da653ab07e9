//! References to something of a server, counted by the board whose processes hold them.
//!
//! Invariant: what a board holds is what its calls added less what they took back, so that all of it
//! can be dropped when the board dies, and nobody can give back what another board holds.

use crate::BOARDS_MAX;

/// The references to one thing.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Held([u16; BOARDS_MAX]);

impl Held {
    /// None.
    pub const NONE: Held = Held([0; BOARDS_MAX]);

    /// One more for `board` ([`crate::Call::board`]); false: it has as many as can be counted.
    pub fn add(&mut self, board: u8) -> bool {
        let more = self.0.get(usize::from(board)).and_then(|count| count.checked_add(1));
        more.map(|more| self.0[usize::from(board)] = more).is_some()
    }
    /// One less for `board`; false: it had none.
    pub fn remove(&mut self, board: u8) -> bool {
        let less = self.0.get(usize::from(board)).and_then(|count| count.checked_sub(1));
        less.map(|less| self.0[usize::from(board)] = less).is_some()
    }
    /// None any more for `board`, which is dead; how many it had.
    pub fn drop_board(&mut self, board: u8) -> u32 {
        self.0.get_mut(usize::from(board)).map_or(0, |count| u32::from(core::mem::take(count)))
    }
    /// Whether `board` has any.
    pub fn holds(&self, board: u8) -> bool {
        self.0.get(usize::from(board)).is_some_and(|&count| count > 0)
    }
    /// The boards that have any, a bit each.
    pub fn boards(&self) -> u8 {
        (0..BOARDS_MAX as u8).filter(|&board| self.holds(board)).fold(0, |set, board| set | 1 << board)
    }
    /// How many there are for all boards together.
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&count| u32::from(count)).sum()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Held;

    #[test]
    fn a_board_gives_back_only_what_it_holds() {
        let mut held = Held::NONE;
        assert!(held.add(1) && held.add(1) && held.add(7) && !held.add(8));
        assert!(!held.remove(0) && !held.remove(200) && held.remove(1));
        assert_eq!((held.total(), held.drop_board(1), held.drop_board(1), held.total()), (2, 1, 0, 1));
        assert_eq!((held.boards(), held.holds(7), held.holds(1), held.holds(99)), (0x80, true, false, false));
        assert!(held.remove(7) && held.is_empty());
        for _ in 0..u16::MAX {
            assert!(held.add(3));
        }
        assert!(!held.add(3) && held.total() == u32::from(u16::MAX));
    }
}
