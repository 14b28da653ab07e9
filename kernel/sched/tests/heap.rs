//! The heap against a list that is searched.

use renga_random::Random;
use renga_sched::{Heap, HeapItem, NOWHERE};
use std::cell::Cell;

const THINGS: usize = 40;
const STEPS: u64 = 20_000;

struct Thing {
    order: Cell<(u64, u64)>,
    place: Cell<u16>,
}

impl HeapItem for Thing {
    type Order = (u64, u64);
    fn order(&self) -> (u64, u64) {
        self.order.get()
    }
    fn place(&self) -> &Cell<u16> {
        &self.place
    }
}

fn things() -> &'static [Thing] {
    (0..THINGS).map(|_| Thing { order: Cell::new((0, 0)), place: Cell::new(NOWHERE) }).collect::<Vec<_>>().leak()
}

#[test]
fn heap_pop_gives_least_after_any_changes() {
    let (things, heap, mut random) = (things(), Heap::<Thing, THINGS>::new(), Random::new(1));
    for step in 0..STEPS {
        let thing = &things[random.below(THINGS as u64) as usize];
        if thing.place.get() == NOWHERE {
            thing.order.set((random.below(8), step));
            heap.push(thing);
        } else if random.occurs(30) {
            heap.remove(thing);
        } else if random.occurs(40) {
            let least = heap.first().map(HeapItem::order);
            assert_eq!(heap.pop().map(HeapItem::order), least);
        }
        let inside = || things.iter().filter(|thing| thing.place.get() != NOWHERE);
        assert_eq!(heap.first().map(HeapItem::order), inside().map(HeapItem::order).min());
        assert_eq!(heap.is_empty(), inside().next().is_none());
        let found = heap.find(|thing| thing.order().0 == 3).map(|thing| thing.order().0);
        assert_eq!(found, inside().find(|thing| thing.order().0 == 3).map(|_| 3));
    }
}

#[test]
#[should_panic(expected = "a heap is full")]
fn heap_push_beyond_bound_panics() {
    let heap = Heap::<Thing, 2>::default();
    things().iter().for_each(|thing| heap.push(thing));
}
