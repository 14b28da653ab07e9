//! The token bus by hand-written cases: waiting, order, horizons, receivers.

use super::recovery::Leaving;
use super::*;

const ROUND: BusConfig =
    BusConfig { rate_bps: 1_000_000_000, frame_overhead_ns: 100, interlocked_overhead_ns: 30, token_pass_ns: 10 };

fn frame(sent_ns: u64, bytes: usize) -> Waiting {
    Waiting { sent_ns, destination: BROADCAST, bytes: vec![0; bytes] }
}

fn starts(bus: &mut EmulatedBus, horizon_ns: u64) -> Vec<(u8, u64, u64)> {
    std::iter::from_fn(|| bus.decide(horizon_ns)).map(|p| (p.source, p.start_ns, p.end_ns)).collect()
}

#[test]
fn bus_gpio_model_has_hardware_figures() {
    let bus = BusConfig::gpio();
    assert_eq!(bus.token_pass_ns, 889);
    assert_eq!(bus.least_latency_ns(3), 10_889 + 3_556);
    assert_eq!(bus.least_latency_ns(2), 3 * 889 + 3_556);
    let full_ns = bus.wire_ns(8 + 1024 + 4, 1, 3);
    let payload_bps = 1024 * 8 * NS_PER_S / full_ns;
    assert!((17_000_000..18_000_000).contains(&payload_bps), "{payload_bps}");
}

#[test]
fn bus_frame_waits_for_token() {
    let mut bus = EmulatedBus::new(ROUND, 4);
    bus.send(2, frame(0, 100));
    assert_eq!(starts(&mut bus, u64::MAX), [(2, 20, 20 + 100 + 800)]);
    bus.send(2, frame(0, 100));
    assert_eq!(starts(&mut bus, u64::MAX), [(2, 960, 960 + 900)], "once round, even for the only sender");
    bus.send(1, frame(1_895, 100));
    assert_eq!(starts(&mut bus, u64::MAX), [(1, 1_930, 2_830)], "the token had just left board 1 at 1890");
}

#[test]
fn bus_frame_between_two_boards_needs_no_pause() {
    let mut bus = EmulatedBus::new(ROUND, 2);
    let to = |destination, sent_ns| Waiting { destination, ..frame(sent_ns, 100) };
    bus.send(1, to(0, 0));
    assert_eq!(starts(&mut bus, u64::MAX), [(1, 10, 10 + 30 + 800)]);
    bus.send(0, to(1, 840));
    assert_eq!(starts(&mut bus, u64::MAX), [(0, 850, 850 + 30 + 800)]);
    bus.send(0, to(BROADCAST, 1_680));
    assert_eq!(starts(&mut bus, u64::MAX), [(0, 1_700, 1_700 + 100 + 800)], "all that may join hear it");
}

#[test]
fn bus_order_follows_token() {
    let mut bus = EmulatedBus::new(ROUND, 3);
    for board in [0, 1, 2] {
        bus.send(board, frame(5, 100));
        bus.send(board, frame(6, 100));
    }
    let order: Vec<u8> = starts(&mut bus, u64::MAX).iter().map(|(source, ..)| *source).collect();
    assert_eq!(order, [1, 2, 0, 1, 2, 0]);
}

#[test]
fn bus_arbitration_waits_for_competitors() {
    let mut bus = EmulatedBus::new(ROUND, 3);
    bus.send(0, frame(0, 100));
    assert_eq!(starts(&mut bus, 30), []);
    bus.send(1, frame(8, 100));
    assert_eq!(starts(&mut bus, 31), [(1, 10, 910)]);
    assert!(bus.waits_since_ns().is_some());
}

#[test]
fn bus_result_is_independent_of_polling() {
    let sends: Vec<(u8, u64, usize)> =
        (0..200).map(|n: u64| ((n * 7 % 4) as u8, n * n * 13 % 90_000, (n * 31 % 1_000) as usize)).collect();
    let run = |step_ns: usize| {
        let mut bus = EmulatedBus::new(BusConfig::gpio(), 4);
        let mut sorted = sends.clone();
        sorted.sort_by_key(|(board, sent_ns, _)| (*sent_ns, *board));
        let mut result = Vec::new();
        let mut sorted = sorted.into_iter().peekable();
        for horizon_ns in (0..200_000).step_by(step_ns).map(|ns| ns as u64).chain([u64::MAX]) {
            while let Some((board, sent_ns, bytes)) = sorted.next_if(|(_, sent_ns, _)| *sent_ns < horizon_ns) {
                bus.send(board, frame(sent_ns, bytes));
            }
            result.extend(starts(&mut bus, horizon_ns));
        }
        result
    };
    assert_eq!(run(1_000), run(77_777));
    assert_eq!(run(1_000).len(), 200);
}

