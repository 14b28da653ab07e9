//! A set of small numbers.

/// Numbers are below this: as many as a board may have processes, since each of them may call other boards.
pub const NUMBERS_MAX: usize = 16_384;
const WORDS: usize = NUMBERS_MAX / 64;

renga_rt::with_defaults! {
    /// A set of numbers below [`NUMBERS_MAX`]; an iteration costs as much as it has members.
    #[derive(Clone, Copy)]
    pub struct NumberSet {
        bits: [u64; WORDS] = [0; WORDS],
        /// Which words of `bits` are not 0.
        used: [u64; WORDS / 64] = [0; WORDS / 64],
    }
    impl Default;
}

impl NumberSet {
    pub fn insert(&mut self, number: usize) {
        self.bits[number / 64] |= 1 << (number % 64);
        self.used[number / 4096] |= 1 << (number / 64 % 64);
    }
    pub fn remove(&mut self, number: usize) {
        self.bits[number / 64] &= !(1 << (number % 64));
        if self.bits[number / 64] == 0 {
            self.used[number / 4096] &= !(1 << (number / 64 % 64));
        }
    }
    /// Whether it has no number.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.used.iter().fold(0, |all, used| all | used) == 0
    }
    /// The first from `from` on.
    pub fn first_from(&self, from: usize) -> Option<usize> {
        if from >= NUMBERS_MAX {
            return None;
        }
        let word = from / 64;
        first_bit(&self.bits, from, word).or_else(|| {
            let word = first_bit(&self.used, word + 1, word / 64).or_else(|| {
                let later = (word / 64 + 1)..self.used.len();
                later.map(|of| (of, self.used[of])).find(|(_, words)| *words != 0).map(first_of)
            })?;
            Some(first_of((word, self.bits[word])))
        })
    }
}

/// The first bit from `from` on that is set in word `word` of `words`, which it is at the end of or in.
fn first_bit(words: &[u64], from: usize, word: usize) -> Option<usize> {
    let here = words[word] & u64::MAX.checked_shl((from - word * 64) as u32).unwrap_or(0);
    (here != 0).then(|| first_of((word, here)))
}

fn first_of((word, bits): (usize, u64)) -> usize {
    word * 64 + bits.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::{NUMBERS_MAX, NumberSet};
    use std::collections::BTreeSet;

    #[test]
    fn number_set_random_changes_match_btree() {
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
            assert_eq!(set.is_empty(), model.is_empty());
            for from in [0, number, number + 1, NUMBERS_MAX - 1] {
                assert_eq!(set.first_from(from), model.range(from..).next().copied(), "from {from}");
            }
        }
    }

    #[test]
    fn number_set_single_number_is_found_from_any_start() {
        let places = [0, 1, 63, 64, 4095, 4096, 4097, 8191, 12_288, NUMBERS_MAX - 1];
        for number in places {
            let mut set = NumberSet::default();
            assert!(set.is_empty());
            set.insert(number);
            assert!(!set.is_empty());
            for from in places {
                assert_eq!(set.first_from(from), (from <= number).then_some(number), "{number} from {from}");
            }
            assert_eq!(set.first_from(NUMBERS_MAX), None);
            set.remove(number);
            assert_eq!(set.first_from(0), None);
        }
    }
}
