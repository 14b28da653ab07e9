//! Boards that come, go, die, and have one number.

use crate::ring::{CONTROL_NS, FRAME_NS, Ring, TIMING};
use renga_mac::MacState;
use renga_phy::loopback::Faults;

/// Holds: token-members.
#[test]
fn members_dead_board_costs_bound_and_is_dropped() {
    for boards in 3..=8_u8 {
        for dead in 0..boards {
            let mut ring = Ring::up(boards);
            let (from, to) = ((dead + 1) % boards, (dead + 2) % boards);
            ring.kill(dead);
            let bound_ns = TIMING.lost_token_ns(from, CONTROL_NS) + TIMING.dead_neighbour_ns(CONTROL_NS);
            let took_ns = ring.deliver(from, to, 2 * bound_ns);
            assert!(
                took_ns.is_some_and(|took_ns| took_ns <= bound_ns),
                "{dead} of {boards}: {took_ns:?} of {bound_ns}"
            );
            // A board that sends to it finds out.
            ring.send(to, dead);
            ring.run_for(bound_ns);
            let known = |place: u8| ring.board(place).link.mac().members() >> dead & 1;
            assert!((0..boards).filter(|place| *place != dead).all(|place| known(place) == 0), "{dead} of {boards}");
            // The others continue without it, without new losses.
            let made = |ring: &Ring| ring.sites.iter().map(|site| site.link.count().regenerated).sum::<u64>();
            let before = made(&ring);
            for _ in 0..10 {
                assert!(ring.deliver(to, from, FRAME_NS).is_some());
                ring.run_for(3_000_000);
            }
            assert_eq!(made(&ring), before);
        }
    }
}

/// Holds: token-members.
#[test]
fn members_dead_neighbour_is_skipped_within_bound() {
    // Board 1 dies while board 0 has the token; board 2 has it next.
    let mut ring = Ring::up(4);
    assert!(ring.deliver(0, 3, FRAME_NS).is_some());
    ring.run_for(1_000_000);
    assert_eq!(ring.holder(), Some(0));
    ring.kill(1);
    let took_ns = ring.deliver(2, 3, 10_000_000).unwrap();
    let bound_ns = TIMING.dead_neighbour_ns(CONTROL_NS);
    println!("{took_ns} of {bound_ns} ns");
    assert!(took_ns <= bound_ns);
}

/// Holds: token-members.
#[test]
fn members_returning_board_joins_at_once() {
    for boards in 2..=8_u8 {
        for place in 0..boards {
            let mut ring = Ring::up(boards);
            let other = (place + 1) % boards;
            ring.kill(place);
            ring.send(other, place);
            ring.run_for(30_000_000);
            ring.restart(place);
            let bound_ns = TIMING.listen_ns + TIMING.lost_token_ns(place, CONTROL_NS) + 20 * CONTROL_NS;
            let took_ns = ring.run_while(2 * bound_ns, |ring| !ring.all_members());
            assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns), "{place} of {boards}: {took_ns:?}");
            assert!(ring.deliver(other, place, 2 * FRAME_NS).is_some());
        }
    }
}

/// Holds: token-members.
#[test]
fn members_join_under_load() {
    let mut ring = Ring::up(4);
    ring.kill(2);
    let began_ns = ring.now_ns;
    let mut joined_ns = None;
    while ring.now_ns < began_ns + 60_000_000 {
        for from in [0, 1, 3] {
            ring.send(from, (from + 1) % 4);
        }
        if ring.now_ns > began_ns + 20_000_000 && !ring.board(2).on {
            ring.restart(2);
        }
        ring.run_for(20_000);
        if ring.board(2).on && ring.board(2).link.mac().is_member() {
            joined_ns.get_or_insert(ring.now_ns - began_ns - 20_000_000);
        }
    }
    println!("after {joined_ns:?} ns");
    assert!(joined_ns.is_some_and(|time_ns| time_ns < TIMING.listen_ns + 10 * FRAME_NS));
}

#[test]
fn members_leaving_board_passes_token() {
    for boards in 2..=8_u8 {
        let mut ring = Ring::up(boards);
        for place in 0..boards - 1 {
            let now_ns = ring.now_ns;
            ring.sites[usize::from(place)].link.leave(now_ns);
            ring.run_for(3_000_000);
            assert_eq!(ring.board(place).link.mac().state(), MacState::Off, "{place} of {boards}");
            ring.sites[usize::from(place)].on = false;
            assert!(ring.all_members(), "{place} of {boards}");
        }
        assert_eq!(ring.sites.iter().map(|site| site.link.count().regenerated).sum::<u64>(), 1);
        assert_eq!(ring.holder(), Some(boards - 1));
    }
}

/// Holds: token-numbers.
#[test]
fn members_duplicate_numbers_stay_silent() {
    for places in [&[0, 1, 1][..], &[1, 1], &[0, 3, 5, 3], &[2, 2, 4, 6]] {
        let mut ring = Ring::with_numbers(places, Faults::NONE, 3);
        let doubles: Vec<u8> = (0..places.len())
            .filter(|a| places.iter().filter(|b| **b == places[*a]).count() == 2)
            .map(|a| a as u8)
            .collect();
        let silent =
            |ring: &Ring| doubles.iter().all(|place| ring.board(*place).link.mac().state() == MacState::Quarantine);
        let took_ns = ring.run_while(100_000_000, |ring| !silent(ring));
        println!("{places:?}: silent after {took_ns:?} ns");
        assert!(took_ns.is_some_and(|took_ns| took_ns < 40_000_000), "{places:?}");
        // Neither has sent anything, nor will it.
        doubles.iter().for_each(|place| ring.send(*place, places[0]));
        ring.run_for(5_000_000_000);
        assert!(ring.sites.iter().all(|site| site.received.is_empty()));
        assert!(doubles.iter().all(|place| !ring.board(*place).link.mac().is_member()));
        let honest: Vec<_> = (0..places.len() as u8).filter(|place| !doubles.contains(place)).collect();
        assert!(honest.iter().all(|place| ring.board(*place).link.mac().is_member()));
        ring.kill(doubles[0]);
        ring.run_for(TIMING.quarantine_ns + 50_000_000);
        assert!(ring.all_members(), "{places:?}");
    }
}
