//! A set of small numbers.

/// Numbers are below this.
pub const NUMBERS_MAX: usize = 1024;
const WORDS: usize = NUMBERS_MAX / 64;

/// A set of numbers below [`NUMBERS_MAX`]; walking through it costs what it holds.
#[derive(Clone, Copy, Default)]
pub struct NumberSet {
    bits: [u64; WORDS],
    length: usize,
}

impl NumberSet {
    /// Adds `number`.
    pub fn insert(&mut self, number: usize) {
        let bit = 1 << (number % 64);
        self.length += usize::from(self.bits[number / 64] & bit == 0);
        self.bits[number / 64] |= bit;
    }
    /// Takes `number` out.
    pub fn remove(&mut self, number: usize) {
        let bit = 1 << (number % 64);
        self.length -= usize::from(self.bits[number / 64] & bit != 0);
        self.bits[number / 64] &= !bit;
    }
    /// The first from `from` on.
    pub fn first_from(&self, from: usize) -> Option<usize> {
        if self.length == 0 || from >= NUMBERS_MAX {
            return None;
        }
        let mut word = self.bits[from / 64] >> (from % 64) << (from % 64);
        for i in from / 64..WORDS {
            if word != 0 {
                return Some(i * 64 + word.trailing_zeros() as usize);
            }
            word = *self.bits.get(i + 1)?;
        }
        None
    }
}
