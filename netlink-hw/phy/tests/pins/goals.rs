//! The rates that the bus is to reach. Virtual time is exact: the margins say how much the model may change before a
//! person must check.

use crate::bench::{ALL, WIRING, frame, payload, send};
use renga_phy::pins::model::{ModelSetup, ONE_PERCENT_NS, PULL_OHMS, Speed, WEAKEST_PULL_OHMS};
use renga_phy::pins::{Handshake, PullUps, Width, Wiring};

/// Mbit/s of payload, frames of 1024 bytes to all.
fn rate(setup: &ModelSetup, wiring: Wiring, frames: usize) -> f64 {
    let bytes = 1024;
    let all: Vec<_> = (0..frames).map(|_| frame(ALL, 0, &payload(bytes))).collect();
    let (seen, violations) = send(setup, wiring, &all);
    assert_eq!((violations, &seen.errors), (vec![], &vec![]));
    assert!(seen.sent.iter().all(|sent| sent.result.is_ok()), "{:?}", seen.sent);
    seen.rate(bytes) as f64 / 1e6
}

/// Holds: pins-rate.
#[test]
fn pins_pi3_reaches_18_and_25_mbit() {
    for boards in 2..=8 {
        for (handshake, goal) in [(Handshake::ThreeWire, 18.0), (Handshake::TwoEdge, 25.0)] {
            let setup = ModelSetup { handshake, ..ModelSetup::of(boards, Speed::PI3_1200) };
            let rate = rate(&setup, Wiring { handshake, ..WIRING }, 2);
            println!("{boards} boards, {handshake:?}: {rate:.2} Mbit/s");
            assert!(rate > 1.01 * goal, "{boards} boards, {handshake:?}: {rate} Mbit/s");
        }
    }
}

/// Pi 4, three-wire, no terminator, stalls: with the weakest pulls too that its data sheet allows.
/// Holds: pins-rate.
#[test]
fn pins_worst_case_exceeds_4_mbit() {
    for boards in 2..=8 {
        for (pull_ohms, seed) in [(PULL_OHMS, 1), (PULL_OHMS, 2), (WEAKEST_PULL_OHMS, 1), (WEAKEST_PULL_OHMS, 2)] {
            let setup = ModelSetup {
                terminator_ohms: None,
                pull_ohms,
                stall_every_ns: Some(ONE_PERCENT_NS),
                seed,
                ..ModelSetup::of(boards, Speed::PI4_600)
            };
            let wiring = Wiring { pulls: PullUps::Internal, width: Width::Sixteen, ..WIRING };
            let rate = rate(&setup, wiring, 4);
            println!("{boards} boards, {pull_ohms} ohm, seed {seed}: {rate:.2} Mbit/s");
            assert!(rate > 4.0, "{boards} boards, {pull_ohms} ohm, seed {seed}: {rate} Mbit/s");
        }
    }
}
