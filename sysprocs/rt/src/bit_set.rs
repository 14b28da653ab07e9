//! A set of slots of user programs, or of processes.
//!
//! Invariant: bit `w` of `used` is set if word `w` of `words` is not 0. So an iteration costs as much as the set has
//! members, and a set without any is known by one word.

/// A set of numbers below `64 * WORDS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitSet<const WORDS: usize> {
    words: [u64; WORDS],
    used: u64,
}

impl<const WORDS: usize> Default for BitSet<WORDS> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<const WORDS: usize> BitSet<WORDS> {
    /// No number.
    pub const NONE: Self = {
        assert!(WORDS <= 64, "a bit for each word");
        BitSet { words: [0; WORDS], used: 0 }
    };

    fn of(words: [u64; WORDS]) -> Self {
        let used = words.iter().enumerate().map(|(index, word)| u64::from(*word != 0) << index).sum();
        BitSet { words, used }
    }

    /// Adds `number`; whether there can be such a number.
    pub fn insert(&mut self, number: u16) -> bool {
        let index = usize::from(number) / 64;
        let Some(word) = self.words.get_mut(index) else { return false };
        *word |= 1 << (number % 64);
        self.used |= 1 << index;
        true
    }
    /// Takes `number` out.
    pub fn remove(&mut self, number: u16) {
        let index = usize::from(number) / 64;
        if let Some(word) = self.words.get_mut(index) {
            *word &= !(1 << (number % 64));
            self.used &= !(u64::from(*word == 0) << index);
        }
    }
    /// Whether it is in it.
    pub fn contains(&self, number: u16) -> bool {
        self.words.get(usize::from(number) / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }
    /// The first.
    pub fn first(&self) -> Option<u16> {
        let index = self.used.trailing_zeros() as u16;
        let word = self.words.get(usize::from(index))?;
        Some(index * 64 + word.trailing_zeros() as u16)
    }
    /// Takes the first out.
    pub fn take_first(&mut self) -> Option<u16> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }
    /// How many.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }
    /// Those that are in `other`, too.
    pub fn both(&self, other: &Self) -> Self {
        BitSet::of(core::array::from_fn(|word| self.words[word] & other.words[word]))
    }
    /// Those that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        BitSet::of(core::array::from_fn(|word| self.words[word] & !other.words[word]))
    }
    /// Adds those of `others`.
    pub fn add(&mut self, others: Self) {
        self.words.iter_mut().zip(others.words).for_each(|(word, other)| *word |= other);
        self.used |= others.used;
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
        assert_eq!(set.without(&more).first(), Some(0));
        assert!(set.both(&more).is_empty() && set.without(&set) == BitSet::NONE);
        let mut last = BitSet::<64>::NONE;
        assert_eq!(
            (last.insert(4095), last.insert(4096), last.take_first(), last.first()),
            (true, false, Some(4095), None)
        );
    }
}
