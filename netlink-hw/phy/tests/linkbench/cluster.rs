//! Boards that measure their link.

use renga_board_rpi::spi_master::SpiMaster;
use renga_board_rpi::spi_slave::SpiSlave;
use renga_mac::TokenTiming;
use renga_phy::linkbench::{BenchStation, Measured, Round};
use renga_phy::pins::model::{HarnessModel, ModelPins, ModelSetup, Peripheral, Serial, Tasks};
use renga_phy::pins::{self, PinBus, PinPhy, PullUps, Wiring};
use renga_phy::spi::{self, SpiBus, SpiPhy};
use renga_router::TokenLink;
use std::cell::RefCell;
use std::rc::Rc;

/// Between two samples of an idle bus, ns: sampling without a pause.
const IDLE_NS: u64 = 500;
/// All have found each other by then, ns.
pub const PATIENCE_NS: u64 = 400_000_000;
/// How long every flow lasts, us.
pub const SPAN_US: u32 = 20_000;
const STEP_NS: u64 = 1_000_000;
const LIMIT_NS: u64 = 5_000_000_000;

/// The image's: a listener may hear of a frame so late, and the token's times are slower by so much.
const ARM_NS: u64 = 60_000;
const SLOWED: u64 = 4;

fn mac(board: u8) -> renga_mac::MacSetup {
    renga_mac::MacSetup { board, serial: u64::from(board), timing: TokenTiming::PI3.slowed(SLOWED) }
}

/// The driver of board `board`'s pins.
pub fn pin_bus<'a>(pins: ModelPins<'a>, setup: &ModelSetup, board: u8) -> PinBus<ModelPins<'a>> {
    let wiring = Wiring { width: setup.width, handshake: setup.handshake, pulls: PullUps::Harness };
    PinBus::begin(pins, board, wiring, pins::PinTiming::by_interrupt(setup.width, ARM_NS))
}

/// What board 0 finds out of `present` boards of `setup`, over their pins, or over SPI at `rate_hz`.
pub fn round(setup: &ModelSetup, rate_hz: Option<u32>, present: &[u8]) -> Round {
    let model = HarnessModel::new(setup);
    let found: Rc<RefCell<Option<Round>>> = Rc::default();
    let mut tasks = Tasks::new(&model);
    for board in present.iter().copied() {
        let (setup, found) = (setup.clone(), found.clone());
        tasks.begin(board, move |pins| match rate_hz {
            None => {
                let bus = pin_bus(pins, &setup, board);
                play(TokenLink::new(mac(board), PinPhy::new(bus, IDLE_NS)), &setup, &found);
            }
            Some(rate_hz) => {
                let core_hz = Serial::REPORTED.core_hz as u32;
                let master = SpiMaster::new(pins.registers(Peripheral::Master), core_hz, rate_hz);
                let slave = SpiSlave::new(pins.registers(Peripheral::Slave));
                let chip = setup.boards[usize::from(board)].chip;
                let timing = spi::timing(u64::from(rate_hz), ARM_NS);
                let bus = SpiBus::begin(pins, master, slave, chip, board, PullUps::Harness, timing);
                play(TokenLink::new(mac(board), SpiPhy::new(bus, IDLE_NS)), &setup, &found);
            }
        });
    }
    let mut until_ns = 0;
    while found.borrow().is_none() {
        until_ns += STEP_NS;
        assert!(until_ns < LIMIT_NS, "a round is bounded");
        tasks.run_until(until_ns);
    }
    drop(tasks);
    assert_eq!(model.violations().first(), None);
    found.take().expect("just found")
}

fn play(mut link: impl Measured, setup: &ModelSetup, found: &RefCell<Option<Round>>) {
    let leads = link.board() == 0;
    let mut station = BenchStation::new(&mut link, setup.boards.len() as u8);
    if !leads {
        loop {
            station.step();
        }
    }
    station.gather(PATIENCE_NS);
    *found.borrow_mut() = Some(station.round(SPAN_US));
}
