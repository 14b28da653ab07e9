//! Clusters over SPI whose boards send each other frames at given times.

use crate::lacking::blocks;
use crate::station::stand;
pub use crate::station::{ALL, BEGIN_NS, Plan, Seen, answers, frame, payload};
use renga_hal::gpio::PinBank;
use renga_hal::spi::{SpiReceiver, SpiSender};
use renga_phy::pins::model::{HarnessModel, ModelPins, ModelSetup, Serial, Speed, Tasks, Violation};
use renga_phy::pins::{PinTiming, PullUps};
use renga_phy::spi::wiring::SpiChip;
use renga_phy::spi::{SpiBus, timing};
use std::cell::RefCell;
use std::rc::Rc;

/// The rates that are measured, Hz.
pub const RATES: [u32; 3] = [1_000_000, 4_000_000, 8_000_000];
pub const ARM_NS: u64 = 10_000;

/// `boards` equal boards, as reported.
pub fn setup(boards: u8, speed: Speed) -> ModelSetup {
    ModelSetup { serial: Some(Serial::REPORTED), ..ModelSetup::of(boards, speed) }
}

pub fn quick(rate_hz: u32) -> PinTiming {
    timing(u64::from(rate_hz), ARM_NS)
}

/// The board of a chip.
pub fn chip_of(model: &HarnessModel, board: u8) -> SpiChip {
    model.speed(board).chip
}

/// The behaviour of a board of these parts.
pub fn station(
    pins: impl PinBank,
    blocks: (impl SpiSender, impl SpiReceiver),
    place: (u8, SpiChip),
    timing: PinTiming,
    plan: Vec<(u64, Plan)>,
    seen: &RefCell<Seen>,
) {
    let (board, chip) = place;
    let bus = SpiBus::begin(pins, blocks.0, blocks.1, chip, board, PullUps::Harness, timing);
    stand(bus, |_| unreachable!("there is no test frame over SPI"), answers(board), plan, seen);
}

/// A sound board.
pub fn plain(
    model: &HarnessModel,
    board: u8,
    rate_hz: u32,
    plans: &[(u8, u64, Plan)],
    seen: &Rc<RefCell<Seen>>,
) -> impl FnOnce(ModelPins<'_>) + use<> {
    let plan: Vec<_> = plans.iter().filter(|(by, ..)| *by == board).map(|(_, at, what)| (*at, what.clone())).collect();
    let (seen, chip) = (seen.clone(), chip_of(model, board));
    move |pins| {
        let blocks = blocks(&pins, rate_hz);
        station(pins, blocks, (board, chip), quick(rate_hz), plan, &seen);
    }
}

/// Runs `plans` (board, time, what) until `until_ns`.
pub fn run(setup: &ModelSetup, rate_hz: u32, plans: &[(u8, u64, Plan)], until_ns: u64) -> (Seen, Vec<Violation>) {
    let model = HarnessModel::new(setup);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..setup.boards.len() as u8 {
        tasks.begin(board, plain(&model, board, rate_hz, plans, &seen));
    }
    tasks.run_until(until_ns);
    drop(tasks);
    (seen.take(), model.violations())
}

/// How long a frame may take at a rate, ns.
pub fn frame_ns(rate_hz: u32) -> u64 {
    quick(rate_hz).frame_ns
}

/// One frame from board 0 to all.
pub fn send(setup: &ModelSetup, rate_hz: u32, frame: &[u8]) -> (Seen, Vec<Violation>) {
    run(setup, rate_hz, &[(0, BEGIN_NS, Plan::Frame(frame.to_vec()))], BEGIN_NS + frame_ns(rate_hz))
}
