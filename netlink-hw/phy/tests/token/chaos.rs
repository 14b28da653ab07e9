//! Random schedules from seeds: boards that fail, hang and return, tokens doubled, frames damaged, answers missed.

use crate::bus::Bus;
use crate::ring::{Ring, TIMING};
use crate::site::Ills;
use renga_phy::pins::HarnessLine;
use renga_phy::pins::model::Speed;
use renga_random::Random;

const SEEDS: u64 = 24;
/// Disturbances of one schedule.
const DISTURBANCES: u64 = 24;

/// The first seed and how many: as `RENGA_SEEDS=first,count` says.
fn seeds() -> (u64, u64) {
    let Ok(text) = std::env::var("RENGA_SEEDS") else { return (1, SEEDS) };
    let (first, count) = text.split_once(',').unwrap_or((&text, "1"));
    (first.parse().expect("a seed"), count.parse().expect("how many seeds"))
}

fn disturb(ring: &mut Ring, random: &mut Random) {
    let place = random.below(u64::from(ring.boards())) as u8;
    match random.below(10) {
        0 => ring.kill(place),
        1 | 2 if !ring.is_on(place) => ring.restart(place),
        3 => ring.hang(place),
        4 => {
            // An offer without an offering board.
            ring.at(place, |site| site.ills.sees = Some(HarnessLine::TokenIn));
            ring.run_for(30_000);
            ring.at(place, |site| site.ills.sees = None);
        }
        5 => ring.at(place, |site| site.ills.hides = Some(HarnessLine::TokenIn)),
        6 => ring.at(place, |site| site.ills.hides = None),
        7 => {
            let (damaged_per_mille, unanswered_per_mille) = (random.below(150) as u16, random.below(50) as u16);
            ring.at(place, |site| site.ills = Ills { damaged_per_mille, unanswered_per_mille, ..site.ills });
        }
        _ => {
            let to = random.below(u64::from(ring.boards())) as u8;
            if to != place && ring.is_on(place) {
                ring.send(place, to);
            }
        }
    }
    ring.run_for(random.below(4_000_000));
}

/// After any schedule: all boards are on and sound, and every board can send within a bound.
fn recovers(ring: &mut Ring, bus: Bus, seed: u64) {
    let boards = ring.boards();
    for place in 0..boards {
        ring.at(place, |site| site.ills = Ills::default());
        if !ring.is_on(place) {
            ring.restart(place);
        }
    }
    let control_ns = bus.control_ns();
    let bound_ns = TIMING.fault_ns
        + 2 * TIMING.listen_ns
        + 4 * TIMING.doubled_token_ns(boards - 1, control_ns)
        + u64::from(boards) * 40 * control_ns;
    // A board that was dropped while deaf learns it when it sends.
    let waits = |ring: &Ring| (0..boards).any(|place| !ring.site(place).member || !ring.site(place).queue.is_empty());
    assert!(ring.run_while(bound_ns, waits).is_some(), "seed {seed}, {bus:?}: a board still waits: {ring:?}");
    for from in 0..boards {
        let to = (from + 1) % boards;
        assert!(ring.deliver(from, to, bound_ns).is_some(), "seed {seed}, {bus:?}: {from} cannot send: {ring:?}");
    }
    ring.run_for(20_000_000);
    assert!(ring.all_members(), "seed {seed}, {bus:?}: not all are members: {ring:?}");
    assert!(ring.holder().is_some(), "seed {seed}, {bus:?}: there is no token: {ring:?}");
    assert_eq!(ring.violations(), [], "seed {seed}, {bus:?}");
}

/// Holds: token-one.
#[test]
fn token_bus_chaos_recovers() {
    let (first, count) = seeds();
    for seed in first..first + count {
        let mut random = Random::new(seed);
        // Three of four over SPI, at each rate.
        let bus = if seed.is_multiple_of(4) { Bus::BOTH[0] } else { Bus::RATES[seed as usize % 4 - 1] };
        let boards = 2 + random.below(7) as u8;
        let mut cluster = bus.cluster(boards, Speed::PI3_1200);
        cluster.seed = seed;
        cluster.boards.iter_mut().for_each(|speed| *speed = Speed::ALL[random.below(3) as usize]);
        let mut ring = Ring::new(bus, &cluster);
        for _ in 0..DISTURBANCES {
            disturb(&mut ring, &mut random);
        }
        recovers(&mut ring, bus, seed);
    }
}
