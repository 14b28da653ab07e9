//! Boards on the model of pins: one sends frames, the others listen; or all pass the token.
//!
//! Not here: what is printed.

use super::{Case, Pull};
use anyhow::{Result, bail};
use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::Phy;
use renga_phy::pins::model::{Model, ModelPins, ONE_PERCENT_NS, PULL_OHMS, Setup, Tasks, WEAKEST_PULL_OHMS};
use renga_phy::pins::{BusError, PinBus, PinPhy, PullUps, Timing, Width, Wiring};
use renga_router::TokenLink;
use renga_wire::bus::{Answers, Poll};
use renga_wire::frame::BROADCAST;
use renga_wire::{Header, Kind};
use std::cell::RefCell;
use std::rc::Rc;

/// Time at which all boards have measured their pins, ns.
pub(super) const BEGIN_NS: u64 = 200_000;
/// Between two looks at an idle bus, ns.
pub(super) const IDLE_NS: u64 = 500;
/// Between two looks at the clock of what runs, ns.
pub(super) const STEP_NS: u64 = 100_000;
/// Longest measurement, ns of virtual time.
pub(super) const LIMIT_NS: u64 = 5_000_000_000;

/// How long frames took, ns.
pub struct Times {
    /// Each of them, from the call of the driver to the end of the poll word.
    pub frames_ns: Vec<u64>,
}

impl Times {
    /// Payload bits a second.
    pub fn rate(&self, payload_bytes: usize) -> f64 {
        let ns: u64 = self.frames_ns.iter().sum();
        (self.frames_ns.len() * payload_bytes * 8) as f64 * 1e9 / ns as f64
    }
}

/// How a frame ended, and after how many ns.
type Sent = (Result<Poll, BusError>, u64);

pub(super) fn frame(destination: u8, source: u8, payload_bytes: usize) -> Vec<u8> {
    let payload: Vec<u8> = (0..payload_bytes).map(|i| (i * i * 31 + i * 7 + 3) as u8).collect();
    let header = Header { kind: Kind::Data, destination, source, epoch: 0, sequence: 0 };
    let mut bytes = [0; FRAME_BYTES_MAX];
    let length = header.emit(&payload, &mut bytes).expect("a frame has room for its payload");
    bytes[..length].to_vec()
}

fn model(case: &Case) -> (Model, Wiring) {
    let setup = Setup {
        width: case.width,
        handshake: case.handshake,
        terminator_ohms: case.pull.ohms(),
        pull_ohms: if case.pull == Pull::Weakest { WEAKEST_PULL_OHMS } else { PULL_OHMS },
        stall_every_ns: case.stalls.then_some(ONE_PERCENT_NS),
        seed: case.seed,
        ..Setup::of(case.listeners + 1, case.speed)
    };
    let pulls = if case.pull.ohms().is_some() { PullUps::Harness } else { PullUps::Internal };
    (Model::new(&setup), Wiring { width: case.width, handshake: case.handshake, pulls })
}

/// Sends `count` frames from board 0 to all others.
///
/// # Errors
/// If one does not arrive everywhere, or the driver breaks a rule of the bus.
pub fn frames(case: &Case, payload_bytes: usize, count: usize) -> Result<Times> {
    let (model, wiring) = model(case);
    let results: Rc<RefCell<Vec<Sent>>> = Rc::default();
    let frame = frame(BROADCAST, 0, payload_bytes);
    let mut tasks = Tasks::new(&model);
    for board in 1..=case.listeners {
        tasks.begin(board, move |pins| listener(pins, board, wiring));
    }
    let (clock, seen) = (model.clone(), results.clone());
    tasks.begin(0, move |pins| {
        let mut bus = PinBus::begin(pins, 0, wiring, Timing::for_width(wiring.width));
        bus.gpio().wait_until(BEGIN_NS);
        for _ in 0..count {
            let begin_ns = clock.now_ns(0);
            let sent = bus.talk(&frame);
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
    Ok(Times { frames_ns: results.iter().map(|(_, ns)| *ns).collect() })
}

fn listener(pins: ModelPins<'_>, board: u8, wiring: Wiring) {
    let mut bus = PinBus::begin(pins, board, wiring, Timing::for_width(wiring.width));
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

/// What boards that pass the token reached.
#[derive(Default)]
pub struct Passing {
    /// Frames that arrived, by receiver.
    pub received: Vec<u64>,
    /// While all were sending, ns.
    pub span_ns: u64,
    /// Frames sent again because nobody took them.
    pub again: u64,
    /// Tokens that were made anew after the beginning.
    pub regenerated: u64,
}

/// Lets all boards send frames to the next one for `span_ns`, once they have found each other.
///
/// # Errors
/// If the driver breaks a rule of the bus, or a board never takes part.
pub fn passing(case: &Case, payload_bytes: usize, span_ns: u64) -> Result<Passing> {
    let (model, wiring) = model(case);
    let boards = case.listeners + 1;
    let timing = renga_mac::Timing::PI3.slowed(u64::from(Width::Sixteen.wires() / wiring.width.wires()));
    // All have claimed, joined and asked each other by then.
    let from_ns = 4 * timing.listen_ns;
    let seen = Rc::new(RefCell::new(Passing { received: vec![0; usize::from(boards)], ..Passing::default() }));
    let members = Rc::new(RefCell::new(vec![false; usize::from(boards)]));
    let mut tasks = Tasks::new(&model);
    for board in 0..boards {
        let (seen, members) = (seen.clone(), members.clone());
        tasks.begin(board, move |pins| {
            let bus = PinBus::begin(pins, board, wiring, Timing::for_width(wiring.width));
            let setup = renga_mac::Setup { board, serial: u64::from(board), timing };
            let mut link = TokenLink::new(setup, PinPhy::new(bus, IDLE_NS));
            let next = (board + 1) % boards;
            let (frame, mut into) = (frame(next, board, payload_bytes), [0; FRAME_BYTES_MAX]);
            let mut before = None;
            loop {
                let now_ns = link.phy().bus().gpio().now_ns();
                link.attend(now_ns);
                let counts = (from_ns..from_ns + span_ns).contains(&now_ns);
                while link.receive(&mut into).is_some() {
                    seen.borrow_mut().received[usize::from(board)] += u64::from(counts);
                }
                if now_ns >= from_ns {
                    while link.send(next, &frame).is_ok() {}
                    let count = link.count();
                    let base = *before.get_or_insert(count);
                    if now_ns >= from_ns + span_ns {
                        let mut seen = seen.borrow_mut();
                        seen.again += count.again - base.again;
                        seen.regenerated += count.regenerated - base.regenerated;
                        return;
                    }
                }
                members.borrow_mut()[usize::from(board)] = link.mac().is_member();
            }
        });
    }
    tasks.run_until(from_ns + span_ns + STEP_NS);
    drop(tasks);
    if let Some(violation) = model.violations().first() {
        bail!("{case}, passing the token: {violation}");
    }
    if let Some(board) = members.borrow().iter().position(|member| !member) {
        bail!("{case}: board {board} does not take part");
    }
    Ok(Passing { span_ns, ..seen.take() })
}
