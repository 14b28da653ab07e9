//! A binary heap of references, in an order that each item states itself.
//!
//! Invariant: an item is in a heap exactly while its place is not [`NOWHERE`], and at most once. Adding, taking the
//! first and removing any item cost in proportion to the logarithm of the length. An item keeps its order while it is
//! in the heap. Not here: the meaning of the order.

use core::cell::Cell;

/// The place of an item that is in no heap.
pub const NOWHERE: u16 = u16::MAX;

/// An item of a heap.
pub trait HeapItem {
    /// Compared to find the least.
    type Order: Ord;
    /// Its order: the least is the first.
    fn order(&self) -> Self::Order;
    /// Where it stands, or [`NOWHERE`]; only the heap writes it.
    fn place(&self) -> &Cell<u16>;
}

/// At most `MAX` things.
pub struct Heap<T: HeapItem + 'static, const MAX: usize> {
    places: [Cell<Option<&'static T>>; MAX],
    length: Cell<usize>,
}

impl<T: HeapItem, const MAX: usize> Default for Heap<T, MAX> {
    fn default() -> Self {
        Heap::new()
    }
}

impl<T: HeapItem, const MAX: usize> Heap<T, MAX> {
    /// Nothing.
    pub const fn new() -> Self {
        Heap { places: [const { Cell::new(None) }; MAX], length: Cell::new(0) }
    }

    /// Whether it holds nothing.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.length.get() == 0
    }

    /// How many it holds.
    pub fn len(&self) -> usize {
        self.length.get()
    }

    /// The least one.
    #[inline(always)]
    pub fn first(&self) -> Option<&'static T> {
        if self.is_empty() { None } else { self.places[0].get() }
    }

    /// An item that satisfies `wanted`.
    pub fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<&'static T> {
        self.places[..self.length.get()].iter().filter_map(Cell::get).find(|thing| wanted(thing))
    }

    /// Adds `thing`, which is in none.
    ///
    /// # Panics
    /// If there are `MAX` already.
    pub fn push(&self, thing: &'static T) {
        let length = self.length.get();
        assert!(length < MAX, "a heap is full");
        self.length.set(length + 1);
        self.rise(length, thing);
    }

    /// Takes the first.
    pub fn pop(&self) -> Option<&'static T> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    /// Takes `thing` out, which is in it.
    pub fn remove(&self, thing: &'static T) {
        let place = usize::from(thing.place().replace(NOWHERE));
        let last = self.length.get() - 1;
        self.length.set(last);
        let Some(moved) = self.places[last].take() else { unreachable!("places below the length are taken") };
        if place != last {
            // It belongs above or below its new place; one of the two does nothing.
            self.rise(place, moved);
            self.sink(usize::from(moved.place().get()), moved);
        }
    }

    fn put(&self, place: usize, thing: &'static T) {
        self.places[place].set(Some(thing));
        thing.place().set(place as u16);
    }

    fn order_at(&self, place: usize) -> (T::Order, &'static T) {
        match self.places[place].get() {
            Some(thing) => (thing.order(), thing),
            None => unreachable!("places below the length are taken"),
        }
    }

    /// Puts `thing` at the free `place`, or above.
    fn rise(&self, mut place: usize, thing: &'static T) {
        let order = thing.order();
        while place > 0 {
            let above = (place - 1) / 2;
            let (other, at) = self.order_at(above);
            if other <= order {
                break;
            }
            self.put(place, at);
            place = above;
        }
        self.put(place, thing);
    }

    /// Moves `thing` down from `place` to where it belongs.
    fn sink(&self, mut place: usize, thing: &'static T) {
        let (order, length) = (thing.order(), self.length.get());
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
        self.put(place, thing);
    }
}
