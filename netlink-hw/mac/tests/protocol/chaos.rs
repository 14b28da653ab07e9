//! Random schedules from seeds: boards killed and started, tokens lost and doubled, frames lost, halves.

use crate::ring::{CONTROL_NS, FRAME_NS, Ring, TIMING};
use renga_mac::MacState;
use renga_phy::loopback::Faults;

const SEEDS: u64 = 300;
/// Disturbances of one schedule.
const DISTURBANCES: u64 = 40;

/// The first seed and how many: as `RENGA_SEEDS=first,count` says.
fn seeds() -> (u64, u64) {
    let Ok(text) = std::env::var("RENGA_SEEDS") else { return (1, SEEDS) };
    let (first, count) = text.split_once(',').unwrap_or((&text, "1"));
    (first.parse().unwrap_or(1), count.parse().unwrap_or(1))
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn disturb(ring: &mut Ring, random: &mut Random, boards: u8) {
    let place = random.below(u64::from(boards)) as u8;
    match random.below(10) {
        0 => ring.kill(place),
        1 | 2 if !ring.board(place).on => ring.restart(place),
        3 => ring.bus.lose_next_token(),
        4 => ring.bus.offer_token(place),
        5 => {
            let groups: Vec<u8> = (0..boards).map(|_| random.below(2) as u8).collect();
            ring.part(&groups);
        }
        6 => ring.part(&vec![0; usize::from(boards)]),
        7 => ring.bus.hang(place),
        8 if ring.bus.hangs(place) => ring.restart(place),
        _ => {
            let to = random.below(u64::from(boards)) as u8;
            if to != place && ring.board(place).on && !ring.bus.hangs(place) {
                ring.send(place, to);
            }
        }
    }
    ring.run_for(random.below(3_000_000));
}

/// After any schedule: all boards are on, the bus is whole, and every board can send within a bound.
fn recovers(ring: &mut Ring, boards: u8, seed: u64) {
    ring.part(&vec![0; usize::from(boards)]);
    ring.bus.set_faults(Faults::NONE);
    for place in 0..boards {
        if !ring.board(place).on || ring.bus.hangs(place) {
            ring.restart(place);
        }
    }
    ring.sites.iter_mut().for_each(|site| site.received.clear());
    let bound_ns = TIMING.fault_ns
        + 2 * TIMING.listen_ns
        + 4 * TIMING.doubled_token_ns(boards - 1, CONTROL_NS)
        + 3 * TIMING.quarantine_ns / 1000
        + u64::from(boards) * 10 * FRAME_NS;
    // Whether boards still wait that the bus is theirs is their affair; they are given it, and then frames.
    let _ = ring.run_while(bound_ns, |ring| ring.sites.iter().any(|site| !site.link.mac().is_member()));
    assert!(ring.sites.iter().all(|site| site.link.mac().is_member()), "seed {seed}: not all are members");
    let queued = |ring: &Ring| ring.sites.iter().any(|site| site.link.queued() > 0);
    assert!(ring.run_while(bound_ns, queued).is_some(), "seed {seed}: a board cannot send its queue");
    (0..boards).for_each(|from| ring.send(from, (from + 1) % boards));
    let took = ring.run_while(bound_ns, |ring| ring.sites.iter().any(|site| site.received.is_empty()));
    assert!(took.is_some(), "seed {seed}: a board cannot send");
    ring.run_for(100_000_000);
    let parked = |state| matches!(state, MacState::Park { ignores_attention: false });
    assert!(ring.sites.iter().any(|site| parked(site.link.mac().state())), "seed {seed}: no token");
    assert_eq!(ring.next_ns(), None, "seed {seed}: the bus is not idle");
}

/// Holds: token-one.
#[test]
fn token_bus_chaos_recovers() {
    let (mut events, mut longest_ns) = (0, 0);
    let (first, count) = seeds();
    for seed in first..first + count {
        let mut random = Random(seed);
        let boards = 2 + (seed % 7) as u8;
        let faults = Faults {
            lost_per_mille: random.below(150) as u16,
            changed_per_mille: random.below(50) as u16,
            doubled_per_mille: random.below(50) as u16,
            unanswered_per_mille: random.below(50) as u16,
            delayed_per_mille: random.below(50) as u16,
            delay_ns: 300_000,
            token_lost_per_mille: random.below(100) as u16,
            token_doubled_per_mille: random.below(100) as u16,
            ..Faults::NONE
        };
        let mut ring = Ring::new(boards, faults, seed);
        for _ in 0..DISTURBANCES {
            disturb(&mut ring, &mut random, boards);
        }
        recovers(&mut ring, boards, seed);
        (events, longest_ns) = (events + ring.events, longest_ns.max(ring.doubled_ns));
    }
    println!("{count} schedules, {events} events; two boards used the token at once for {longest_ns} ns at most");
    assert!(longest_ns <= 2 * CONTROL_NS);
}
