//! The measurement of a link between boards: how much it carries each way, how long a round trip takes, how often the
//! token comes by, and what went wrong meanwhile.
//!
//! **It has never run on a board.** Board 0 leads and reports; the others follow its commands.
//! `docs/reference/linkbench.md` says what each figure means. Invariant: every wait has a bound; a board that does not
//! answer is left out. Not here: the link itself, the printing ([`Round`] is text).

mod flow;
mod lead;
mod message;
mod round;
mod station;
mod text;

pub use flow::{DATA_BYTES, Flow, Trips};
pub use round::{PairRound, Round, Share};
pub use station::BenchStation;

use crate::Phy;

/// What went wrong at a board since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Frames sent again because no board had taken them.
    pub again: u32,
    /// Frames given up after some tries.
    pub given_up: u32,
    /// Frames that could not be sent to their end.
    pub unsent: u32,
    /// Frames that arrived damaged, or not to their end.
    pub broken: u32,
    /// Tokens that it created; the first of a cluster is one.
    pub tokens: u32,
}

/// A link that can be measured.
pub trait Measured: Phy {
    /// Time since boot, ns.
    fn now_ns(&mut self) -> u64;

    /// The errors until now.
    fn errors(&mut self) -> Errors;
}
