//! The clusters that are measured.

use renga_phy::pins::model::Speed;
use renga_phy::pins::{Handshake, Width};
use std::fmt;

/// Pull-ups of the control lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pull {
    /// A terminator, ohm.
    Harness(u16),
    /// The boards' own.
    Internal,
    /// The boards' own, as weak as a Pi 4's data sheet allows.
    Weakest,
}

impl Pull {
    pub(super) const ALL: [Pull; 3] = [Pull::Harness(1000), Pull::Harness(2200), Pull::Internal];

    /// The terminator, ohm.
    pub fn ohms(self) -> Option<f64> {
        match self {
            Pull::Harness(ohms) => Some(f64::from(ohms)),
            Pull::Internal | Pull::Weakest => None,
        }
    }
}

impl fmt::Display for Pull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pull::Harness(1000) => f.pad("1k"),
            Pull::Harness(_) => f.pad("2.2k"),
            Pull::Internal => f.pad("internal"),
            Pull::Weakest => f.pad("73k"),
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
    pub pull: Pull,
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
