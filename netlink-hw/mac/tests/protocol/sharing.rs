//! The order of the token's holders, when all boards work.

use crate::ring::{CONTROL_NS, FRAME_NS, Ring, TIMING};
use renga_mac::MacState;
use renga_phy::loopback::Faults;

/// Holds: token-members.
#[test]
fn members_cold_start_joins_all() {
    for boards in 2..=8 {
        let mut ring = Ring::new(boards, Faults::NONE, 1);
        let took_ns = ring.run_while(20_000_000, |ring| !ring.all_members());
        let bound_ns = TIMING.listen_ns + TIMING.lost_token_ns(0, CONTROL_NS) + u64::from(boards) * 5 * CONTROL_NS;
        println!("{boards} boards: {took_ns:?} of {bound_ns} ns");
        assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns));
        assert_eq!(ring.sites.iter().map(|site| site.link.count().regenerated).sum::<u64>(), 1);
    }
}

/// Holds: idle-silent.
#[test]
fn token_idle_bus_is_quiet() {
    for boards in 2..=8 {
        let mut ring = Ring::up(boards);
        for round in 0..3 {
            let (events, count) = (ring.events, ring.bus.count());
            ring.run_for(10_000_000_000);
            assert_eq!((ring.events, ring.bus.count(), ring.next_ns()), (events, count, None), "round {round}");
            let from = round % boards;
            assert!(ring.deliver(from, (from + 1) % boards, FRAME_NS).is_some());
            ring.run_for(10_000_000);
        }
    }
}

/// Holds: token-fair.
#[test]
fn token_idle_bus_frame_leaves_at_once() {
    for boards in 2..=8 {
        let mut ring = Ring::up(boards);
        let mut most_ns = 0;
        for (from, to) in (0..boards).flat_map(|from| (0..boards).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            most_ns = most_ns.max(ring.deliver(from, to, FRAME_NS).unwrap());
            ring.run_for(3_000_000);
        }
        println!("{boards} boards: at most {most_ns} ns");
        // By wire; or a poll, the token, the frame.
        assert!(most_ns <= if boards == 2 { 2 * CONTROL_NS } else { 3 * CONTROL_NS + 10_000 });
    }
}

/// Holds: token-fair.
#[test]
fn token_boards_share_equally() {
    for boards in 2..=8_u8 {
        let mut ring = Ring::up(boards);
        let next = |from| (from + 1) % boards;
        for _ in 0..20_000 {
            (0..boards).for_each(|from| ring.send(from, next(from)));
            let until_ns = ring.now_ns + 1_000_000;
            ring.step(until_ns);
            if ring.board(0).received.len() >= 200 {
                break;
            }
        }
        let received: Vec<_> = ring.sites.iter().map(|site| site.received.len()).collect();
        println!("{boards} boards: {received:?} frames in {} ns", ring.now_ns);
        assert!(received.iter().all(|frames| (150..260).contains(frames)), "{received:?}");
        assert_eq!((ring.doubled_ns, ring.bus.count().collisions), (0, 0));
    }
}

#[test]
fn token_frames_arrive_once_in_order() {
    let mut ring = Ring::up(4);
    for _ in 0..500 {
        (1..4).for_each(|from| ring.send(from, 0));
        ring.run_for(30_000);
    }
    ring.run_for(10_000_000);
    for from in 1..4 {
        let numbers: Vec<_> =
            ring.board(0).received.iter().filter(|frame| frame.0 == from).map(|frame| frame.1).collect();
        assert!(numbers.len() > 100 && numbers.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn token_idle_holder_releases_lines() {
    let ring = Ring::up(3);
    let place = ring.holder().unwrap();
    let mac = ring.board(place).link.mac();
    assert_eq!((mac.state(), mac.drive()), (MacState::Park { ignores_attention: false }, Default::default()));
}
