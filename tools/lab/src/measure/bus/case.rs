//! The clusters that are measured.

use renga_phy::pins::model::Speed;
use renga_phy::pins::{Handshake, Width};
use std::fmt;

/// Pull-ups of the control lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusPull {
    /// A terminator, ohm.
    Harness(u16),
    /// The boards' own.
    Internal,
    /// The boards' own, as weak as a Pi 4's data sheet allows.
    Weakest,
}

impl BusPull {
    pub(super) const ALL: [BusPull; 3] = [BusPull::Harness(1000), BusPull::Harness(2200), BusPull::Internal];

    /// The terminator, ohm.
    pub fn ohms(self) -> Option<f64> {
        match self {
            BusPull::Harness(ohms) => Some(f64::from(ohms)),
            BusPull::Internal | BusPull::Weakest => None,
        }
    }
}

impl fmt::Display for BusPull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BusPull::Harness(1000) => f.pad("1k"),
            BusPull::Harness(_) => f.pad("2.2k"),
            BusPull::Internal => f.pad("internal"),
            BusPull::Weakest => f.pad("73k"),
        }
    }
}

/// One cluster to measure.
#[derive(Clone, Debug)]
pub struct Case {
    /// Data wires.
    pub width: Width,
    /// Handshake.
    pub handshake: Handshake,
    /// Boards, all equal.
    pub speed: Speed,
    /// Pull-ups.
    pub pull: BusPull,
    /// Boards beside the talker.
    pub listeners: u8,
    /// 1 % of random stalls of up to 5 us.
    pub stalls: bool,
    /// Of stalls and of levels between the thresholds.
    pub seed: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stalls = if self.stalls { ", stalls" } else { "" };
        let (mode, speed) = (mode(self.width, self.handshake), self.speed.name);
        write!(f, "{mode}, {speed}, pull {}, {} listeners{stalls}", self.pull, self.listeners)
    }
}

pub(super) fn mode(width: Width, handshake: Handshake) -> &'static str {
    match (width, handshake) {
        (Width::Sixteen, Handshake::ThreeWire) => "16 three-wire",
        (Width::Sixteen, Handshake::TwoEdge) => "16 two-edge",
        (Width::Four, Handshake::ThreeWire) => "S4 three-wire",
        (Width::Four, Handshake::TwoEdge) => "S4 two-edge",
        (Width::One, Handshake::ThreeWire) => "S1 three-wire",
        (Width::One, Handshake::TwoEdge) => "S1 two-edge",
    }
}
