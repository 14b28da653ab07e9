//! Faults of the link, drawn from the seed: frames that get lost, corrupted or heard twice.
//!
//! Invariant: what happens to a frame depends on the seed and on how many frames took the wire before it.
//!
//! Not here: lost tokens and dead boards.

use serde::{Deserialize, Serialize};

const ONE_PPM: u64 = 1_000_000;

/// How often what goes wrong, in frames of a million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultConfig {
    /// Nobody hears the frame.
    pub loss_ppm: u32,
    /// Everybody hears it with one bit wrong.
    pub corrupt_ppm: u32,
    /// Everybody hears it twice.
    pub duplicate_ppm: u32,
}

/// What happens to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It arrives.
    None,
    /// It does not.
    Loss,
    /// This bit of it is wrong, modulo its length.
    Corrupt(u64),
    /// It arrives twice.
    Duplicate,
}

/// Draws faults.
#[derive(Debug)]
pub struct Faults {
    config: FaultConfig,
    random: u64,
}

impl Faults {
    /// From `seed`.
    pub fn new(config: FaultConfig, seed: u64) -> Self {
        Self { config, random: seed ^ 0x6c69_6e6b }
    }

    /// For the next frame on the wire.
    pub fn draw(&mut self) -> Fault {
        let (chance, bit) = (self.next() % ONE_PPM, self.next());
        let FaultConfig { loss_ppm, corrupt_ppm, duplicate_ppm } = self.config;
        let [lost, corrupt, twice] = [loss_ppm, corrupt_ppm, duplicate_ppm].map(u64::from);
        match chance {
            chance if chance < lost => Fault::Loss,
            chance if chance < lost + corrupt => Fault::Corrupt(bit),
            chance if chance < lost + corrupt + twice => Fault::Duplicate,
            _ => Fault::None,
        }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

impl Fault {
    /// The copies of `bytes` that are heard.
    pub fn copies(self, bytes: &[u8]) -> Vec<Vec<u8>> {
        match self {
            Fault::None => vec![bytes.to_vec()],
            Fault::Loss => Vec::new(),
            Fault::Duplicate => vec![bytes.to_vec(); 2],
            Fault::Corrupt(bit) => {
                let mut heard = bytes.to_vec();
                let bit = (bit % (bytes.len() as u64 * 8)) as usize;
                heard[bit / 8] ^= 1 << (bit % 8);
                vec![heard]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_as_frequent_as_asked_and_repeat() {
        let config = FaultConfig { loss_ppm: 100_000, corrupt_ppm: 50_000, duplicate_ppm: 20_000 };
        let draw = |seed| {
            let mut faults = Faults::new(config, seed);
            (0..10_000).map(|_| faults.draw()).collect::<Vec<_>>()
        };
        let drawn = draw(3);
        let count = |wanted: fn(&Fault) -> bool| drawn.iter().filter(|fault| wanted(fault)).count();
        assert!((900..1100).contains(&count(|fault| *fault == Fault::Loss)));
        assert!((400..600).contains(&count(|fault| matches!(fault, Fault::Corrupt(_)))));
        assert!((150..250).contains(&count(|fault| *fault == Fault::Duplicate)));
        assert_eq!(drawn, draw(3));
        assert_ne!(drawn, draw(4));
        assert!(Faults::new(FaultConfig::default(), 3).draw() == Fault::None);
    }

    #[test]
    fn what_is_heard() {
        assert_eq!(Fault::None.copies(b"ab"), [b"ab"]);
        assert_eq!(Fault::Loss.copies(b"ab").len(), 0);
        assert_eq!(Fault::Duplicate.copies(b"ab"), [b"ab", b"ab"]);
        assert_eq!(Fault::Corrupt(16 + 9).copies(b"ab"), [b"a`"]);
    }
}
