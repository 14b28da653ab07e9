//! Tokens lost and doubled, frames lost, boards that hang, buses that fall apart.

use crate::ring::{CONTROL_NS, FRAME_NS, Ring, TIMING};
use renga_mac::{FAULT_ALARMS, MacState};
use renga_phy::loopback::Faults;

fn made(ring: &Ring) -> u64 {
    ring.sites.iter().map(|site| site.link.count().regenerated).sum()
}

/// Holds: token-one.
#[test]
fn token_lost_returns_within_bound() {
    for boards in 2..=8_u8 {
        for from in 0..boards {
            let mut ring = Ring::up(boards);
            let to = (from + 1) % boards;
            // The token goes to the board behind the one that wants it, and gets lost on the way back.
            let before = (from + boards - 1) % boards;
            assert!(ring.deliver(before, from, FRAME_NS).is_some());
            ring.run_for(3_000_000);
            ring.bus.lose_next_token();
            let bound_ns = TIMING.lost_token_ns(from, CONTROL_NS) + 2 * CONTROL_NS;
            let took_ns = ring.deliver(from, to, 2 * bound_ns);
            assert!(
                took_ns.is_some_and(|took_ns| took_ns <= bound_ns),
                "{from} of {boards}: {took_ns:?} of {bound_ns}"
            );
            assert_eq!((made(&ring), ring.bus.count().token_faults), (2, 1), "{from} of {boards}: {took_ns:?}");
        }
    }
}

/// Holds: token-one.
#[test]
fn token_doubled_becomes_one_within_bound() {
    for boards in 2..=8_u8 {
        for second in 0..boards {
            let mut ring = Ring::up(boards);
            let first = ring.holder().unwrap();
            ring.bus.offer_token(second);
            ring.run_for(1_000_000);
            assert!(second == first || ring.holder().is_none(), "there are two");
            (0..boards).for_each(|from| ring.send(from, (from + 1) % boards));
            let bound_ns = TIMING.doubled_token_ns(boards - 1, CONTROL_NS) + u64::from(boards) * 3 * CONTROL_NS;
            let all = |ring: &Ring| ring.sites.iter().any(|site| site.received.is_empty());
            let took_ns = ring.run_while(2 * bound_ns, all);
            assert!(
                took_ns.is_some_and(|took_ns| took_ns <= bound_ns),
                "{second} of {boards}: {took_ns:?} of {bound_ns}"
            );
            ring.run_for(2_000_000);
            assert!(ring.holder().is_some(), "{second} of {boards}: there is one token");
            assert!(ring.doubled_ns <= FRAME_NS, "{} ns", ring.doubled_ns);
        }
    }
}

#[test]
fn token_epoch_wraps() {
    let mut ring = Ring::up(2);
    for round in 0..600_u32 {
        let from = (round % 2) as u8;
        assert!(ring.deliver(from, 1 - from, 3 * FRAME_NS).is_some());
        ring.run_for(3_000_000);
        ring.bus.lose_next_token();
    }
    assert!(made(&ring) > 500, "{}", made(&ring));
}

/// Holds: token-hang.
#[test]
fn token_hung_holder_is_reported_and_bus_recovers_after_reset() {
    let mut ring = Ring::up(3);
    ring.send(0, 1);
    let holds = |ring: &Ring| matches!(ring.board(0).link.mac().state(), MacState::Hold { .. });
    assert!(ring.run_while(1_000_000, |ring| !holds(ring)).is_some());
    ring.bus.hang(0);
    ring.send(1, 2);
    let bound_ns = (u64::from(FAULT_ALARMS) + 1) * TIMING.claim_after_ns(1) + TIMING.burst_ns + TIMING.guard_ns;
    let took_ns = ring.run_while(2 * bound_ns, |ring| ring.board(1).link.count().stuck == 0);
    assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns && took_ns <= 100_000_000), "{took_ns:?}");
    assert_eq!(ring.board(1).link.mac().state(), MacState::Fault);
    ring.restart(0);
    let back_ns = TIMING.fault_ns + 2 * TIMING.listen_ns + TIMING.lost_token_ns(2, CONTROL_NS) + 20 * CONTROL_NS;
    let took_ns = ring.run_while(2 * back_ns, |ring| !ring.all_members());
    assert!(took_ns.is_some_and(|took_ns| took_ns <= back_ns), "{took_ns:?} of {back_ns}");
    assert!(ring.deliver(2, 1, FRAME_NS).is_some());
}

#[test]
fn token_hung_bidder_burns_no_board() {
    let mut ring = Ring::up(3);
    assert!(ring.deliver(1, 2, FRAME_NS).is_some());
    ring.run_for(1_000_000);
    ring.send(0, 1);
    assert!(ring.board(0).link.mac().drive().attention);
    ring.bus.hang(0);
    ring.run_for(20_000_000);
    let events = ring.events;
    ring.run_for(1_000_000_000);
    println!("{} events in a second", ring.events - events);
    assert!(ring.events - events < 5_000);
    assert!(ring.sites.iter().any(|site| site.link.count().stuck > 0));
    ring.restart(0);
    let back_ns = TIMING.fault_ns + 2 * TIMING.listen_ns + TIMING.lost_token_ns(2, CONTROL_NS) + 20 * CONTROL_NS;
    assert!(ring.run_while(back_ns, |ring| !ring.all_members()).is_some());
}

/// Holds: token-members.
#[test]
fn token_bus_halves_work_and_merge() {
    for boards in 2..=8_u8 {
        let mut ring = Ring::up(boards);
        let groups: Vec<u8> = (0..boards).map(|board| board % 2).collect();
        ring.part(&groups);
        (0..boards).for_each(|from| ring.send(from, (from + 2) % boards));
        ring.run_for(50_000_000);
        if boards >= 4 {
            let lonely = |place: u8| ring.board(place).received.is_empty();
            assert!(
                (0..boards)
                    .all(|place| groups[usize::from((place + boards - 2) % boards)] != place % 2 || !lonely(place))
            );
        }
        ring.part(&vec![0; usize::from(boards)]);
        ring.sites.iter_mut().for_each(|site| site.received.clear());
        (0..boards).for_each(|from| ring.send(from, (from + 1) % boards));
        let bound_ns = 4 * TIMING.doubled_token_ns(boards - 1, CONTROL_NS) + u64::from(boards) * 4 * CONTROL_NS;
        let took_ns = ring.run_while(2 * bound_ns, |ring| ring.sites.iter().any(|site| site.received.is_empty()));
        println!("{boards} boards: {took_ns:?} of {bound_ns}");
        assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns), "{boards}: {took_ns:?}");
        // All boards hear the next talker: then they know each other again.
        ring.run_for(20_000_000);
        assert!(ring.holder().is_some());
    }
}

#[test]
fn token_thousand_frames_survive_thirty_percent_loss() {
    let faults = Faults { lost_per_mille: 200, changed_per_mille: 50, unanswered_per_mille: 50, ..Faults::NONE };
    let mut ring = Ring::new(4, faults, 11);
    ring.run_for(50_000_000);
    for _ in 0..1000 {
        (0..4).for_each(|from| ring.send(from, (from + 1) % 4));
        ring.run_for(400_000);
    }
    let arrived: usize = ring.sites.iter().map(|site| site.received.len()).sum();
    let lost: u64 = ring.sites.iter().map(|site| site.link.count().given_up).sum();
    println!("{arrived} frames, {lost} given up, {} tokens made", made(&ring));
    assert!(arrived > 1500 && lost < arrived as u64 / 20);
}
