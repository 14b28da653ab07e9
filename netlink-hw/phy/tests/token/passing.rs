//! The order of the token's holders, when all boards work.

use crate::bus::Bus;
use crate::ring::Ring;
use renga_phy::pins::model::{ModelSetup, Speed};

/// Holds: token-members.
#[test]
fn members_cold_start_joins_all() {
    for bus in Bus::ALL {
        for (boards, speed) in (2..=8).zip(Speed::ALL.iter().cycle()) {
            let mut ring = Ring::new(bus, &bus.cluster(boards, *speed));
            let bound_ns = ring.start_bound_ns();
            let took_ns = ring.run_while(2 * bound_ns, |ring| !ring.all_members());
            println!("{bus:?}, {boards} boards: {took_ns:?} of {bound_ns} ns");
            assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns), "{bus:?}: {ring:?}");
            assert_eq!((ring.made(), ring.violations()), (1, vec![]), "{bus:?}, {boards} boards");
        }
    }
}

/// All frames that each board sends to each other one arrive, in order and once; one token serves them.
/// Holds: token-fair.
#[test]
fn token_all_boards_reach_all() {
    const ROUNDS: usize = 6;
    for bus in Bus::ALL {
        for boards in 2..=8_u8 {
            let mut ring = Ring::up(bus, boards);
            ring.bytes = 64;
            for _ in 0..ROUNDS {
                let pairs = (0..boards).flat_map(|from| (0..boards).map(move |to| (from, to)));
                pairs.filter(|(from, to)| from != to).for_each(|(from, to)| _ = ring.send(from, to));
            }
            let due = ROUNDS * usize::from(boards - 1);
            let missing = |ring: &Ring| (0..boards).any(|to| ring.site(to).received.len() < due);
            // Each frame leaves with the token, which takes a poll and a frame of its own at most.
            let bound_ns = (due * usize::from(boards)) as u64 * 4 * bus.control_ns();
            assert!(ring.run_while(bound_ns, missing).is_some(), "{bus:?}, {boards} boards: {ring:?}");
            ring.run_for(4 * bus.control_ns());
            for to in 0..boards {
                for from in (0..boards).filter(|from| *from != to) {
                    let site = ring.site(to);
                    let numbers: Vec<_> = site.received.iter().filter(|(by, _)| *by == from).map(|(_, n)| *n).collect();
                    assert!(numbers.len() == ROUNDS && numbers.is_sorted(), "{bus:?}: {from} to {to}: {numbers:?}");
                }
                let count = ring.site(to).count;
                assert_eq!((count.again, count.given_up), (0, 0), "{bus:?}, {boards} boards: {ring:?}");
            }
            assert_eq!((ring.made(), ring.violations()), (1, vec![]), "{bus:?}, {boards} boards");
        }
    }
}

/// Holds: token-fair.
#[test]
fn token_boards_share_equally() {
    for bus in [Bus::ALL[1], Bus::RATES[1], Bus::RATES[2]] {
        for boards in [2, 3, 5, 8_u8] {
            let mut ring = Ring::up(bus, boards);
            (0..40).for_each(|_| ring.send_around());
            ring.run_while(u64::from(boards) * 20 * 4 * bus.control_ns(), |ring| ring.site(0).received.len() < 20);
            let received: Vec<_> = (0..boards).map(|place| ring.site(place).received.len()).collect();
            println!("{bus:?}, {boards} boards: {received:?}");
            assert!(received.iter().all(|frames| (18..=22).contains(frames)), "{bus:?}: {received:?}");
        }
    }
}

