//! Frames arrive, at every rate, with every number of listeners, on both chips.

use crate::bench::{ALL, BEGIN_NS, Plan, RATES, frame, payload, run, send, setup};
use renga_phy::pins::BusError;
use renga_phy::pins::model::{ModelSetup, Speed};
use renga_wire::bus::Poll;

fn arrives(setup: &ModelSetup, rate_hz: u32, bytes: usize) {
    let boards = setup.boards.len() as u32;
    let sent = frame(ALL, 0, &payload(bytes));
    let (seen, violations) = send(setup, rate_hz, &sent);
    let what = format!("{boards} boards, {rate_hz} Hz, {bytes} bytes, seed {}", setup.seed);
    assert_eq!(violations, [], "{what}");
    assert_eq!(seen.errors, [], "{what}");
    assert_eq!(seen.sent[0].result, Ok(Poll(((1 << boards) - 2) as u16)), "{what}");
    assert_eq!(seen.received.len() as u32, boards - 1, "{what}");
    assert!(seen.received.iter().all(|(_, bytes)| *bytes == sent), "{what}");
}

#[test]
fn frames_every_rate_and_length_arrive() {
    for rate_hz in RATES {
        for speed in Speed::ALL {
            for bytes in [0, 2, 6, 8, 18, 20, 64, 1024] {
                arrives(&setup(3, speed), rate_hz, bytes);
            }
        }
    }
}

#[test]
fn frames_every_board_count_arrive() {
    for boards in 2..=8 {
        for rate_hz in RATES {
            arrives(&setup(boards, Speed::PI3_1200), rate_hz, 64);
        }
    }
}

/// The chips' slaves have other pins, and a Pi 4's own data input is on the wire that it sends on.
#[test]
fn frames_stalls_and_mixed_boards_arrive() {
    for seed in 0..30 {
        let mut setup =
            ModelSetup { stall_every_ns: Some(20_000), seed, spikes_per_mille: 20, ..setup(6, Speed::PI3_1200) };
        for (board, speed) in setup.boards.iter_mut().enumerate() {
            *speed = Speed::ALL[(board + seed as usize) % 3];
        }
        arrives(&setup, RATES[seed as usize % 3], 128);
    }
}

#[test]
fn frames_addressed_board_alone_answers() {
    let plans = [(0, BEGIN_NS, Plan::Frame(frame(2, 0, &payload(40))))];
    let (seen, violations) = run(&setup(4, Speed::PI3_1200), RATES[1], &plans, 3 * BEGIN_NS);
    assert_eq!(seen.sent[0].result, Ok(Poll(1 << 2)));
    assert_eq!(seen.received.iter().map(|(board, _)| *board).collect::<Vec<_>>(), [2]);
    assert_eq!((violations, seen.errors), (vec![], vec![]));
}

#[test]
fn frames_follow_any_board() {
    let plans: Vec<_> = (0..4)
        .map(|board: u8| {
            (board, BEGIN_NS + u64::from(board) * 1_000_000, Plan::Frame(frame(ALL, board, &payload(100))))
        })
        .collect();
    let (seen, violations) = run(&setup(4, Speed::PI4_600), RATES[1], &plans, BEGIN_NS + 4_000_000);
    for sent in &seen.sent {
        assert_eq!(sent.result, Ok(Poll(0xf & !(1 << sent.board))), "{:?}", seen.sent);
    }
    assert_eq!((seen.sent.len(), seen.received.len(), violations, seen.errors), (4, 12, vec![], vec![]));
}

#[test]
fn frames_absent_receiver_is_reported_at_once() {
    for (destination, boards) in [(ALL, 1), (5, 3)] {
        let plans = [(0, BEGIN_NS, Plan::Frame(frame(destination, 0, &payload(1024))))];
        let (seen, violations) = run(&setup(boards, Speed::PI3_1200), RATES[1], &plans, 3 * BEGIN_NS);
        let sent = &seen.sent[0];
        assert_eq!(sent.result, Err(BusError::NobodyListens));
        assert!(sent.end_ns - sent.begin_ns < 80_000, "{} ns", sent.end_ns - sent.begin_ns);
        assert_eq!(violations, []);
    }
}

/// Two boards that believe they have the token, at any distance: neither drives against the other, and
/// what arrives is right.
/// Holds: pins-collision.
#[test]
fn frames_two_talkers_detect_collision() {
    let mut both_sent = 0;
    for apart_ns in (0..40_000).step_by(311) {
        let plans = [
            (0, BEGIN_NS, Plan::Frame(frame(2, 0, &payload(20)))),
            (1, BEGIN_NS + apart_ns, Plan::Frame(frame(2, 1, &payload(30)))),
        ];
        let setup = ModelSetup { seed: apart_ns, ..setup(4, Speed::PI3_1200) };
        let (seen, violations) = run(&setup, RATES[1], &plans, 4 * BEGIN_NS);
        assert_eq!(violations, [], "{apart_ns} ns apart");
        assert_eq!(seen.sent.len(), 2, "{apart_ns} ns apart: both end");
        let done = seen.sent.iter().filter(|sent| sent.result == Ok(Poll(1 << 2))).count();
        assert_eq!(seen.received.len(), done, "{apart_ns} ns apart: {seen:?}");
        both_sent += usize::from(done == 2);
    }
    println!("both frames arrived in {both_sent} of the runs");
}

#[test]
fn frames_same_seed_same_run() {
    let run = |seed| {
        let setup = ModelSetup { stall_every_ns: Some(20_000), seed, ..setup(5, Speed::PI3_600) };
        send(&setup, RATES[1], &frame(ALL, 0, &payload(200))).0.sent[0].end_ns
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

/// Virtual time is exact: the margins say how much the model may change before a person must check.
/// Holds: spi-rate.
#[test]
fn frames_long_rates_are_known() {
    for (rate_hz, least_bps) in [(RATES[0], 700_000), (RATES[1], 2_600_000), (RATES[2], 4_500_000)] {
        for boards in [2, 4, 8] {
            let (seen, _) = send(&setup(boards, Speed::PI3_1200), rate_hz, &frame(ALL, 0, &payload(1024)));
            println!("{boards} boards, {rate_hz} Hz: {} bit/s", seen.rate(1024));
            assert!(seen.rate(1024) > least_bps, "{boards} boards, {rate_hz} Hz: {} bit/s", seen.rate(1024));
        }
    }
}
