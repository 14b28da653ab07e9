//! The programs that wait for words, all in one list in the order in which they came.
//!
//! Invariant: a program is in the list at most once, and of those that wait for one word the first comes first. One
//! that was woken stays, without a word, until it has heard so.

use renga_proto::futex::{FutexKey, FutexScope};
use renga_rt::{Errno, Waiters};

/// A program that waits, or was woken and has not heard so.
#[derive(Clone, Copy, Debug)]
pub struct FutexWait {
    /// Its board and slot.
    program: (u8, u16),
    /// What for; `None`: it was woken.
    key: Option<FutexKey>,
    bits: u32,
}

impl FutexWait {
    /// Room for one.
    pub const EMPTY: FutexWait = FutexWait { program: (0, 0), key: None, bits: 0 };

    fn waits_for(&self, board: u8, key: FutexKey, bits: u32) -> bool {
        let same_space = key.scope == FutexScope::Shared || self.program.0 == board;
        self.key == Some(key) && self.bits & bits != 0 && same_space
    }
}

/// The list.
pub struct WaitQueue {
    places: &'static mut [FutexWait],
    count: usize,
}

impl WaitQueue {
    /// Nobody, with room for as many programs as there are `places`.
    pub fn new(places: &'static mut [FutexWait]) -> WaitQueue {
        WaitQueue { places, count: 0 }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    fn remove(&mut self, index: usize) -> FutexWait {
        let removed = self.places[index];
        self.places.copy_within(index + 1..self.count, index);
        self.count -= 1;
        removed
    }

    fn position(&self, program: (u8, u16)) -> Option<usize> {
        self.places[..self.count].iter().position(|wait| wait.program == program)
    }

    /// `program` waits for `key`, behind all others.
    ///
    /// # Errors
    /// `ENOMEM`: there is no room.
    pub fn join(&mut self, program: (u8, u16), key: FutexKey, bits: u32) -> Result<(), Errno> {
        if let Some(index) = self.position(program) {
            self.remove(index);
        }
        let place = self.places.get_mut(self.count).ok_or(Errno::ENOMEM)?;
        *place = FutexWait { program, key: Some(key), bits };
        self.count += 1;
        Ok(())
    }

    /// Whether `program` was woken; then, or if it `leaves`, it is not in the list any more.
    pub fn was_woken(&mut self, program: (u8, u16), leaves: bool) -> bool {
        let Some(index) = self.position(program) else { return false };
        let woken = self.places[index].key.is_none();
        if woken || leaves {
            self.remove(index);
        }
        woken
    }

    /// Wakes the first `count` that wait for `key`, as `board` names it, with one of `bits`: they join `woken`. How
    /// many they are.
    pub fn wake(&mut self, board: u8, key: FutexKey, bits: u32, count: u32, woken: &mut Waiters) -> u32 {
        let found = self.places[..self.count].iter_mut().filter(|wait| wait.waits_for(board, key, bits));
        found.take(count as usize).fold(0, |count, wait| {
            wait.key = None;
            woken.add(wait.program.0, wait.program.1);
            count + 1
        })
    }

    /// The first `count` that wait for `key`, as `board` names it, wait at the end of the queue for `to`. How many they
    /// are.
    pub fn move_to(&mut self, board: u8, key: FutexKey, to: FutexKey, count: u32) -> u32 {
        let (mut moved, mut from) = (0, 0);
        // Each pass moves one of those that were there; those that were moved are behind them.
        for _ in 0..self.count {
            if moved == count {
                break;
            }
            let rest = &self.places[from..self.count - moved as usize];
            let Some(next) = rest.iter().position(|wait| wait.waits_for(board, key, u32::MAX)) else { break };
            from += next;
            let wait = self.remove(from);
            self.places[self.count] = FutexWait { key: Some(to), ..wait };
            self.count += 1;
            moved += 1;
        }
        moved
    }

    /// No program of `board` is in the list any more.
    pub fn drop_board(&mut self, board: u8) {
        // Each pass removes one.
        while let Some(index) = self.places[..self.count].iter().position(|wait| wait.program.0 == board) {
            self.remove(index);
        }
    }
}