/// Holds: token-fair.
#[test]
fn token_idle_bus_frame_leaves_at_once() {
    for bus in Bus::ALL {
        for boards in [2, 3, 8_u8] {
            let (mut ring, mut most_ns) = (Ring::up(bus, boards), 0);
            for from in 0..boards {
                let took_ns = ring.deliver(from, (from + 1) % boards, 100 * bus.control_ns());
                most_ns = most_ns.max(took_ns.expect("it arrives"));
                ring.run_for(3_000_000);
                assert!(ring.holder().is_some(), "{bus:?}: {ring:?}");
            }
            println!("{bus:?}, {boards} boards: at most {most_ns} ns, a control frame {}", bus.control_ns());
            // By wire; or a poll, the token, the frame.
            assert!(most_ns <= if boards == 2 { 2 } else { 3 } * bus.control_ns(), "{bus:?}: {most_ns} ns");
        }
    }
}

/// Chunks of SPI end at each place of a frame; the longest takes its time.
#[test]
fn token_every_length_arrives() {
    for bus in Bus::BOTH {
        let mut ring = Ring::up(bus, 3);
        for bytes in (8..70).step_by(2).chain([510, 512, 1022, 1024]) {
            ring.bytes = bytes;
            assert!(ring.deliver(0, 2, 20_000_000).is_some(), "{bus:?}, {bytes} bytes: {ring:?}");
        }
        assert_eq!((ring.site(0).count.again, ring.violations()), (0, vec![]), "{bus:?}");
    }
}

/// A board that takes nothing keeps four frames and refuses the fifth, which is sent again until it is taken.
#[test]
fn token_full_receiver_refuses_and_receives_later() {
    for bus in Bus::BOTH {
        let mut ring = Ring::up(bus, 2);
        // The token is where the frames are: from here on board 1 has nothing of the protocol to say.
        assert!(ring.deliver(0, 1, 20 * bus.control_ns()).is_some());
        ring.at(1, |site| site.is_full = true);
        (0..5).for_each(|_| _ = ring.send(0, 1));
        assert!(ring.run_while(20 * bus.control_ns(), |ring| ring.site(0).count.again == 0).is_some(), "{ring:?}");
        ring.at(1, |site| site.is_full = false);
        assert!(ring.run_while(20 * bus.control_ns(), |ring| ring.site(1).received.len() < 6).is_some(), "{ring:?}");
        ring.run_for(20 * bus.control_ns());
        let numbers: Vec<_> = ring.site(1).received.iter().map(|(_, number)| *number).collect();
        assert_eq!((numbers, ring.site(0).count.given_up), ((1..=6).collect(), 0), "{bus:?}: {ring:?}");
    }
}

/// Boards of all kinds on one bus, which stall: all takes longer, and no frame is lost.
#[test]
fn token_stalling_boards_lose_nothing() {
    for seed in 0..12 {
        for bus in [Bus::BOTH[0], Bus::RATES[seed as usize % 3]] {
            let boards = 2 + (seed % 7) as u8;
            let mut cluster = ModelSetup {
                stall_every_ns: Some(20_000),
                spikes_per_mille: 20,
                seed,
                ..bus.cluster(boards, Speed::PI3_1200)
            };
            for (place, speed) in cluster.boards.iter_mut().enumerate() {
                *speed = Speed::ALL[(place + seed as usize) % 3];
            }
            let mut ring = Ring::new(bus, &cluster);
            (0..boards).for_each(|place| ring.at(place, |site| site.ills.late_ns = 40_000));
            ring.run_for(2 * ring.start_bound_ns());
            assert!(ring.all_members(), "{bus:?}, seed {seed}: {ring:?}");
            (ring.bytes, _) = (128, (0..8).for_each(|_| ring.send_around()));
            let missing = |ring: &Ring| (0..boards).any(|place| ring.site(place).received.len() < 8);
            let bound_ns = u64::from(boards) * 8 * 6 * bus.control_ns();
            assert!(ring.run_while(bound_ns, missing).is_some(), "{bus:?}, seed {seed}: {ring:?}");
            assert_eq!((ring.made(), ring.violations()), (1, vec![]), "{bus:?}, seed {seed}: {ring:?}");
        }
    }
}
