//! Faults of the link, random from the seed: frames that are lost, corrupted, heard twice or late; tokens that are lost
//! or meet another.
//!
//! Invariant: what happens to a frame depends on the seed and on how many frames took the wire before it.
//!
//! Not here: what the bus does about its token (`bus`), boards that die (`power`).

use renga_random::Random;
use serde::{Deserialize, Serialize};

const ONE_PPM: u64 = 1_000_000;
/// A late frame arrives at most so much later, ns.
const DELAY_NS_MAX: u64 = 3_000_000;

/// How often what goes wrong, in frames of a million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultConfig {
    /// No board hears the frame.
    pub loss_ppm: u32,
    /// Everybody hears it with one bit wrong.
    pub corrupt_ppm: u32,
    /// Everybody hears it twice.
    pub duplicate_ppm: u32,
    /// It arrives up to 3 ms late, perhaps behind later ones.
    pub delay_ppm: u32,
    /// The token is lost after it.
    pub token_ppm: u32,
    /// It meets another one: there are two tokens.
    pub collision_ppm: u32,
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
    /// It arrives so much later, ns.
    Delay(u64),
    /// It arrives, and the token is lost.
    TokenLoss,
    /// It is lost, with a frame of another board that is on the wire at the same time.
    Collision,
}

/// Draws faults.
#[derive(Debug)]
pub struct FaultSource {
    config: FaultConfig,
    random: Random,
}

impl FaultSource {
    /// From `seed`.
    pub fn new(config: FaultConfig, seed: u64) -> Self {
        Self { config, random: Random::new(seed ^ 0x6c69_6e6b) }
    }

    /// For the next frame on the wire.
    pub fn draw(&mut self) -> Fault {
        let (occurs, which) = (self.random.draw() % ONE_PPM, self.random.draw());
        let config = self.config;
        let faults = [
            (config.loss_ppm, Fault::Loss),
            (config.corrupt_ppm, Fault::Corrupt(which)),
            (config.duplicate_ppm, Fault::Duplicate),
            (config.delay_ppm, Fault::Delay(which % DELAY_NS_MAX + 1)),
            (config.token_ppm, Fault::TokenLoss),
            (config.collision_ppm, Fault::Collision),
        ];
        let mut below = 0;
        let fault = faults.into_iter().find(|(ppm, _)| {
            below += u64::from(*ppm);
            occurs < below
        });
        fault.map_or(Fault::None, |(_, fault)| fault)
    }
}

impl Fault {
    /// The copies of `bytes` that are heard.
    pub fn copies(self, bytes: &[u8]) -> Vec<Vec<u8>> {
        match self {
            Fault::None | Fault::Delay(_) | Fault::TokenLoss => vec![bytes.to_vec()],
            Fault::Loss | Fault::Collision => Vec::new(),
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
    fn faults_match_rate_and_repeat() {
        let config = FaultConfig {
            loss_ppm: 100_000,
            corrupt_ppm: 50_000,
            duplicate_ppm: 20_000,
            delay_ppm: 30_000,
            token_ppm: 10_000,
            collision_ppm: 5_000,
        };
        let draw = |seed| {
            let mut faults = FaultSource::new(config, seed);
            (0..10_000).map(|_| faults.draw()).collect::<Vec<_>>()
        };
        let faults = draw(3);
        let count = |wanted: fn(&Fault) -> bool| faults.iter().filter(|fault| wanted(fault)).count();
        assert!((900..1100).contains(&count(|fault| *fault == Fault::Loss)));
        assert!((400..600).contains(&count(|fault| matches!(fault, Fault::Corrupt(_)))));
        assert!((150..250).contains(&count(|fault| *fault == Fault::Duplicate)));
        assert!((250..350).contains(&count(|fault| matches!(fault, Fault::Delay(1..=DELAY_NS_MAX)))));
        assert!((70..130).contains(&count(|fault| *fault == Fault::TokenLoss)));
        assert!((30..70).contains(&count(|fault| *fault == Fault::Collision)));
        assert_eq!(faults, draw(3));
        assert_ne!(faults, draw(4));
        assert!(FaultSource::new(FaultConfig::default(), 3).draw() == Fault::None);
    }

    #[test]
    fn faults_decide_what_is_received() {
        assert_eq!(Fault::None.copies(b"ab"), [b"ab"]);
        assert_eq!(Fault::Loss.copies(b"ab").len(), 0);
        assert_eq!(Fault::Duplicate.copies(b"ab"), [b"ab", b"ab"]);
        assert_eq!(Fault::Corrupt(16 + 9).copies(b"ab"), [b"a`"]);
    }
}
