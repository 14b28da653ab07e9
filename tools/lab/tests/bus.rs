//! The token protocol, its link and the drivers of pins and of SPI together, on the model of pins.

use renga_lab::measure::bus::{BusPull, Case, Passing, frames, passing, passing_over_spi};
use renga_phy::pins::model::Speed;
use renga_phy::pins::{Handshake, Width};

const SPAN_NS: u64 = 10_000_000;
const BYTES: usize = 1024;

fn case(boards: u8, handshake: Handshake) -> Case {
    Case {
        width: Width::Sixteen,
        handshake,
        speed: Speed::PI3_1200,
        pull: BusPull::Harness(1000),
        listeners: boards - 1,
        stalls: true,
        seed: 3,
    }
}

#[test]
fn bus_boards_share_pins_by_token() {
    for (boards, handshake, least_bps) in [
        (2, Handshake::ThreeWire, 18_000_000),
        (8, Handshake::ThreeWire, 14_000_000),
        (4, Handshake::TwoEdge, 22_000_000),
    ] {
        let run = passing(&case(boards, handshake), BYTES, SPAN_NS).unwrap();
        is_shared(&run, least_bps, &format!("{boards} boards, {handshake:?}"));
    }
}

/// It has never run on a board.
/// Holds: spi-rate.
#[test]
fn bus_boards_share_spi_by_token() {
    for (boards, rate_hz, least_bps) in
        [(2, 1_000_000, 700_000), (2, 4_000_000, 2_600_000), (4, 4_000_000, 2_500_000), (8, 8_000_000, 4_300_000)]
    {
        let run = passing_over_spi(boards, Speed::PI3_1200, rate_hz, BYTES, 3).unwrap();
        is_shared(&run, least_bps, &format!("{boards} boards, {rate_hz} Hz"));
    }
}

fn is_shared(run: &Passing, least_bps: u32, what: &str) {
    assert!(run.rate(BYTES) > f64::from(least_bps), "{what}: {} bit/s", run.rate(BYTES));
    let (least, most) = (run.received.iter().min().unwrap(), run.received.iter().max().unwrap());
    assert!(most - least <= 2, "{what}: {:?}", run.received);
    assert_eq!(run.regenerated, 0, "{what}");
}

#[test]
fn bus_same_seed_gives_same_figures() {
    let times = |seed| frames(&Case { seed, ..case(3, Handshake::TwoEdge) }, BYTES, 2).unwrap().frames_ns;
    assert_eq!(times(1), times(1));
    assert_ne!(times(1), times(2));
}
