//! What a board saw while it led.
//!
//! Not here: what it means (`finding`), its text (`text`).

use super::finding::Finding;
use super::harness::{Harness, Use, WIRES_MAX};
use renga_wire::bus::BOARDS_MAX;

/// What another board said of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    None,
    /// That it is the wire of this number there.
    Sees(usize),
    /// Something that is no answer.
    Garbled,
}

/// What was seen of one wire.
#[derive(Clone, Copy, Debug)]
pub struct WireMeasurement {
    /// It is low though no board is to pull it.
    pub held_low: bool,
    /// Readings after it was let go until none was low any more: the most of some measurements; none: it stayed low.
    pub rise_readings: Option<usize>,
    /// Pins of other wires that fell with it.
    pub touches: u32,
    /// Own pins of it that did not fall with it.
    pub unjoined: u32,
    /// What the boards said, by number.
    pub answers: [Answer; BOARDS_MAX as usize],
}

impl WireMeasurement {
    const NONE: WireMeasurement = WireMeasurement {
        held_low: false,
        rise_readings: None,
        touches: 0,
        unjoined: 0,
        answers: [Answer::None; BOARDS_MAX as usize],
    };
}

/// A leader's measurements of all wires.
#[derive(Clone, Copy, Debug)]
pub struct PinReport {
    /// The board.
    pub board: u8,
    /// Boards that are to be there.
    pub boards: u8,
    /// The wires.
    pub harness: Harness,
    /// What it saw, by wire.
    pub sights: [WireMeasurement; WIRES_MAX],
    /// A reading of the pins, ns.
    pub read_ns: u64,
}

/// The verdict on the wires after a round, without its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The boards that answered, as a mask.
    pub heard: u8,
    /// Others that did not.
    pub missing: u8,
    /// What is wrong, by wire.
    pub findings: [Option<Finding>; WIRES_MAX],
}

impl Verdict {
    /// Whether all boards answered and nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.missing == 0 && self.findings.iter().all(Option::is_none)
    }
}

impl PinReport {
    pub(super) fn new(board: u8, boards: u8, harness: Harness) -> PinReport {
        PinReport { board, boards, harness, sights: [WireMeasurement::NONE; WIRES_MAX], read_ns: 0 }
    }

    /// Forgets what was seen.
    pub(super) fn restart(&mut self) {
        self.sights.fill(WireMeasurement::NONE);
        self.read_ns = 0;
    }

    /// What follows from all that.
    pub fn verdict(&self) -> Verdict {
        let findings =
            core::array::from_fn(|wire| if wire < self.harness.wires().len() { self.finding(wire) } else { None });
        Verdict { heard: self.heard(), findings, missing: self.boards - 1 - self.heard().count_ones() as u8 }
    }

    /// After so long at most a wire that had been let go was high and stayed so, ns; none: it stayed low.
    pub fn rise_ns(&self, wire: usize) -> Option<u64> {
        Some((self.sights[wire].rise_readings? as u64 + 1) * self.read_ns)
    }

    /// How far apart the data wires rise, ns: the last one after the first.
    pub fn skew_ns(&self) -> Option<u64> {
        let data = |wire: &usize| self.harness.wires()[*wire].used == Use::Data;
        let rises = || (0..self.harness.wires().len()).filter(data).filter_map(|wire| self.rise_ns(wire));
        Some(rises().max()? - rises().min()?)
    }

    /// Which boards said anything, as a mask.
    pub fn heard(&self) -> u8 {
        let said = |board: &u8| self.sights.iter().any(|sight| sight.answers[usize::from(*board)] != Answer::None);
        (0..self.boards).filter(said).fold(0, |heard, board| heard | 1 << board)
    }

    /// The board that the token goes to.
    pub(super) fn next(&self) -> u8 {
        (self.board + 1) % self.boards
    }
}
