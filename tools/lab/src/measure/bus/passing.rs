//! Boards that pass the token, on the pins or over SPI: each always has frames for the next one.
//!
//! Not here: what is printed; frames without a token (`cluster`, `serial`).

use super::Case;
use super::cluster::{IDLE_NS, STEP_NS, frame, model};
use anyhow::{Result, bail};
use renga_hal::gpio::PinBank;
use renga_phy::bus_phy::{BusPhy, TokenBus};
use renga_phy::pins::model::{HarnessModel, ModelPins, Tasks};
use renga_phy::pins::{PinBus, PinTiming, Width};
use renga_phy::{FRAME_BYTES_MAX, Phy};
use renga_router::TokenLink;
use std::cell::RefCell;
use std::fmt::Display;
use std::rc::Rc;

/// What boards that pass the token reached.
#[derive(Default)]
pub struct Passing {
    /// Frames that arrived, by receiver.
    pub received: Vec<u64>,
    /// While all were sending, ns.
    pub span_ns: u64,
    /// Retransmissions of frames that no board took.
    pub again: u64,
    /// Tokens that were regenerated after the beginning.
    pub regenerated: u64,
    /// Who takes part.
    members: Vec<bool>,
}

impl Passing {
    /// Payload bits a second of all together; a frame at either end is in it or not.
    pub fn rate(&self, payload_bytes: usize) -> f64 {
        let frames: u64 = self.received.iter().sum();
        frames as f64 * payload_bytes as f64 * 8e9 / self.span_ns as f64
    }

    /// Columns of a row.
    pub(super) fn columns(&self, payload_bytes: usize) -> String {
        let frames: u64 = self.received.iter().sum();
        let (least, most) = (self.received.iter().min(), self.received.iter().max());
        let each = format!("{}/{}", least.unwrap_or(&0), most.unwrap_or(&0));
        let mbps = self.rate(payload_bytes) / 1e6;
        format!("{frames:>8} {mbps:>8.2} {each:>16} {:>6} {:>11}", self.again, self.regenerated)
    }
}

/// The heads of [`Passing::columns`].
pub(super) fn heads() -> String {
    format!("{:>8} {:>8} {:>16} {:>6} {:>11}", "frames", "Mbit/s", "least/most each", "again", "regenerated")
}

/// What they are to do.
#[derive(Clone, Copy)]
pub(super) struct PassingTask {
    pub boards: u8,
    /// The token's.
    pub timing: renga_mac::TokenTiming,
    pub payload_bytes: usize,
    /// How long all send, once they have found each other, ns.
    pub span_ns: u64,
}

impl PassingTask {
    /// All have claimed, joined and asked each other by then.
    const fn begin_ns(&self) -> u64 {
        4 * self.timing.listen_ns
    }
}

/// What one board does.
pub(super) fn pass<B: TokenBus>(bus: B, task: &PassingTask, seen: &RefCell<Passing>) {
    let (board, from_ns, until_ns) = (bus.board(), task.begin_ns(), task.begin_ns() + task.span_ns);
    let setup = renga_mac::MacSetup { board, serial: u64::from(board), timing: task.timing };
    let mut link = TokenLink::new(setup, BusPhy::new(bus, IDLE_NS));
    let next = (board + 1) % task.boards;
    let (frame, mut into) = (frame(next, board, task.payload_bytes), [0; FRAME_BYTES_MAX]);
    let mut before = None;
    loop {
        let now_ns = link.phy().bus().gpio().now_ns();
        link.attend(now_ns);
        let mut seen = seen.borrow_mut();
        let counts = (from_ns..until_ns).contains(&now_ns);
        while link.receive(&mut into).is_some() {
            seen.received[usize::from(board)] += u64::from(counts);
        }
        if now_ns >= from_ns {
            while link.send(next, &frame).is_ok() {}
            let count = link.count();
            let base = *before.get_or_insert(count);
            if now_ns >= until_ns {
                seen.again += count.again - base.again;
                seen.regenerated += count.regenerated - base.regenerated;
                return;
            }
        }
        seen.members[usize::from(board)] = link.mac().is_member();
    }
}

/// Lets all boards of `model` send to the next one; `begin` begins a board, which [`pass`]es.
///
/// # Errors
/// If the driver breaks a rule of the bus, or a board never takes part.
pub(super) fn run(
    model: &HarnessModel,
    task: &PassingTask,
    what: &dyn Display,
    begin: impl Fn(&mut Tasks, u8, Rc<RefCell<Passing>>),
) -> Result<Passing> {
    let boards = usize::from(task.boards);
    let start = Passing { received: vec![0; boards], members: vec![false; boards], ..Passing::default() };
    let seen = Rc::new(RefCell::new(start));
    let mut tasks = Tasks::new(model);
    (0..task.boards).for_each(|board| begin(&mut tasks, board, seen.clone()));
    // Who is in a frame comes back when it has ended.
    let mut until_ns = task.begin_ns() + task.span_ns;
    for _ in 0..task.timing.hold_ns.div_ceil(STEP_NS) {
        until_ns += STEP_NS;
        tasks.run_until(until_ns);
    }
    drop(tasks);
    if let Some(violation) = model.violations().first() {
        bail!("{what}, passing the token: {violation}");
    }
    let passing = seen.take();
    if let Some(board) = passing.members.iter().position(|member| !member) {
        bail!("{what}: board {board} does not take part");
    }
    Ok(Passing { span_ns: task.span_ns, ..passing })
}

/// All boards of a case send frames to the next one over the pins for `span_ns`.
///
/// # Errors
/// As [`run`].
pub fn passing(case: &Case, payload_bytes: usize, span_ns: u64) -> Result<Passing> {
    let (model, wiring) = model(case);
    let timing = renga_mac::TokenTiming::PI3.slowed(u64::from(Width::Sixteen.wires() / wiring.width.wires()));
    let task = PassingTask { boards: case.listeners + 1, timing, payload_bytes, span_ns };
    run(&model, &task, case, |tasks, board, seen| {
        tasks.begin(board, move |pins: ModelPins<'_>| {
            pass(PinBus::begin(pins, board, wiring, PinTiming::for_width(wiring.width)), &task, &seen);
        });
    })
}
