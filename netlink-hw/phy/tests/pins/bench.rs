//! Clusters whose boards send each other frames at given times.

use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::pins::model::{Model, ModelPins, Setup, Tasks, Violation};
use renga_phy::pins::test::View;
use renga_phy::pins::{BusError, Handshake, PinBus, PullUps, Received, Timing, Width, Wiring};
use renga_wire::bus::{Answers, Poll};
use renga_wire::{Header, Kind};
use std::cell::RefCell;
use std::rc::Rc;

pub const WIRING: Wiring = Wiring { width: Width::Sixteen, handshake: Handshake::ThreeWire, pulls: PullUps::Harness };
/// The destination of frames for all.
pub const ALL: u8 = renga_wire::frame::BROADCAST;
/// All boards have measured their pins by then.
pub const BEGIN_NS: u64 = 200_000;
/// Between two looks at an idle bus.
const IDLE_NS: u64 = 1_500;

pub fn answers(board: u8) -> Answers {
    Answers { board, present: true, wants: false, epoch: Some(0), serial: u64::from(board) }
}

pub fn frame(destination: u8, source: u8, payload: &[u8]) -> Vec<u8> {
    let header = Header { kind: Kind::Data, destination, source, epoch: 0, sequence: 0 };
    let mut bytes = [0; FRAME_BYTES_MAX];
    let length = header.emit(payload, &mut bytes).unwrap();
    bytes[..length].to_vec()
}

/// Bytes without a pattern.
pub fn payload(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * i * 31 + i * 7 + 3) as u8).collect()
}

/// What a board sends when its time has come.
#[derive(Clone)]
pub enum Plan {
    Frame(Vec<u8>),
    Test,
}

/// A frame that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub board: u8,
    pub result: Result<Poll, BusError>,
    pub begin_ns: u64,
    pub end_ns: u64,
}

#[derive(Default, Debug)]
pub struct Seen {
    pub sent: Vec<Sent>,
    pub received: Vec<(u8, Vec<u8>)>,
    /// Who failed to receive, when it had begun and ended, and why.
    pub errors: Vec<(u8, u64, u64, BusError)>,
    pub views: Vec<(u8, View)>,
}

impl Seen {
    /// The payload rate of what was sent, bit/s.
    pub fn rate(&self, payload_bytes: usize) -> u64 {
        let ns: u64 = self.sent.iter().map(|sent| sent.end_ns - sent.begin_ns).sum();
        self.sent.len() as u64 * payload_bytes as u64 * 8 * 1_000_000_000 / ns
    }
}

/// Listens, and sends what is planned at or after its time; for ever.
pub fn station(
    pins: impl PinBank,
    board: u8,
    wiring: Wiring,
    timing: Timing,
    answers: Answers,
    mut plan: Vec<(u64, Plan)>,
    seen: &RefCell<Seen>,
) {
    let mut bus = PinBus::begin(pins, board, wiring, timing);
    let mut into = [0; FRAME_BYTES_MAX];
    plan.reverse();
    let mut awaits_change = false;
    loop {
        let begin_ns = bus.gpio().now_ns();
        if plan.last().is_some_and(|(at_ns, _)| *at_ns <= begin_ns) {
            let (_, what) = plan.pop().unwrap();
            let result = match what {
                Plan::Frame(frame) => bus.talk(&frame),
                Plan::Test => bus.talk_test().map(|view| {
                    seen.borrow_mut().views.push((board, view));
                    Poll(0)
                }),
            };
            let end_ns = bus.gpio().now_ns();
            seen.borrow_mut().sent.push(Sent { board, result, begin_ns, end_ns });
        }
        let levels = bus.levels();
        let begins = frame_begins(levels);
        if !begins || awaits_change {
            awaits_change &= begins;
            let next_ns = bus.gpio().now_ns() + IDLE_NS;
            bus.gpio().wait_until(next_ns);
            continue;
        }
        let received = bus.listen(&mut into, true, &answers);
        let end_ns = bus.gpio().now_ns();
        awaits_change = matches!(received, Err(BusError::NoAnswer(_)));
        let mut seen = seen.borrow_mut();
        match received {
            Ok(Received::Frame(bytes)) => seen.received.push((board, into[..bytes].to_vec())),
            Ok(Received::Test(view)) => seen.views.push((board, view)),
            Ok(Received::Nothing) => {}
            Err(error) => seen.errors.push((board, begin_ns, end_ns, error)),
        }
    }
}

pub fn frame_begins(levels: u32) -> bool {
    PinBus::<ModelPins<'_>>::frame_begins(levels)
}

/// Runs `plans` (board, time, what) until `until_ns`.
pub fn run(setup: &Setup, wiring: Wiring, plans: &[(u8, u64, Plan)], until_ns: u64) -> (Seen, Vec<Violation>) {
    let model = Model::new(setup);
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
    move |pins| station(pins, board, wiring, Timing::for_width(wiring.width), answers(board), own, &seen)
}

/// Runs frames from board 0 until all are sent.
pub fn send(setup: &Setup, wiring: Wiring, frames: &[Vec<u8>]) -> (Seen, Vec<Violation>) {
    let plans: Vec<_> = frames.iter().map(|frame| (0, BEGIN_NS, Plan::Frame(frame.clone()))).collect();
    let model = Model::new(setup);
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
    // Who listens may be behind by a little.
    tasks.run_until(until_ns + 20_000);
    drop(tasks);
    (seen.take(), model.violations())
}
