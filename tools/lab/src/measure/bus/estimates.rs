//! What was expected of the bus before there was a model of it: a calculation of reads, stores and rises.

use super::case::{BusPull, Case};
use renga_phy::pins::model::Speed;
use renga_phy::pins::{Handshake, Width};
use std::fmt;

/// The network of the paper, Mbit/s.
pub const PAPER_MBPS: f64 = 4.0;
/// What an interlocked handshake on these pins was expected to reach at most, Mbit/s.
pub const INTERLOCKED_MBPS: f64 = 30.0;

/// By board as in [`Speed::ALL`], Mbit/s.
const THREE_WIRE_1K: [f64; 3] = [18.0, 13.7, 9.5];
const THREE_WIRE_2K2: [f64; 3] = [14.0, 11.0, 8.0];
const THREE_WIRE_INTERNAL: [f64; 3] = [7.7, 6.7, 5.5];
const TWO_EDGE_1K: [f64; 3] = [31.0, 24.0, 16.0];
/// Three-wire, 1 kOhm, seven listeners, 1 % of stalls.
const STALLED: [f64; 3] = [13.0, 10.5, 7.7];
/// Internal pulls on a Pi 4, with stalls.
const STALLED_INTERNAL_PI4: f64 = 4.8;
/// Four wires, 1 kOhm, Pi 3 at 1.2 GHz.
const S4_THREE_WIRE: f64 = 4.5;
const S4_TWO_EDGE: f64 = 7.7;

/// The estimate for a case, if there was one, Mbit/s.
pub fn estimate(case: &Case) -> Option<f64> {
    let board = Speed::ALL.iter().position(|speed| speed.name == case.speed.name)?;
    match (case.width, case.handshake, case.pull, case.stalls) {
        (Width::Sixteen, Handshake::ThreeWire, BusPull::Harness(1000), false) => Some(THREE_WIRE_1K[board]),
        (Width::Sixteen, Handshake::ThreeWire, BusPull::Harness(2200), false) => Some(THREE_WIRE_2K2[board]),
        (Width::Sixteen, Handshake::ThreeWire, BusPull::Internal, false) => Some(THREE_WIRE_INTERNAL[board]),
        (Width::Sixteen, Handshake::TwoEdge, BusPull::Harness(1000), false) => Some(TWO_EDGE_1K[board]),
        (Width::Sixteen, Handshake::ThreeWire, BusPull::Harness(1000), true) => Some(STALLED[board]),
        (Width::Sixteen, Handshake::ThreeWire, BusPull::Internal, true) if board == 2 => Some(STALLED_INTERNAL_PI4),
        (Width::Four, Handshake::ThreeWire, BusPull::Harness(1000), false) if board == 0 => Some(S4_THREE_WIRE),
        (Width::Four, Handshake::TwoEdge, BusPull::Harness(1000), false) if board == 0 => Some(S4_TWO_EDGE),
        _ => None,
    }
}

/// How a figure stands to an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusVerdict {
    /// More than 15 % above it.
    Beaten,
    /// Within 15 %.
    Confirmed,
    /// More than 15 % below it.
    Refuted,
}

impl BusVerdict {
    /// Of `measured` against `estimate`.
    pub fn of(measured: f64, estimate: f64) -> BusVerdict {
        match measured / estimate {
            ratio if ratio > 1.15 => BusVerdict::Beaten,
            ratio if ratio >= 0.85 => BusVerdict::Confirmed,
            _ => BusVerdict::Refuted,
        }
    }
}

impl fmt::Display for BusVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            BusVerdict::Beaten => "beaten",
            BusVerdict::Confirmed => "confirmed",
            BusVerdict::Refuted => "refuted",
        })
    }
}
