//! For the model checker: normal forms of states, and mutants of the protocol.
//!
//! Nothing of this is in a build without the feature `model`; with it, a protocol without a mutant is
//! the same protocol.

use crate::machine::Mac;

/// A way in which the protocol can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mutant {
    /// Takes the token from TOK_IN# though another board holds BUSY# low.
    TakesWhileBusy,
    /// Keeps its token though it hears another board talk.
    IgnoresOthers,
    /// Takes a collision for a frame without an answer.
    IgnoresCollisions,
    /// Never claims a lost token.
    NeverClaims,
    /// Claims at its alarm, whatever it has heard and whether BUSY# is low.
    ClaimsAtOnce,
    /// Believes that it has won, whichever board bids.
    AlwaysWins,
    /// Stays holder when its token was taken.
    KeepsItsToken,
    /// Sends the token again though BUSY# shows that it arrived.
    NeverSamplesAgain,
    /// Takes a token that comes twice for two.
    TakesRepeated,
    /// Parks and does not see ATN#.
    ParksIgnoring,
    /// Never drops a member that does not answer.
    NeverDrops,
    /// Offers the token by wire until it is taken.
    OffersForEver,
    /// Parks with BUSY# low.
    ParksBusy,
    /// Gives the token to itself for ever: its frames go first, whichever board wants it.
    NeverShares,
    /// Samples the lines only when an event reports their change.
    MissesLines,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Mutant; 15] = [
        Mutant::TakesWhileBusy,
        Mutant::IgnoresOthers,
        Mutant::IgnoresCollisions,
        Mutant::NeverClaims,
        Mutant::ClaimsAtOnce,
        Mutant::AlwaysWins,
        Mutant::KeepsItsToken,
        Mutant::NeverSamplesAgain,
        Mutant::TakesRepeated,
        Mutant::ParksIgnoring,
        Mutant::NeverDrops,
        Mutant::OffersForEver,
        Mutant::ParksBusy,
        Mutant::NeverShares,
        Mutant::MissesLines,
    ];
}

/// A sequence number that no token to come has.
pub const LONG_AGO: u8 = 128;

impl Mac {
    /// Makes the protocol wrong, or right again.
    pub fn mutate(&mut self, mutant: Option<Mutant>) {
        self.mutant = mutant;
    }

    /// How the protocol is wrong.
    pub fn mutant(&self) -> Option<Mutant> {
        self.mutant
    }

    /// Moves the board's time back, so that `now_ns` may stay the same.
    pub fn pass_time(&mut self, time_ns: u64) {
        self.deadline_ns = self.deadline_ns.map(|at_ns| at_ns.saturating_sub(time_ns));
    }

    /// How many tokens it has sent in frames.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Shifts epochs by `epochs`, and sequence numbers so that those of the board `n`, which has sent `sequences[n]`,
    /// start with 0: only differences matter.
    pub fn renumber(&mut self, epochs: u8, sequences: &[u8; 8]) {
        self.epoch = self.epoch.map(|epoch| epoch.wrapping_add(epochs));
        self.sequence = self.sequence.wrapping_sub(sequences[usize::from(self.setup.board)]);
        if let Some((source, sequence)) = &mut self.last_token {
            let past = sequence.wrapping_sub(sequences[usize::from(*source)]);
            *sequence = if matches!(past, 0 | u8::MAX) { past } else { LONG_AGO };
        }
    }
}
