//! Boards that are reset, hang, lose power or come back, whatever they and the others do at that moment.

use crate::bus::Bus;
use crate::ring::{Ring, TIMING};
use renga_mac::FAULT_ALARMS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    /// Its pins become inputs.
    Reset,
    /// Its pins stay as they are, until a reset.
    Hang,
}

/// The others have found out, and have sent what they had, so long after a board has let go of the lines.
fn bound_ns(bus: Bus, boards: u8) -> u64 {
    let control_ns = bus.control_ns();
    let found_ns = TIMING.lost_token_ns(boards - 1, control_ns) + TIMING.dead_neighbour_ns(control_ns);
    found_ns + TIMING.doubled_token_ns(boards - 1, control_ns) + u64::from(boards) * 8 * control_ns
}

/// Holds: token-members.
#[test]
fn token_dead_board_is_dropped_and_returns() {
    for bus in Bus::BOTH {
        for boards in 3..=8_u8 {
            for dead in [0, boards / 2, boards - 1] {
                let mut ring = Ring::up(bus, boards);
                let (from, to) = ((dead + 1) % boards, (dead + 2) % boards);
                ring.kill(dead);
                let bound_ns =
                    TIMING.lost_token_ns(from, bus.control_ns()) + TIMING.dead_neighbour_ns(bus.control_ns());
                let took_ns = ring.deliver(from, to, 2 * bound_ns);
                assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns), "{bus:?}: {took_ns:?}: {ring:?}");
                // A board that sends to it finds out.
                ring.send(to, dead);
                ring.run_for(bound_ns);
                assert!(ring.all_members(), "{bus:?}, {dead} of {boards}: {ring:?}");
                ring.restart(dead);
                let back_ns = TIMING.listen_ns + TIMING.lost_token_ns(dead, bus.control_ns()) + 20 * bus.control_ns();
                let took_ns = ring.run_while(2 * back_ns, |ring| !ring.all_members());
                assert!(took_ns.is_some_and(|took_ns| took_ns <= back_ns), "{bus:?}: {took_ns:?}: {ring:?}");
                assert!(ring.deliver(to, dead, bound_ns).is_some(), "{bus:?}, {dead} of {boards}: {ring:?}");
                assert_eq!(ring.violations(), [], "{bus:?}, {dead} of {boards}");
            }
        }
    }
}

/// A board dies at `after_ns` of a busy bus of four; the others send what they have, and it comes back.
fn survives(bus: Bus, victim: u8, death: Death, after_ns: u64) {
    const BOARDS: u8 = 4;
    let mut ring = Ring::up(bus, BOARDS);
    (ring.bytes, _) = (24, (0..12).for_each(|_| ring.send_around()));
    ring.run_for(after_ns);
    let what = |ring: &Ring| format!("{bus:?}, board {victim}, {death:?} after {after_ns} ns: {ring:?}");
    if death == Death::Hang {
        ring.hang(victim);
        // The image's watchdog takes longer.
        ring.run_for(4_000_000);
    }
    ring.kill(victim);
    let bound_ns = bound_ns(bus, BOARDS);
    let waits = |ring: &Ring| (0..BOARDS).any(|place| place != victim && !ring.site(place).queue.is_empty());
    assert!(ring.run_while(bound_ns + 30 * BOARDS as u64 * bus.control_ns(), waits).is_some(), "{}", what(&ring));
    ring.restart(victim);
    let back_ns = TIMING.listen_ns + bound_ns;
    assert!(ring.run_while(back_ns, |ring| !ring.all_members()).is_some(), "{}", what(&ring));
    for place in 0..BOARDS {
        let next = (place + 1) % BOARDS;
        assert!(ring.deliver(place, next, bound_ns).is_some(), "{place} to {next}: {}", what(&ring));
    }
    assert_eq!(ring.violations(), [], "{}", what(&ring));
}

/// Over one rotation of the token and more.
fn at_every_step(bus: Bus, death: Death, step_ns: u64) {
    for (step, after_ns) in (0..4 * 2 * bus.control_ns()).step_by(step_ns as usize).enumerate() {
        survives(bus, step as u8 % 4, death, after_ns);
    }
}

#[test]
fn token_spi_board_resets_recover() {
    at_every_step(Bus::SPI, Death::Reset, 61_007);
}

#[test]
fn token_spi_board_hangs_recover() {
    at_every_step(Bus::SPI, Death::Hang, 83_009);
}

#[test]
fn token_pins_board_resets_recover() {
    at_every_step(Bus::BOTH[0], Death::Reset, 37_003);
}

#[test]
fn token_pins_board_hangs_recover() {
    at_every_step(Bus::BOTH[0], Death::Hang, 53_003);
}

/// A board that hangs with lines pulled is reported, and its reset is enough.
#[test]
fn token_hung_holder_is_reported() {
    for bus in Bus::BOTH {
        let mut ring = Ring::up(bus, 3);
        (0..8).for_each(|_| _ = ring.send(0, 1));
        let holds = |ring: &Ring| ring.site(0).bus.sent;
        let before = holds(&ring);
        assert!(ring.run_while(40 * bus.control_ns(), |ring| holds(ring) < before + 2).is_some(), "{ring:?}");
        ring.hang(0);
        ring.send(1, 2);
        let bound_ns = u64::from(FAULT_ALARMS + 2) * (TIMING.claim_after_ns(1) + TIMING.burst_ns + TIMING.guard_ns);
        let took_ns = ring.run_while(2 * bound_ns, |ring| ring.site(1).count.stuck == 0);
        println!("{bus:?}: {took_ns:?} of {bound_ns} ns");
        assert!(took_ns.is_some_and(|took_ns| took_ns <= bound_ns), "{bus:?}: {took_ns:?}: {ring:?}");
        ring.restart(0);
        let back_ns = TIMING.fault_ns + 2 * TIMING.listen_ns + bound_ns_of(bus);
        assert!(ring.run_while(back_ns, |ring| !ring.all_members()).is_some(), "{bus:?}: {ring:?}");
        assert!(ring.deliver(2, 1, back_ns).is_some(), "{bus:?}: {ring:?}");
    }
}

fn bound_ns_of(bus: Bus) -> u64 {
    bound_ns(bus, 3)
}

/// A board without power clamps all lines through its diodes: no board can talk until its power returns.
#[test]
fn token_unpowered_board_stops_bus_until_power_returns() {
    for bus in Bus::BOTH {
        let mut ring = Ring::up(bus, 4);
        (0..40).for_each(|_| ring.send_around());
        ring.run_for(5 * bus.control_ns());
        ring.unpower(3);
        ring.run_for(2_000_000);
        let arrived = |ring: &Ring| (0..3).map(|place| ring.site(place).received.len()).sum::<usize>();
        let before = arrived(&ring);
        ring.run_for(40_000_000);
        assert_eq!(arrived(&ring), before, "{bus:?}: nothing gets through: {ring:?}");
        ring.restart(3);
        let bound_ns = 2 * TIMING.fault_ns + bound_ns(bus, 4);
        assert!(ring.run_while(bound_ns, |ring| !ring.all_members()).is_some(), "{bus:?}: {ring:?}");
        assert!(ring.deliver(0, 3, 200 * bus.control_ns() + bound_ns).is_some(), "{bus:?}: {ring:?}");
    }
}
