//! What is wrong with a wire, by what one board saw of it: the first that explains it.
//!
//! Not here: text.

use super::harness::Use;
use super::report::{Answer, PinReport, WireMeasurement};

/// Rises that are over within so many readings began high: a wire that a board's own pull-up lifts takes longer.
const AT_ONCE_READINGS: usize = 1;
/// A control line with its pull-up on the harness, of 2.2 kohm at most, is up before, ns.
const SLOW_NS: u64 = 400;

/// Where a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// At the board that reports it.
    This,
    /// At this one.
    Board(u8),
    /// At the board that reports it, or at this one, the only other one that can see it.
    Either(u8),
}

/// What is wrong with a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is low though no board pulls it.
    HeldLow,
    /// It is high for all whichever board pulls it, and at once when it is released.
    HeldHigh,
    /// The same, of a control line with one other board, which may have no contact instead.
    HeldHighOrOpen {
        /// That board.
        board: u8,
    },
    /// It falls together with this wire.
    Touches {
        /// The number of the other.
        with: usize,
    },
    /// Two pins of this board ought to be joined, and this one does not follow.
    Unjoined {
        /// The pin.
        pin: u8,
    },
    /// It stays low when it is let go: nothing pulls it up.
    NeverRises,
    /// It has no contact.
    Open {
        /// Where.
        place: FaultPlace,
    },
    /// What is pulled here falls there as another wire.
    Swapped {
        /// Where.
        place: FaultPlace,
        /// The other's number.
        with: usize,
    },
    /// What a board says of it cannot be understood: two boards may have one number.
    Garbled {
        /// The board.
        board: u8,
    },
    /// A control line that rises as if its pull-up on the harness were not there.
    SlowRise,
}

impl PinReport {
    /// What is wrong with wire `number`.
    pub fn finding(&self, number: usize) -> Option<Finding> {
        let (wire, sight) = (self.harness.wires()[number], &self.sights[number]);
        if sight.held_low {
            return Some(Finding::HeldLow);
        }
        if let Some(with) = self.harness.wire_at(sight.touches) {
            return Some(Finding::Touches { with });
        }
        let Some(rise) = sight.rise_readings else { return Some(Finding::NeverRises) };
        let found = if wire.used == Use::TokenIn { None } else { self.wrong_answer(number, sight, rise) };
        if sight.unjoined != 0 && !matches!(found, Some(Finding::HeldHigh | Finding::HeldHighOrOpen { .. })) {
            return Some(Finding::Unjoined { pin: sight.unjoined.trailing_zeros() as u8 });
        }
        let slow = wire.used == Use::Control && self.rise_ns(number) > Some(SLOW_NS);
        found.or(slow.then_some(Finding::SlowRise))
    }

    /// Which boards are to see wire `number`, as a mask: those that see anything.
    fn expected(&self, number: usize) -> u8 {
        let all = self.heard();
        if self.harness.wires()[number].used == Use::TokenOut { all & 1 << self.next() } else { all }
    }

    /// What board `board` is to say.
    fn right(&self, number: usize, board: u8) -> Answer {
        let token = || self.harness.wires().iter().position(|wire| wire.used == Use::TokenIn);
        match self.harness.wires()[number].used {
            Use::TokenOut if board == self.next() => token().map_or(Answer::None, Answer::Sees),
            Use::TokenOut => Answer::None,
            _ => Answer::Sees(number),
        }
    }

    fn wrong_answer(&self, number: usize, sight: &WireMeasurement, rise: usize) -> Option<Finding> {
        let used = self.harness.wires()[number].used;
        let expected = self.expected(number);
        // The token's output has a strong pull-up on its own board.
        let at_once = rise <= AT_ONCE_READINGS && used != Use::TokenOut;
        if expected == 0 && used == Use::Data && at_once {
            return Some(Finding::HeldHigh);
        }
        let answer = |board: u8| sight.answers[usize::from(board)];
        let mut boards = (0..self.boards).filter(|board| self.heard() >> board & 1 != 0);
        let board = boards.find(|board| answer(*board) != self.right(number, *board))?;
        let same = (0..self.boards).filter(|other| expected >> other & 1 != 0 && answer(*other) == answer(board));
        let all = same.count() == expected.count_ones() as usize;
        let place = match expected.count_ones() {
            1 if all => FaultPlace::Either(board),
            _ if all => FaultPlace::This,
            _ => FaultPlace::Board(board),
        };
        Some(match answer(board) {
            Answer::None if all && at_once && used == Use::Data => Finding::HeldHigh,
            Answer::None if all && at_once && place == FaultPlace::This => Finding::HeldHigh,
            Answer::None if all && at_once => Finding::HeldHighOrOpen { board },
            Answer::None => Finding::Open { place },
            Answer::Sees(with) => Finding::Swapped { place, with },
            Answer::Garbled => Finding::Garbled { board },
        })
    }
}
