//! References to an object of a server, counted by the board whose processes have them.
//!
//! Invariant: a board's count is what its calls added less what they removed. So all of a failed board's references can
//! be dropped, and no board can release those of another.

use crate::BOARDS_MAX;

/// The references to one thing.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct BoardReferences {
    counts: [u16; BOARDS_MAX],
    /// The boards that have any, a bit each.
    boards: u8,
}

const _: () = assert!(BOARDS_MAX <= u8::BITS as usize);

impl BoardReferences {
    /// None.
    pub const NONE: BoardReferences = BoardReferences { counts: [0; BOARDS_MAX], boards: 0 };

    /// One more for `board` ([`crate::Call::board`]); false: it has as many as can be counted.
    pub fn add(&mut self, board: u8) -> bool {
        self.change(board, |count| count.checked_add(1))
    }
    /// One less for `board`; false: it had none.
    pub fn remove(&mut self, board: u8) -> bool {
        self.change(board, |count| count.checked_sub(1))
    }
    /// None any more for `board`, which is dead; how many it had.
    pub fn drop_board(&mut self, board: u8) -> u32 {
        let had = self.counts.get(usize::from(board)).map_or(0, |&count| u32::from(count));
        self.change(board, |_| Some(0));
        had
    }
    fn change(&mut self, board: u8, change: impl FnOnce(u16) -> Option<u16>) -> bool {
        let Some(count) = self.counts.get_mut(usize::from(board)) else { return false };
        let Some(changed) = change(*count) else { return false };
        *count = changed;
        self.boards = self.boards & !(1 << board) | u8::from(changed > 0) << board;
        true
    }
    /// Whether `board` has any.
    pub fn contains(&self, board: u8) -> bool {
        self.boards.checked_shr(u32::from(board)).is_some_and(|boards| boards & 1 == 1)
    }
    /// The boards that have any, a bit each.
    pub fn boards(&self) -> u8 {
        self.boards
    }
    /// How many there are for all boards together.
    pub fn total(&self) -> u32 {
        self.counts.iter().map(|&count| u32::from(count)).sum()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.boards == 0
    }
}

#[cfg(test)]
mod tests {
    use super::BoardReferences;

    #[test]
    fn board_references_foreign_release_is_refused() {
        let mut references = BoardReferences::NONE;
        assert!(references.add(1) && references.add(1) && references.add(7) && !references.add(8));
        assert!(!references.remove(0) && !references.remove(200) && references.remove(1));
        assert_eq!(
            (references.total(), references.drop_board(1), references.drop_board(1), references.total()),
            (2, 1, 0, 1)
        );
        assert_eq!(
            (references.boards(), references.contains(7), references.contains(1), references.contains(99)),
            (0x80, true, false, false)
        );
        assert!(references.remove(7) && references.is_empty());
        for _ in 0..u16::MAX {
            assert!(references.add(3));
        }
        assert!(!references.add(3) && references.total() == u32::from(u16::MAX));
    }
}
