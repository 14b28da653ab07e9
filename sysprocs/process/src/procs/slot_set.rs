//! A set of slots of user programs.
//!
//! Invariant: an iteration costs as much as it has members, and a word for each 64 slots there can be.

/// Slots of user programs on one board.
pub const SLOTS_MAX: usize = 256;
const WORDS: usize = SLOTS_MAX / 64;

/// A set of slots below [`SLOTS_MAX`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SlotSet([u64; WORDS]);

impl SlotSet {
    /// No slot.
    pub const NONE: SlotSet = SlotSet([0; WORDS]);

    /// Adds `slot`; nothing if there can be no such slot.
    pub fn insert(&mut self, slot: u16) {
        if let Some(word) = self.0.get_mut(usize::from(slot) / 64) {
            *word |= 1 << (slot % 64);
        }
    }
    /// Takes `slot` out.
    pub fn remove(&mut self, slot: u16) {
        if let Some(word) = self.0.get_mut(usize::from(slot) / 64) {
            *word &= !(1 << (slot % 64));
        }
    }
    /// Whether it is in it.
    pub fn contains(&self, slot: u16) -> bool {
        self.0.get(usize::from(slot) / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }
    /// The first.
    pub fn first(&self) -> Option<u16> {
        let (index, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        Some(index as u16 * 64 + word.trailing_zeros() as u16)
    }
    /// Takes the first out.
    pub fn take_first(&mut self) -> Option<u16> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == SlotSet::NONE
    }
    /// How many.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
    /// Those that are in `other`, too.
    pub fn both(&self, other: &SlotSet) -> SlotSet {
        SlotSet(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }
    /// Those that are not in `other`.
    pub fn without(&self, other: &SlotSet) -> SlotSet {
        SlotSet(core::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
    /// Adds those of `others`.
    pub fn add(&mut self, others: SlotSet) {
        self.0.iter_mut().zip(others.0).for_each(|(word, other)| *word |= other);
    }
}

#[cfg(test)]
mod tests {
    use super::{SLOTS_MAX, SlotSet};
    use std::vec::Vec;

    #[test]
    fn slot_set_take_first_is_ascending() {
        let mut set = SlotSet::NONE;
        for slot in [200, 3, 64, 255, 0, 256, 63] {
            set.insert(slot);
        }
        assert!(set.contains(255) && !set.contains(SLOTS_MAX as u16) && !set.contains(1));
        set.remove(64);
        assert_eq!((set.len(), set.first()), (5, Some(0)));
        let mut more = SlotSet::NONE;
        more.insert(1);
        more.add(set);
        let mut all = Vec::new();
        while let Some(slot) = more.take_first() {
            all.push(slot);
        }
        assert_eq!(all, [0, 1, 3, 63, 200, 255]);
        assert!(more.is_empty());
    }
}
