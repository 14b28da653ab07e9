//! Tokens lost and doubled, frames and answers lost, numbers taken twice.

use crate::bus::Bus;
use crate::lacking::Fault;
use crate::ring::{Ring, TIMING};
use renga_mac::MacState;
use renga_phy::pins::HarnessLine;
use renga_phy::pins::model::Speed;

fn wire(ring: &Ring, place: u8) -> bool {
    matches!(ring.site(place).state, Some(MacState::Wire { .. }))
}

/// The holder hands the token on by wire; it sees the answer of a board that did not see the offer.
/// Holds: token-one.
#[test]
fn token_lost_returns_within_bound() {
    for bus in Bus::ALL {
        for boards in 2..=8_u8 {
            let mut ring = Ring::up(bus, boards);
            let (before, from) = (boards - 2, boards - 1);
            assert!(ring.deliver(before, from, 100 * bus.control_ns()).is_some());
            ring.run_for(3_000_000);
            assert_eq!(ring.holder(), Some(before), "{bus:?}: {ring:?}");
            ring.at(from, |site| site.ills.hides = Some(HarnessLine::TokenIn));
            ring.send(from, before);
            let bound_ns = TIMING.lost_token_ns(from, bus.control_ns()) + 2 * bus.control_ns();
            let began_ns = ring.now_ns;
            assert!(ring.run_while(bound_ns, |ring| !wire(ring, before)).is_some(), "{bus:?}: {ring:?}");
            ring.at(before, |site| site.ills.sees = Some(HarnessLine::Busy));
            assert!(ring.run_while(bound_ns, |ring| wire(ring, before)).is_some());
            ring.at(before, |site| site.ills.sees = None);
            ring.run_for(200_000);
            assert_eq!(ring.holder(), None, "{bus:?}: it is lost: {ring:?}");
            ring.at(from, |site| site.ills.hides = None);
            assert!(ring.run_while(2 * bound_ns, |ring| ring.site(before).received.is_empty()).is_some(), "{ring:?}");
            let took_ns = ring.now_ns - began_ns;
            println!("{bus:?}, {boards} boards: {took_ns} of {bound_ns} ns");
            assert!(took_ns <= bound_ns, "{bus:?}, {boards} boards: {took_ns} of {bound_ns} ns: {ring:?}");
            ring.run_for(3_000_000);
            assert_eq!((ring.made(), ring.violations()), (2, vec![]), "{bus:?}");
        }
    }
}

/// A board sees a false offer of a token, while another has the token.
/// Holds: token-one.
#[test]
fn token_doubled_becomes_one_within_bound() {
    for bus in Bus::ALL {
        for boards in 2..=8_u8 {
            let mut ring = Ring::up(bus, boards);
            let first = ring.holder().expect("it is parked");
            let second = (first + 1) % boards;
            ring.at(second, |site| site.ills.sees = Some(HarnessLine::TokenIn));
            ring.run_for(200_000);
            ring.at(second, |site| site.ills.sees = None);
            ring.run_for(1_000_000);
            assert_eq!(ring.holder(), None, "{bus:?}: there are two: {ring:?}");
            ring.send_around();
            let bound_ns =
                TIMING.doubled_token_ns(boards - 1, bus.control_ns()) + u64::from(boards) * 3 * bus.control_ns();
            let missing = |ring: &Ring| (0..boards).any(|place| ring.site(place).received.is_empty());
            let took_ns = ring.run_while(2 * bound_ns, missing);
            println!("{bus:?}, {boards} boards: {took_ns:?} of {bound_ns} ns");
            assert!(
                took_ns.is_some_and(|took_ns| took_ns <= bound_ns),
                "{bus:?}, {boards} boards: {took_ns:?}: {ring:?}"
            );
            ring.run_for(3_000_000);
            assert!(ring.holder().is_some(), "{bus:?}: there is one: {ring:?}");
            assert_eq!(ring.violations(), [], "{bus:?}");
        }
    }
}

/// A quarter of all frames is damaged on its way, or its answers are not seen.
#[test]
fn token_damaged_or_unanswered_frame_is_retransmitted() {
    for bus in Bus::ALL {
        let mut ring = Ring::up(bus, 4);
        for place in 0..4 {
            ring.at(place, |site| (site.ills.damaged_per_mille, site.ills.unanswered_per_mille) = (200, 50));
        }
        (0..60).for_each(|_| ring.send_around());
        let waits = |ring: &Ring| (0..4).any(|place| !ring.site(place).queue.is_empty());
        assert!(ring.run_while(4 * 60 * 20 * bus.control_ns(), waits).is_some(), "{bus:?}: {ring:?}");
        ring.run_for(TIMING.lost_token_ns(3, bus.control_ns()) + 20 * bus.control_ns());
        let sum = |what: fn(&Ring, u8) -> u64| (0..4).map(|place| what(&ring, place)).sum::<u64>();
        let again = sum(|ring, place| ring.site(place).count.again);
        let given_up = sum(|ring, place| ring.site(place).count.given_up);
        let arrived = sum(|ring, place| {
            let mut numbers: Vec<_> = ring.site(place).received.iter().map(|(_, number)| *number).collect();
            assert!(numbers.is_sorted(), "{numbers:?}");
            numbers.dedup();
            numbers.len() as u64
        });
        println!("{bus:?}: {arrived} of 240 arrived, {again} again, {given_up} given up, {} tokens", ring.made());
        // A talker that never learns of an arrival gives the frame up, though it arrived.
        assert!(arrived <= 240 && arrived + given_up >= 240 && arrived >= 228, "{bus:?}: {ring:?}");
        assert!(again > 20, "{bus:?}: {again}");
        assert_eq!(ring.violations(), [], "{bus:?}");
    }
}

/// Holds: token-numbers.
#[test]
fn members_duplicate_numbers_stay_silent() {
    for bus in Bus::BOTH {
        let none: Option<(u8, Fault)> = None;
        let mut ring = Ring::with(bus, &bus.cluster(4, Speed::PI3_1200), &[0, 1, 2, 1], none);
        let quiet = |ring: &Ring, place| ring.site(place).state == Some(MacState::Quarantine);
        let bound_ns = 2 * ring.start_bound_ns() + TIMING.doubled_token_ns(7, bus.control_ns());
        let took_ns = ring.run_while(bound_ns, |ring| !(quiet(ring, 1) && quiet(ring, 3)));
        assert!(took_ns.is_some(), "{bus:?}: {ring:?}");
        assert!(ring.deliver(0, 2, bound_ns).is_some(), "{bus:?}: the others go on: {ring:?}");
        ring.kill(3);
        let back_ns = TIMING.quarantine_ns + bound_ns;
        assert!(ring.run_while(back_ns, |ring| !ring.all_members()).is_some(), "{bus:?}: {ring:?}");
        assert!(ring.deliver(2, 1, bound_ns).is_some(), "{bus:?}: {ring:?}");
    }
}
