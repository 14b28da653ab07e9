//! Clusters whose boards send each other frames at given times.

use crate::station::stand;
pub use crate::station::{ALL, BEGIN_NS, Plan, Seen, answers, frame, payload};
use renga_hal::gpio::PinBank;
use renga_phy::pins::model::{HarnessModel, ModelPins, ModelSetup, Tasks, Violation};
use renga_phy::pins::{Handshake, PinBus, PinTiming, PullUps, Width, Wiring};
use renga_wire::bus::Answers;
use std::cell::RefCell;
use std::rc::Rc;

pub const WIRING: Wiring = Wiring { width: Width::Sixteen, handshake: Handshake::ThreeWire, pulls: PullUps::Harness };
/// A board that listens, and sends what is planned; for ever.
pub fn station(
    pins: impl PinBank,
    board: u8,
    wiring: Wiring,
    timing: PinTiming,
    answers: Answers,
    plan: Vec<(u64, Plan)>,
    seen: &RefCell<Seen>,
) {
    stand(PinBus::begin(pins, board, wiring, timing), PinBus::talk_test, answers, plan, seen);
}

/// Runs `plans` (board, time, what) until `until_ns`.
pub fn run(setup: &ModelSetup, wiring: Wiring, plans: &[(u8, u64, Plan)], until_ns: u64) -> (Seen, Vec<Violation>) {
    let model = HarnessModel::new(setup);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..setup.boards.len() as u8 {
        tasks.begin(board, plain(board, wiring, plans, &seen));
    }
    tasks.run_until(until_ns);
    drop(tasks);
    (seen.take(), model.violations())
}

/// A station with the usual answers and times.
pub fn plain(
    board: u8,
    wiring: Wiring,
    plans: &[(u8, u64, Plan)],
    seen: &Rc<RefCell<Seen>>,
) -> impl FnOnce(ModelPins<'_>) + use<> {
    let own: Vec<_> =
        plans.iter().filter(|(by, ..)| *by == board).map(|(_, at_ns, what)| (*at_ns, what.clone())).collect();
    let seen = seen.clone();
    move |pins| station(pins, board, wiring, PinTiming::for_width(wiring.width), answers(board), own, &seen)
}

/// Runs frames from board 0 until all are sent.
pub fn send(setup: &ModelSetup, wiring: Wiring, frames: &[Vec<u8>]) -> (Seen, Vec<Violation>) {
    let plans: Vec<_> = frames.iter().map(|frame| (0, BEGIN_NS, Plan::Frame(frame.clone()))).collect();
    let model = HarnessModel::new(setup);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..setup.boards.len() as u8 {
        tasks.begin(board, plain(board, wiring, &plans, &seen));
    }
    let mut until_ns = BEGIN_NS;
    while seen.borrow().sent.len() < frames.len() {
        until_ns += 200_000;
        assert!(until_ns < 2_000_000_000, "the talker never ends: {:?}", seen.borrow());
        tasks.run_until(until_ns);
    }
    // A listener may be behind by a little.
    tasks.run_until(until_ns + 20_000);
    drop(tasks);
    (seen.take(), model.violations())
}
