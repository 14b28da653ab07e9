//! Random numbers from a seed: for models, faults and tests, which repeat with the same seed.
//!
//! Invariant: a sequence depends on its seed and on the order of calls only. Not here: numbers that must be secret.
#![no_std]
#![forbid(unsafe_code)]

/// Splitmix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug, Default)]
pub struct Random(u64);

impl Random {
    /// The numbers of `seed`.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.draw() % limit
    }
    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }
    /// As `between`, with small numbers as likely as large ones: each doubling is equally likely.
    pub fn spread(&mut self, least: u64, most: u64) -> u64 {
        let doublings = (most / least.max(1)).max(1).ilog2();
        let from = least.max(1) << self.below(u64::from(doublings) + 1);
        self.between(from.min(most), from.saturating_mul(2).min(most))
    }
    /// True with a probability of `percent`.
    pub fn occurs(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
    /// True with a probability of `per_mille` in a thousand; 0 leaves the sequence unchanged.
    pub fn per_mille(&mut self, per_mille: u16) -> bool {
        per_mille > 0 && self.below(1000) < u64::from(per_mille)
    }
    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
    /// One of `choices`, of which there are some.
    pub fn one<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
    /// Fills `out`.
    pub fn fill(&mut self, out: &mut [u8]) {
        for part in out.chunks_mut(8) {
            part.copy_from_slice(&self.draw().to_le_bytes()[..part.len()]);
        }
    }
    /// Another sequence, for a part of the run.
    pub fn fork(&mut self) -> Random {
        Random(self.draw())
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn random_numbers_match_paper() {
        let mut random = Random::new(1_234_567);
        // Of the reference program in C, with this seed.
        let known = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(known.map(|_| random.draw()), known);
    }

    #[test]
    fn random_numbers_stay_in_bounds() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            assert!(random.below(3) < 3 && (5..=9).contains(&random.between(5, 9)));
            assert!((2..=1000).contains(&random.spread(2, 1000)));
            assert!(random.spread(1 << 62, u64::MAX) >= 1 << 62);
            assert!(!random.per_mille(0) && random.per_mille(1000) && random.occurs(100) && random.once_in(1));
        }
    }
}
