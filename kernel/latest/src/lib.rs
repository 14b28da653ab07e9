//! The latest of many things that come: a ring, in which a new one takes the place of the oldest.
//!
//! Invariant: things are in the order of their coming, and nobody waits. Not here: what they are.
#![no_std]
#![forbid(unsafe_code)]

use core::cell::Cell;

/// The latest `MANY` of them.
pub struct Latest<T, const MANY: usize> {
    places: [Cell<Option<T>>; MANY],
    /// How many have come.
    count: Cell<u64>,
}

impl<T: Copy, const MANY: usize> Default for Latest<T, MANY> {
    fn default() -> Self {
        Latest::new()
    }
}

impl<T: Copy, const MANY: usize> Latest<T, MANY> {
    /// None has come.
    pub const fn new() -> Self {
        Latest { places: [const { Cell::new(None) }; MANY], count: Cell::new(0) }
    }

    fn place(&self, number: u64) -> &Cell<Option<T>> {
        &self.places[(number % MANY as u64) as usize]
    }

    /// One more.
    pub fn push(&self, thing: T) {
        let number = self.count.get();
        self.place(number).set(Some(thing));
        self.count.set(number + 1);
    }

    /// Those that are kept, oldest first.
    pub fn each(&self) -> impl Iterator<Item = T> + '_ {
        let count = self.count.get();
        (count.saturating_sub(MANY as u64)..count).filter_map(|number| self.place(number).get())
    }
}
