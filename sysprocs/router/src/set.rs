//! A set of small numbers.

/// Numbers are below this.
pub const NUMBERS_MAX: usize = 4096;
const WORDS: usize = NUMBERS_MAX / 64;
const _: () = assert!(WORDS <= 64, "one word says which words hold something");

/// A set of numbers below [`NUMBERS_MAX`]; walking through it costs what it holds.
#[derive(Clone, Copy)]
pub struct NumberSet {
    bits: [u64; WORDS],
    /// Which words of `bits` are not 0.
    used: u64,
}

impl Default for NumberSet {
    fn default() -> Self {
        NumberSet { bits: [0; WORDS], used: 0 }
    }
}

impl NumberSet {
    /// Adds `number`.
    pub fn insert(&mut self, number: usize) {
        self.bits[number / 64] |= 1 << (number % 64);
        self.used |= 1 << (number / 64);
    }
    /// Takes `number` out.
    pub fn remove(&mut self, number: usize) {
        self.bits[number / 64] &= !(1 << (number % 64));
        if self.bits[number / 64] == 0 {
            self.used &= !(1 << (number / 64));
        }
    }
    /// The first from `from` on.
    pub fn first_from(&self, from: usize) -> Option<usize> {
        if self.used == 0 || from >= NUMBERS_MAX {
            return None;
        }
        let (word, bit) = (from / 64, from % 64);
        let here = self.bits[word] >> bit << bit;
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        let later = self.used & !(u64::MAX >> (63 - word));
        (later != 0).then(|| {
            let word = later.trailing_zeros() as usize;
            word * 64 + self.bits[word].trailing_zeros() as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{NUMBERS_MAX, NumberSet};
    use std::collections::BTreeSet;

    #[test]
    fn it_walks_as_a_tree_does() {
        let (mut set, mut model) = (NumberSet::default(), BTreeSet::new());
        let mut state = 3u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (state >> 8) as usize % NUMBERS_MAX;
            if state >> 31 == 0 || number % 64 > 1 {
                set.remove(number);
                model.remove(&number);
            } else {
                set.insert(number);
                model.insert(number);
            }
            for from in [0, number, number + 1, NUMBERS_MAX - 1] {
                assert_eq!(set.first_from(from), model.range(from..).next().copied(), "from {from}");
            }
        }
    }
}
