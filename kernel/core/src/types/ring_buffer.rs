//! The latest of many things that come: a ring, in which a new one takes the place of the oldest.
//!
//! Invariant: things are in the order of their coming, and nobody waits. Not here: what they are.

use core::cell::Cell;

/// The latest `CAPACITY` of them.
pub struct RingBuffer<T, const CAPACITY: usize> {
    places: [Cell<Option<T>>; CAPACITY],
    /// How many have come.
    count: Cell<u64>,
}

impl<T: Copy, const CAPACITY: usize> Default for RingBuffer<T, CAPACITY> {
    fn default() -> Self {
        RingBuffer::new()
    }
}

impl<T: Copy, const CAPACITY: usize> RingBuffer<T, CAPACITY> {
    /// None has come.
    pub const fn new() -> Self {
        RingBuffer { places: [const { Cell::new(None) }; CAPACITY], count: Cell::new(0) }
    }

    fn place(&self, number: u64) -> &Cell<Option<T>> {
        &self.places[(number % CAPACITY as u64) as usize]
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
        (count.saturating_sub(CAPACITY as u64)..count).filter_map(|number| self.place(number).get())
    }
}
