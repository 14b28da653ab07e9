//! A set of slots of user programs, or of processes.
//!
//! Invariant: an iteration costs as much as it has members, and a word for each 64 numbers there can be.

/// A set of numbers below `64 * WORDS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for BitSet<WORDS> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<const WORDS: usize> BitSet<WORDS> {
    /// No number.
    pub const NONE: Self = BitSet([0; WORDS]);

    /// With `number` alone.
    pub fn of(number: u16) -> Self {
        let mut set = Self::NONE;
        set.insert(number);
        set
    }
    /// Adds `number`; whether there can be such a number.
    pub fn insert(&mut self, number: u16) -> bool {
        let word = self.0.get_mut(usize::from(number) / 64);
        word.map(|word| *word |= 1 << (number % 64)).is_some()
    }
    /// Takes `number` out.
    pub fn remove(&mut self, number: u16) {
        if let Some(word) = self.0.get_mut(usize::from(number) / 64) {
            *word &= !(1 << (number % 64));
        }
    }
    /// Whether it is in it.
    pub fn contains(&self, number: u16) -> bool {
        self.0.get(usize::from(number) / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
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
        // A comparison of the arrays goes byte by byte.
        self.0.iter().fold(0, |all, word| all | word) == 0
    }
    /// How many.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
    /// Those that are in `other`, too.
    pub fn both(&self, other: &Self) -> Self {
        BitSet(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }
    /// Those that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        BitSet(core::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
    /// Adds those of `others`.
    pub fn add(&mut self, others: Self) {
        self.0.iter_mut().zip(others.0).for_each(|(word, other)| *word |= other);
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;
    use std::vec::Vec;

    #[test]
    fn bit_set_take_first_is_ascending() {
        let mut set = BitSet::<4>::NONE;
        for slot in [200, 3, 64, 255, 0, 256, 63] {
            set.insert(slot);
        }
        assert!(set.contains(255) && !set.contains(256) && !set.contains(1));
        set.remove(64);
        assert_eq!((set.len(), set.first()), (5, Some(0)));
        let mut more = BitSet::<4>::NONE;
        more.insert(1);
        more.add(set);
        let mut all = Vec::new();
        while let Some(slot) = more.take_first() {
            all.push(slot);
        }
        assert_eq!(all, [0, 1, 3, 63, 200, 255]);
        assert!(more.is_empty() && !more.both(&set).contains(0));
        assert!(set.both(&more).is_empty() && set.without(&set) == BitSet::NONE);
    }
}
