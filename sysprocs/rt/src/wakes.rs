//! Slots of user programs that wait for an object, and the set of slots to wake.
//!
//! Invariant: a waiter is woken once when the object becomes ready, and waits no longer. A wake says nothing of
//! readiness: the program polls again. A server notes the slots and notifies the board's waker, so it never waits for a
//! program or its board.

use crate::BOARDS_MAX;
use core::cell::Cell;
use renga_core::Notifier;

/// Words of a set of the slots of a board.
pub const SLOT_WORDS: usize = 4;
/// A set of the slots of a board, a bit each.
pub type SlotWords = [u64; SLOT_WORDS];

/// The slots of all boards that wait for one thing.
#[derive(Debug)]
pub struct Waiters {
    slots: [SlotWords; BOARDS_MAX],
    /// The boards that have any, a bit each.
    boards: u8,
}

impl Waiters {
    /// No waiters.
    pub const NONE: Waiters = Waiters { slots: [[0; SLOT_WORDS]; BOARDS_MAX], boards: 0 };

    /// `slot` of `board` waits too; one that there cannot be does not.
    pub fn add(&mut self, board: u8, slot: u16) {
        let words = self.slots.get_mut(usize::from(board));
        if let Some(word) = words.and_then(|words| words.get_mut(usize::from(slot / 64))) {
            *word |= 1 << (slot % 64);
            self.boards |= 1 << board;
        }
    }
    /// Whether no program waits.
    pub fn is_empty(&self) -> bool {
        self.boards == 0
    }
}

/// The slots that a board's waker is to wake.
pub struct Wakes {
    waker: Option<Notifier>,
    slots: [[Cell<u64>; SLOT_WORDS]; BOARDS_MAX],
}

impl Wakes {
    /// No slot; a wake notifies `waker`.
    pub const fn new(waker: Option<Notifier>) -> Wakes {
        Wakes { waker, slots: [const { [const { Cell::new(0) }; SLOT_WORDS] }; BOARDS_MAX] }
    }
    /// Wakes all of `waiters`, and empties them.
    pub fn wake(&self, waiters: &mut Waiters) {
        if waiters.is_empty() {
            return;
        }
        for (board, slots) in waiters.slots.iter_mut().enumerate().filter(|(board, _)| waiters.boards >> board & 1 != 0)
        {
            for (noted, word) in self.slots[board].iter().zip(slots) {
                noted.set(noted.get() | core::mem::take(word));
            }
        }
        waiters.boards = 0;
        if let Some(waker) = self.waker {
            waker.notify();
        }
    }
    /// Takes the slots of a board that has any.
    pub fn take(&self) -> Option<(u8, SlotWords)> {
        let board = self.slots.iter().position(|slots| slots.iter().any(|word| word.get() != 0))?;
        Some((board as u8, core::array::from_fn(|word| self.slots[board][word].take())))
    }
}

#[cfg(test)]
mod tests {
    use super::{Waiters, Wakes};

    #[test]
    fn wakes_waiters_are_woken_once_by_board() {
        let (mut waiters, wakes) = (Waiters::NONE, Wakes::new(None));
        for (board, slot) in [(1, 3), (1, 255), (7, 64), (1, 3), (8, 0), (0, 256)] {
            waiters.add(board, slot);
        }
        assert!(!waiters.is_empty() && wakes.take().is_none());
        wakes.wake(&mut waiters);
        assert!(waiters.is_empty());
        wakes.wake(&mut waiters);
        assert_eq!(wakes.take(), Some((1, [8, 0, 0, 1 << 63])));
        assert_eq!(wakes.take(), Some((7, [0, 1, 0, 0])));
        assert_eq!(wakes.take(), None);
    }
}