#[test]
fn bus_frames_reach_their_addressees() {
    let passage = |destination| Passage {
        source: 1,
        start_ns: 0,
        end_ns: 1,
        frame: Waiting { sent_ns: 0, destination, bytes: vec![] },
    };
    let heard = |destination| (0..4).filter(|board| passage(destination).reaches(*board)).collect::<Vec<u8>>();
    assert_eq!(heard(2), [2]);
    assert_eq!(heard(BROADCAST), [0, 2, 3]);
    assert_eq!(heard(0xff), [0, 2, 3]);
    assert!(heard(1).is_empty());
}

#[test]
fn bus_token_skips_board_without_power() {
    let mut bus = EmulatedBus::new(ROUND, 4);
    bus.leave(1, 0, Leaving::Off);
    // Board 0 had the token and finds out that no board takes it.
    bus.send(2, frame(0, 100));
    assert_eq!(starts(&mut bus, u64::MAX), [(2, 40_000 + IN_BAND_NS, 40_000 + IN_BAND_NS + 900)]);
    bus.send(0, frame(0, 100));
    assert_eq!(starts(&mut bus, u64::MAX)[0].1, 50_900 + 20, "from 2 over 3 to 0 as ever");
    bus.join(1, 60_000);
    bus.send(1, frame(60_000, 100));
    assert!(starts(&mut bus, u64::MAX)[0].1 <= 60_000 + IN_BAND_NS + 40);
}

#[test]
fn bus_token_is_lost_with_its_holder() {
    for (how, silent_ns) in [(Leaving::Off, 1_110_000), (Leaving::Hung, 6_610_000)] {
        let mut bus = EmulatedBus::new(ROUND, 3);
        bus.send(0, frame(0, 100));
        assert_eq!(starts(&mut bus, 31), [(0, 30, 930)]);
        bus.send(0, frame(40, 100));
        bus.send(2, frame(50, 100));
        bus.leave(0, 500, how);
        assert_eq!(starts(&mut bus, u64::MAX)[0], (2, 500 + silent_ns + 10, 500 + silent_ns + 910), "{how:?}");
        assert!(bus.waits_since_ns().is_none(), "what it had to send is gone");
    }
}

#[test]
fn bus_second_token_ruins_two_frames() {
    let mut bus = EmulatedBus::new(ROUND, 3);
    bus.send(1, frame(0, 100));
    assert_eq!(starts(&mut bus, 11), [(1, 10, 910)]);
    bus.lose_token(0);
    bus.send(1, frame(950, 100));
    assert_eq!(starts(&mut bus, u64::MAX), [(1, 910 + 1_010_000 + 10, 910 + 1_010_000 + 910)]);
    for board in [0, 2] {
        bus.send(board, frame(1_011_820, 100));
        bus.send(board, frame(1_011_821, 100));
    }
    let passage = bus.decide(u64::MAX).expect("a frame waits");
    assert_eq!((passage.source, passage.start_ns), (2, 1_011_830));
    assert_eq!(bus.collide(passage.start_ns), Some((0, frame(1_011_820, 100))));
    assert_eq!(starts(&mut bus, u64::MAX)[0].1, passage.end_ns + 110_000 + 20);
}

#[test]
fn bus_without_boards_regenerates_token() {
    let mut bus = EmulatedBus::new(ROUND, 2);
    bus.leave(0, 100, Leaving::Off);
    bus.leave(1, 200, Leaving::Off);
    bus.join(1, 3_600_000_000_000);
    bus.send(1, frame(3_600_000_000_001, 100));
    let start_ns = starts(&mut bus, u64::MAX)[0].1;
    assert!((3_600_000_000_001..3_600_000_000_021).contains(&start_ns), "{start_ns}");
}
