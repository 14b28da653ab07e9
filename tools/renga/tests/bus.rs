//! The token protocol, its link and the driver of the pins together, on the model of pins.

use renga::command::bench::bus::{Case, Pull, frames, passing};
use renga_phy::pins::model::Speed;
use renga_phy::pins::{Handshake, Width};

const SPAN_NS: u64 = 10_000_000;
const BYTES: usize = 1024;

fn case(boards: u8, handshake: Handshake) -> Case {
    Case {
        width: Width::Sixteen,
        handshake,
        speed: Speed::PI3_1200,
        pull: Pull::Harness(1000),
        listeners: boards - 1,
        stalls: true,
        seed: 3,
    }
}

#[test]
fn boards_share_the_bus_by_passing_the_token() {
    for (boards, handshake, least_bps) in [
        (2, Handshake::ThreeWire, 18_000_000),
        (8, Handshake::ThreeWire, 14_000_000),
        (4, Handshake::TwoEdge, 22_000_000),
    ] {
        let run = passing(&case(boards, handshake), BYTES, SPAN_NS).unwrap();
        let frames: u64 = run.received.iter().sum();
        let rate = frames * BYTES as u64 * 8 * 1_000_000_000 / run.span_ns;
        assert!(rate > least_bps, "{boards} boards, {handshake:?}: {rate} bit/s");
        let (least, most) = (run.received.iter().min().unwrap(), run.received.iter().max().unwrap());
        assert!(most - least <= 2, "{boards} boards, {handshake:?}: {:?}", run.received);
        assert_eq!(run.regenerated, 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let times = |seed| frames(&Case { seed, ..case(3, Handshake::TwoEdge) }, BYTES, 2).unwrap().frames_ns;
    assert_eq!(times(1), times(1));
    assert_ne!(times(1), times(2));
}
