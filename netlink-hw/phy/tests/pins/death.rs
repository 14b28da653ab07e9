//! Boards that are reset, hang or lose power at every step of a transfer: the others continue.

use crate::bench::{ALL, BEGIN_NS, Plan, Seen, WIRING, frame, payload, plain};
use renga_phy::pins::model::{HarnessModel, ModelSetup, Speed, Tasks};
use renga_phy::pins::{Handshake, PinTiming, Width, Wiring};
use renga_wire::bus::Poll;
use std::cell::RefCell;
use std::rc::Rc;

const BOARDS: u8 = 4;
/// The second frame, by another board than the first.
const SECOND_NS: u64 = BEGIN_NS + 400_000;
/// The third, when the dead board is back.
const THIRD_NS: u64 = SECOND_NS + 200_000;
const END_NS: u64 = THIRD_NS + 60_000;
/// Between two deaths that are tried, ns: less than an access.
const STEP_NS: u64 = 67;
/// A short frame with its arming is over by then.
const LAST_DEATH_NS: u64 = BEGIN_NS + 32_000;
/// A talker that waits for one answer, and a listener for one strobe; nothing chains them, because the first that gives
/// up notifies the others.
const KEPT_NS: u64 = {
    let timing = PinTiming::for_width(Width::Sixteen);
    timing.strobe_ns + timing.arm_ns + timing.abandon_ns
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    /// Its pins become inputs.
    Reset,
    /// Its pins stay as they are, until a reset.
    Hang,
}

/// When a person resets a hung board: the image starts no watchdog.
const RESET_NS: u64 = 250_000;

fn plans() -> Vec<(u8, u64, Plan)> {
    let by = |board: u8| Plan::Frame(frame(ALL, board, &payload(16)));
    vec![(0, BEGIN_NS, by(0)), (1, SECOND_NS, by(1)), (2, THIRD_NS, by(2))]
}

/// Kills `victim` at `at_ns` and checks the others.
fn survives(victim: u8, death: Death, at_ns: u64, handshake: Handshake) {
    let wiring = Wiring { handshake, ..WIRING };
    let model = HarnessModel::new(&ModelSetup { handshake, seed: at_ns, ..ModelSetup::of(BOARDS, Speed::PI3_1200) });
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..BOARDS {
        tasks.begin(board, plain(board, wiring, &plans(), &seen));
    }
    tasks.run_until(at_ns);
    if death == Death::Hang {
        tasks.hang(victim);
        tasks.run_until(at_ns + RESET_NS);
        tasks.reset(victim, at_ns + RESET_NS);
    } else {
        tasks.reset(victim, at_ns);
    }
    tasks.run_until(SECOND_NS + 60_000);
    tasks.begin(victim, plain(victim, wiring, &[], &seen));
    tasks.run_until(END_NS);
    let what = || format!("board {victim}, {death:?} at {at_ns} ns, {handshake:?}: {:?}", seen.borrow());
    let seen_now = seen.borrow();
    for sent in seen_now.sent.iter().filter(|sent| sent.begin_ns < SECOND_NS) {
        assert!(sent.end_ns < at_ns + KEPT_NS, "the talker was kept: {}", what());
    }
    for (_, begin_ns, end_ns, _) in &seen_now.errors {
        assert!(*end_ns < at_ns.max(*begin_ns) + KEPT_NS, "a listener was kept: {}", what());
    }
    let all_but = |talker: u8, dead: Option<u8>| {
        let dead = dead.map_or(0, |dead| 1 << dead);
        Ok(Poll((0xf & !(1 << talker) & !dead) as u16))
    };
    let result = |talker: u8| seen_now.sent.iter().rfind(|sent| sent.board == talker).map(|sent| sent.result);
    // Without the dead board, and with it again.
    if victim != 1 {
        assert_eq!(result(1), Some(all_but(1, Some(victim))), "the second frame: {}", what());
    }
    if victim != 2 {
        assert_eq!(result(2), Some(all_but(2, None)), "the third frame: {}", what());
    }
    assert_eq!(model.violations(), [], "{}", what());
}

fn at_every_step(victim: u8, death: Death) {
    for handshake in [Handshake::ThreeWire, Handshake::TwoEdge] {
        for at_ns in (BEGIN_NS..LAST_DEATH_NS).step_by(STEP_NS as usize) {
            survives(victim, death, at_ns, handshake);
        }
    }
}

/// Holds: pins-hang.
#[test]
fn reset_of_talker_recovers() {
    at_every_step(0, Death::Reset);
}

/// Holds: pins-hang.
#[test]
fn reset_of_listener_recovers() {
    at_every_step(3, Death::Reset);
}

/// Holds: pins-hang.
#[test]
fn hang_of_talker_is_detected() {
    at_every_step(0, Death::Hang);
}

/// Holds: pins-hang.
#[test]
fn hang_of_listener_is_detected() {
    at_every_step(3, Death::Hang);
}

/// A board without power clamps the lines through its diodes: errors, in bounded time, until the ribbon
/// is unplugged or the power is back.
#[test]
fn power_loss_of_board_is_detected() {
    let model = HarnessModel::new(&ModelSetup::of(BOARDS, Speed::PI3_1200));
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..BOARDS {
        tasks.begin(board, plain(board, WIRING, &plans(), &seen));
    }
    tasks.run_until(BEGIN_NS + 15_000);
    tasks.unpower(3, BEGIN_NS + 15_000);
    tasks.run_until(END_NS);
    let seen = seen.borrow();
    assert_eq!(seen.sent.len(), 3, "{seen:?}");
    // A poll may find the clamped lines as they should be as long as it samples; then it has found no board.
    for sent in &seen.sent {
        let failed = sent.result.is_err() || sent.result == Ok(Poll(0));
        assert!(failed && sent.end_ns - sent.begin_ns < KEPT_NS, "{seen:?}");
    }
}
