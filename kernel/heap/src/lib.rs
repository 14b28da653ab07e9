//! Who waits for a turn on the core: a heap in the order of rank, used time and arrival.
//!
//! Invariant: a process is in the heap exactly while its `runner_place` says where; the heap holds at most the
//! processes of one board, each once. Adding, taking the first and taking any one out cost in proportion to the
//! logarithm of how many wait. Not here: what the order means (`user.rs`).

use crate::process::Process;
use crate::queue::Link;
use core::cell::Cell;
use renga_abi::policy::Rank;

/// Processes that may wait at once: all of a board.
pub(crate) const RUNNERS_MAX: usize = 1024;
/// The place of a process that does not wait for a turn.
pub(crate) const NOT_WAITING: u16 = u16::MAX;

/// Who goes first: the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Order {
    pub rank: Rank,
    /// Virtual time used, ns; 0 where it does not count.
    pub virtual_ns: u64,
    /// Since when, counted.
    pub arrival: u64,
}

impl Order {
    pub const NONE: Order = Order { rank: 0, virtual_ns: 0, arrival: 0 };
}

pub(crate) struct Runners {
    places: [Link; RUNNERS_MAX],
    length: Cell<usize>,
}

impl Runners {
    pub const fn new() -> Runners {
        Runners { places: [const { Cell::new(None) }; RUNNERS_MAX], length: Cell::new(0) }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.length.get() == 0
    }

    #[inline(always)]
    pub fn first(&self) -> Option<&'static Process> {
        if self.is_empty() { None } else { self.places[0].get() }
    }

    /// One of those for whom `wanted` holds.
    pub fn find(&self, wanted: impl Fn(&Process) -> bool) -> Option<&'static Process> {
        self.places[..self.length.get()].iter().filter_map(Cell::get).find(|process| wanted(process))
    }

    /// Adds `process`, whose order is set.
    pub fn push(&self, process: &'static Process) {
        let length = self.length.get();
        assert!(length < RUNNERS_MAX, "more wait for turns than a board has processes");
        self.length.set(length + 1);
        self.rise(length, process);
    }

    /// Takes the first.
    pub fn pop(&self) -> Option<&'static Process> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    /// Takes `process` out, which waits.
    pub fn remove(&self, process: &'static Process) {
        let place = usize::from(process.runner_place.replace(NOT_WAITING));
        let last = self.length.get() - 1;
        self.length.set(last);
        let Some(moved) = self.places[last].take() else { unreachable!("places below the length are taken") };
        if place != last {
            // It belongs above or below its new place; one of the two does nothing.
            self.rise(place, moved);
            self.sink(usize::from(moved.runner_place.get()), moved);
        }
    }

    fn put(&self, place: usize, process: &'static Process) {
        self.places[place].set(Some(process));
        process.runner_place.set(place as u16);
    }

    fn order_at(&self, place: usize) -> (Order, &'static Process) {
        match self.places[place].get() {
            Some(process) => (process.order.get(), process),
            None => unreachable!("places below the length are taken"),
        }
    }

    /// Puts `process` at the free `place`, or above.
    fn rise(&self, mut place: usize, process: &'static Process) {
        let order = process.order.get();
        while place > 0 {
            let above = (place - 1) / 2;
            let (other, at) = self.order_at(above);
            if other <= order {
                break;
            }
            self.put(place, at);
            place = above;
        }
        self.put(place, process);
    }

    /// Moves `process` down from `place` to where it belongs.
    fn sink(&self, mut place: usize, process: &'static Process) {
        let (order, length) = (process.order.get(), self.length.get());
        loop {
            let left = 2 * place + 1;
            if left >= length {
                break;
            }
            let right = left + 1;
            let less = if right < length && self.order_at(right).0 < self.order_at(left).0 { right } else { left };
            let (other, at) = self.order_at(less);
            if order <= other {
                break;
            }
            self.put(place, at);
            place = less;
        }
        self.put(place, process);
    }
}
