//! Boards that are reset, hang or lose power at every step of a frame over SPI: the others continue.

use crate::bench::{ALL, BEGIN_NS, Plan, RATES, Seen, frame, payload, plain, quick, setup};
use renga_phy::pins::model::{HarnessModel, Speed, Tasks};
use renga_wire::bus::Poll;
use std::cell::RefCell;
use std::rc::Rc;

const BOARDS: u8 = 4;
const RATE_HZ: u32 = RATES[2];
/// The second frame, by another board than the first, and the third, when the dead board is back.
const SECOND_NS: u64 = BEGIN_NS + 1_000_000;
const THIRD_NS: u64 = SECOND_NS + 500_000;
const END_NS: u64 = THIRD_NS + 400_000;
/// Between two deaths that are tried, ns.
const STEP_NS: u64 = 211;
/// A short frame is over by then.
const LAST_DEATH_NS: u64 = BEGIN_NS + 140_000;
/// When a person resets a hung board: the image's watchdog takes longer.
const RESET_NS: u64 = 400_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    /// Its pins become inputs.
    Reset,
    /// Its pins stay as they are, and its master runs out, until a reset.
    Hang,
}

/// A waiting board gives up after this, whichever board failed: one wait of a listener, and what follows from it.
fn kept_ns() -> u64 {
    let timing = quick(RATE_HZ);
    timing.strobe_ns + timing.answer_ns + timing.arm_ns + timing.abandon_ns
}

fn plans() -> Vec<(u8, u64, Plan)> {
    let by = |board: u8| Plan::Frame(frame(ALL, board, &payload(16)));
    vec![(0, BEGIN_NS, by(0)), (1, SECOND_NS, by(1)), (2, THIRD_NS, by(2))]
}

/// Kills `victim` at `at_ns` and checks the others.
fn survives(victim: u8, death: Death, at_ns: u64) {
    let model =
        HarnessModel::new(&renga_phy::pins::model::ModelSetup { seed: at_ns, ..setup(BOARDS, Speed::PI3_1200) });
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..BOARDS {
        tasks.begin(board, plain(&model, board, RATE_HZ, &plans(), &seen));
    }
    tasks.run_until(at_ns);
    let reset_ns = at_ns + if death == Death::Hang { RESET_NS } else { 0 };
    if death == Death::Hang {
        tasks.hang(victim);
        tasks.run_until(reset_ns);
    }
    tasks.reset(victim, reset_ns);
    tasks.run_until(SECOND_NS + 200_000);
    tasks.begin(victim, plain(&model, victim, RATE_HZ, &[], &seen));
    tasks.run_until(END_NS);
    let what = || format!("board {victim}, {death:?} at {at_ns} ns: {:?}", seen.borrow());
    let seen_now = seen.borrow();
    for sent in seen_now.sent.iter().filter(|sent| sent.begin_ns < SECOND_NS) {
        assert!(sent.end_ns < at_ns + kept_ns(), "the talker was kept: {}", what());
    }
    for (_, begin_ns, end_ns, _) in &seen_now.errors {
        assert!(*end_ns < at_ns.max(*begin_ns) + kept_ns(), "a listener was kept: {}", what());
    }
    let sent = frame(ALL, 0, &payload(16));
    assert!(seen_now.received.iter().all(|(_, bytes)| bytes[8..] == sent[8..]), "{}", what());
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
    for at_ns in (BEGIN_NS..LAST_DEATH_NS).step_by(STEP_NS as usize) {
        survives(victim, death, at_ns);
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
    let model = HarnessModel::new(&setup(BOARDS, Speed::PI3_1200));
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..BOARDS {
        tasks.begin(board, plain(&model, board, RATE_HZ, &plans(), &seen));
    }
    tasks.run_until(BEGIN_NS + 45_000);
    tasks.unpower(3, BEGIN_NS + 45_000);
    tasks.run_until(END_NS);
    let seen = seen.borrow();
    assert_eq!(seen.sent.len(), 3, "{seen:?}");
    assert!(seen.sent.iter().all(|sent| sent.result.is_err() && sent.end_ns - sent.begin_ns < kept_ns()), "{seen:?}");
}
