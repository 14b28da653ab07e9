//! What one round of measurements found.
//!
//! Not here: its text (`text`).

use super::Errors;
use super::flow::{Flow, Trips};
use renga_wire::bus::BOARDS_MAX;

/// Boards of a link at most.
pub const PLACES: usize = BOARDS_MAX as usize;

/// Between board 0 and another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairRound {
    /// To it.
    pub there: Flow,
    /// From it.
    pub back: Flow,
    /// There and back, of short frames.
    pub trips: Trips,
}

/// What a board did while all sent to the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Frames that it gave its link.
    pub sent: u32,
    /// What came to it.
    pub came: Flow,
    /// What went wrong at it since it started.
    pub errors: Errors,
}

/// One round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Boards that are to be there.
    pub boards: u8,
    /// With board 0, by number; nothing of those that did not answer.
    pub pairs: [Option<PairRound>; PLACES],
    /// All at once, by number; nothing of those that did not answer.
    pub shares: [Option<Share>; PLACES],
}

impl Round {
    /// From token to token at a board while all have something to send, us: it sends one frame each time, to the next
    /// board.
    pub fn rotation_us(&self, board: usize) -> Option<u32> {
        let next = (board + 1) % usize::from(self.boards);
        let came = self.shares[next]?.came;
        came.span_us.checked_div(came.frames.saturating_sub(1))
    }

    /// Whether all boards answered, and each frame came.
    pub fn is_whole(&self) -> bool {
        let boards = usize::from(self.boards);
        let came = |flow: Flow| flow.frames > 0 && flow.missing == 0;
        let paired =
            self.pairs[1..boards].iter().all(|pair| pair.is_some_and(|pair| came(pair.there) && came(pair.back)));
        paired && self.shares[..boards].iter().all(|share| share.is_some_and(|share| came(share.came)))
    }
}
