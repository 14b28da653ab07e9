//! Boards on the model of pins: one sends frames, the others listen.
//!
//! Not here: what is printed.

use super::{BusPull, Case};
use anyhow::{Result, bail};
use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::pins::model::{
    HarnessModel, ModelPins, ModelSetup, ONE_PERCENT_NS, PULL_OHMS, Tasks, WEAKEST_PULL_OHMS,
};
use renga_phy::pins::{BusError, PinBus, PinTiming, PullUps, Wiring};
use renga_phy::token::Arming;
use renga_wire::bus::{Answers, Poll};
use renga_wire::frame::BROADCAST;
use renga_wire::{FrameKind, Header};
use std::cell::RefCell;
use std::rc::Rc;

/// Time at which all boards have measured their pins, ns.
pub(super) const BEGIN_NS: u64 = 200_000;
/// Between two samples of an idle bus, ns.
pub(super) const IDLE_NS: u64 = 500;
/// Between two samples of the clock of a run, ns.
pub(super) const STEP_NS: u64 = 100_000;
/// Longest measurement, ns of virtual time.
pub(super) const LIMIT_NS: u64 = 5_000_000_000;

/// How long frames took, ns.
pub struct FrameTimes {
    /// Each of them, from the call of the driver to the end of the poll word.
    pub frames_ns: Vec<u64>,
}

impl FrameTimes {
    /// Payload bits a second.
    pub fn rate(&self, payload_bytes: usize) -> f64 {
        let ns: u64 = self.frames_ns.iter().sum();
        (self.frames_ns.len() * payload_bytes * 8) as f64 * 1e9 / ns as f64
    }
}

/// How a frame ended, and after how many ns.
type SentFrame = (Result<Poll, BusError>, u64);

pub(super) fn frame(destination: u8, source: u8, payload_bytes: usize) -> Vec<u8> {
    let payload: Vec<u8> = (0..payload_bytes).map(|i| (i * i * 31 + i * 7 + 3) as u8).collect();
    let header = Header { kind: FrameKind::Data, destination, source, epoch: 0, sequence: 0 };
    let mut bytes = [0; FRAME_BYTES_MAX];
    let length = header.emit(&payload, &mut bytes).expect("a frame has room for its payload");
    bytes[..length].to_vec()
}

pub(super) fn model(case: &Case) -> (HarnessModel, Wiring) {
    let setup = ModelSetup {
        width: case.width,
        handshake: case.handshake,
        terminator_ohms: case.pull.ohms(),
        pull_ohms: if case.pull == BusPull::Weakest { WEAKEST_PULL_OHMS } else { PULL_OHMS },
        stall_every_ns: case.stalls.then_some(ONE_PERCENT_NS),
        seed: case.seed,
        ..ModelSetup::of(case.listeners + 1, case.speed)
    };
    let pulls = if case.pull.ohms().is_some() { PullUps::Harness } else { PullUps::Internal };
    (HarnessModel::new(&setup), Wiring { width: case.width, handshake: case.handshake, pulls })
}

/// Sends `count` frames from board 0 to all others.
///
/// # Errors
/// If one does not arrive everywhere, or the driver breaks a rule of the bus.
pub fn frames(case: &Case, payload_bytes: usize, count: usize) -> Result<FrameTimes> {
    let (model, wiring) = model(case);
    let results: Rc<RefCell<Vec<SentFrame>>> = Rc::default();
    let frame = frame(BROADCAST, 0, payload_bytes);
    let mut tasks = Tasks::new(&model);
    for board in 1..=case.listeners {
        tasks.begin(board, move |pins| listener(pins, board, wiring));
    }
    let (clock, seen) = (model.clone(), results.clone());
    tasks.begin(0, move |pins| {
        let mut bus = PinBus::begin(pins, 0, wiring, PinTiming::for_width(wiring.width));
        bus.gpio().wait_until(BEGIN_NS);
        for _ in 0..count {
            let begin_ns = clock.now_ns(0);
            let sent = bus.talk(&frame, Arming::Timed);
            seen.borrow_mut().push((sent, clock.now_ns(0) - begin_ns));
        }
    });
    let mut until_ns = BEGIN_NS;
    while !tasks.is_done(0) && until_ns < LIMIT_NS {
        until_ns += STEP_NS;
        tasks.run_until(until_ns);
    }
    drop(tasks);
    if let Some(violation) = model.violations().first() {
        bail!("{case}: {violation}");
    }
    let all = ((1u32 << (case.listeners + 1)) - 2) as u8;
    let results = results.take();
    if let Some((result, _)) = results.iter().find(|(sent, _)| !sent.is_ok_and(|poll| poll.takers() == all)) {
        bail!("{case}: a frame did not arrive everywhere: {result:?}");
    }
    Ok(FrameTimes { frames_ns: results.iter().map(|(_, ns)| *ns).collect() })
}

fn listener(pins: ModelPins<'_>, board: u8, wiring: Wiring) {
    let mut bus = PinBus::begin(pins, board, wiring, PinTiming::for_width(wiring.width));
    let answers = Answers { board, present: true, ..Answers::default() };
    let mut into = [0; FRAME_BYTES_MAX];
    loop {
        let levels = bus.levels();
        if PinBus::<ModelPins<'_>>::frame_begins(levels) {
            // What was not received is missed in the poll word.
            let _ = bus.listen(&mut into, true, &answers);
        } else {
            let next_ns = bus.gpio().now_ns() + IDLE_NS;
            bus.gpio().wait_until(next_ns);
        }
    }
}
