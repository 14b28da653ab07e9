//! A ring buffer of the latest items: a new one replaces the oldest.
//!
//! Invariant: items are in the order of arrival, and no push waits.

use core::cell::Cell;

/// The latest `CAPACITY` of them.
pub struct RingBuffer<T, const CAPACITY: usize> {
    places: [Cell<Option<T>>; CAPACITY],
    /// Items pushed.
    count: Cell<u64>,
}

impl<T: Copy, const CAPACITY: usize> Default for RingBuffer<T, CAPACITY> {
    fn default() -> Self {
        RingBuffer::new()
    }
}

impl<T: Copy, const CAPACITY: usize> RingBuffer<T, CAPACITY> {
    /// Empty.
    pub const fn new() -> Self {
        RingBuffer { places: [const { Cell::new(None) }; CAPACITY], count: Cell::new(0) }
    }

    fn place(&self, number: u64) -> &Cell<Option<T>> {
        &self.places[(number % CAPACITY as u64) as usize]
    }

    /// Adds an item.
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
