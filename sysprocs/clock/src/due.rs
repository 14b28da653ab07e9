//! A heap of alarms: entries ordered by the time at which they are due.
//!
//! Invariant: an entry is in the heap exactly while it has a time, and the first is due before all others. Setting and
//! removing a time cost the logarithm of their number. Called by: `server.rs`, `events/server.rs`. Not here: what an
//! entry is.

/// Not in the heap.
const OUTSIDE: u16 = u16::MAX;

/// Of one place: when it is due, and where it is in the heap; and which place is at this index of the heap.
#[derive(Clone, Copy, Debug)]
pub struct DuePlace {
    at_ns: u64,
    index: u16,
    place: u16,
}
impl DuePlace {
    /// Nothing yet.
    pub const EMPTY: DuePlace = DuePlace { at_ns: 0, index: OUTSIDE, place: 0 };
}

pub struct Due {
    places: &'static mut [DuePlace],
    count: usize,
    tick_ns: u64,
}

impl Due {
    /// An empty heap with room for as many waiters as `places`, of which each is due at a multiple of `tick_ns`; 0: at
    /// any time.
    pub fn new(places: &'static mut [DuePlace], tick_ns: u64) -> Due {
        Due { places, count: 0, tick_ns }
    }

    /// When the first is due.
    pub fn first_ns(&self) -> Option<u64> {
        (self.count > 0).then(|| self.key(0))
    }

    /// The first, if it is due at `now_ns`; it waits no more.
    pub fn take(&mut self, now_ns: u64) -> Option<usize> {
        if self.count == 0 || self.key(0) > now_ns {
            return None;
        }
        let place = usize::from(self.places[0].place);
        self.unset(place);
        Some(place)
    }

    /// `place` waits until the first tick from `at_ns` on, and no more until another time.
    pub fn set(&mut self, place: usize, at_ns: u64) {
        self.unset(place);
        self.places[place].at_ns = at_ns.checked_next_multiple_of(self.tick_ns).unwrap_or(at_ns);
        let index = self.count;
        self.count += 1;
        self.put(index, place as u16);
        self.rise(index);
    }

    /// `place` waits no more.
    pub fn unset(&mut self, place: usize) {
        let index = usize::from(core::mem::replace(&mut self.places[place].index, OUTSIDE));
        if index >= self.count {
            return;
        }
        self.count -= 1;
        if index < self.count {
            self.put(index, self.places[self.count].place);
            self.rise(index);
            self.sink(index);
        }
    }

    /// When `place` is due.
    #[cfg(test)]
    fn at_ns(&self, place: usize) -> Option<u64> {
        let DuePlace { index, at_ns, .. } = self.places[place];
        (index != OUTSIDE).then_some(at_ns)
    }

    fn key(&self, index: usize) -> u64 {
        self.places[usize::from(self.places[index].place)].at_ns
    }

    fn put(&mut self, index: usize, place: u16) {
        self.places[index].place = place;
        self.places[usize::from(place)].index = index as u16;
    }

    fn swap(&mut self, one: usize, other: usize) {
        let (a, b) = (self.places[one].place, self.places[other].place);
        self.put(one, b);
        self.put(other, a);
    }

    fn rise(&mut self, mut index: usize) {
        while index > 0 && self.key(index) < self.key((index - 1) / 2) {
            self.swap(index, (index - 1) / 2);
            index = (index - 1) / 2;
        }
    }

    fn sink(&mut self, mut index: usize) {
        loop {
            let children = [2 * index + 1, 2 * index + 2];
            let smaller = children.into_iter().filter(|&child| child < self.count).min_by_key(|&child| self.key(child));
            let Some(child) = smaller.filter(|&child| self.key(child) < self.key(index)) else { return };
            self.swap(index, child);
            index = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Due, DuePlace};
    use std::collections::BTreeMap;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn due_heap_random_use_matches_sorted_map() {
        let mut due = Due::new(Vec::leak(vec![DuePlace::EMPTY; 40]), 0);
        let mut map = BTreeMap::new();
        let mut state = 7u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (place, at_ns) =
                ((state >> 20) as usize % 40, u64::from(state >> 8 & 0xfff) * 64 + (state >> 26) as u64);
            match state >> 30 {
                0 => {
                    due.unset(place);
                    map.remove(&place);
                }
                1 => {
                    let first = map.values().min().copied();
                    assert_eq!(due.first_ns(), first);
                    let taken = due.take(first.unwrap_or(0));
                    assert_eq!(taken.and_then(|place| map.remove(&place)), first);
                }
                _ => {
                    due.set(place, at_ns);
                    map.insert(place, at_ns);
                }
            }
            assert_eq!(due.at_ns(place), map.get(&place).copied());
        }
    }
}
