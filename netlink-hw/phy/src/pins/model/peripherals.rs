//! SPI master and slave of each board: their registers, as drivers see them, and their pins.
//!
//! Not here: what the blocks do (`spi_master`, `spi_slave`).

use super::harness::PINS;
use super::monitor::Rule;
use super::net::Level;
use super::speed::Speed;
use super::spi_master::Master;
use super::spi_slave::{Oddities, Slave};
use super::state::{ModelState, Store};
use crate::pins::wiring::{HarnessLine, outputs};
use crate::spi::wiring::{CLOCK, DATA, OPEN_DRAIN, SELECT, SpiChip, TOKEN_IN};
use corosensei::Yielder;
use renga_hal::registers::Registers;
use std::cell::RefCell;
use std::rc::Rc;

/// Alternatives 0 and 3, as function words have them.
const ALTERNATIVE_0: u32 = 4;
const ALTERNATIVE_3: u32 = 7;
/// Shared wires of a bus over SPI, by the pin of the control line or of the master.
pub const LINK: u32 = OPEN_DRAIN | SELECT | DATA | CLOCK | 1 << TOKEN_IN;
/// A board that takes part in a frame pulls one of these.
const TAKES_PART: u32 = outputs(HarnessLine::NotReady.mask() | HarnessLine::NotAccepted.mask(), 0);

/// Whose registers they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peripheral {
    /// The pins'.
    Pins,
    /// SPI0's.
    Master,
    /// The BSC slave's.
    Slave,
}

/// A bus over SPI.
#[derive(Clone, Copy, Debug)]
pub struct Serial {
    /// How the blocks differ from the data sheet.
    pub oddities: Oddities,
    /// The clock that the firmware names, Hz.
    pub core_hz: u64,
    /// The harness follows the data sheet's names of the slave's pins.
    pub wired_by_data_sheet: bool,
}

impl Serial {
    /// As reported, 250 MHz.
    pub const REPORTED: Serial =
        Serial { oddities: Oddities::REPORTED, core_hz: 250_000_000, wired_by_data_sheet: false };
}

/// Pins of a board's blocks.
#[derive(Clone, Copy, Debug)]
pub struct SlavePins {
    select: usize,
    clock: usize,
    /// Where the slave listens, and where it answers.
    input: usize,
    answer: usize,
    /// Where the harness leads the data.
    wired: usize,
}

impl SlavePins {
    /// Of a board.
    pub fn of(serial: &Serial, speed: &Speed) -> SlavePins {
        let (select, clock, named_input, named_answer) = match speed.chip {
            SpiChip::Bcm2837 => (21, 19, 18, 20),
            SpiChip::Bcm2711 => (8, 11, 10, 9),
        };
        let swap = |swapped: bool| if swapped { (named_answer, named_input) } else { (named_input, named_answer) };
        let (input, answer) = swap(serial.oddities.swapped_pins);
        SlavePins { select, clock, input, answer, wired: swap(!serial.wired_by_data_sheet).0 }
    }

    /// The master's pin whose wire leads to `pin` too.
    pub fn wire(&self, pin: usize) -> Option<usize> {
        [(self.select, SELECT), (self.wired, DATA), (self.clock, CLOCK)]
            .into_iter()
            .find(|(own, _)| *own == pin)
            .map(|(_, mask)| mask.trailing_zeros() as usize)
    }

    /// The pins that are joined to the master's wires.
    pub fn joined(&self) -> u32 {
        1 << self.select | 1 << self.wired | 1 << self.clock
    }

    /// Whether one of the blocks has `pin`.
    pub fn has(&self, pin: usize) -> bool {
        [self.select, self.clock, self.input, self.answer].contains(&pin) || (SELECT | DATA | CLOCK) >> pin & 1 != 0
    }
}

/// The blocks of one board.
#[derive(Clone, Debug)]
pub struct Ports {
    serial: Serial,
    pub pins: SlavePins,
    master: Master,
    slave: Slave,
    /// The peripheral accessed since the last barrier.
    last: Option<Peripheral>,
}

impl Ports {
    pub fn new(serial: &Serial, speed: &Speed) -> Ports {
        let core_hz = serial.core_hz * serial.oddities.core_percent / 100;
        Ports {
            serial: *serial,
            pins: SlavePins::of(serial, speed),
            master: Master::new(core_hz),
            slave: Slave::new(serial.oddities),
            last: None,
        }
    }

    /// As after a reset.
    pub fn reset(&mut self) {
        let core_hz = self.serial.core_hz * self.serial.oddities.core_percent / 100;
        (self.master, self.slave) = (Master::new(core_hz), Slave::new(self.serial.oddities));
        self.last = None;
    }

    /// What a pin drives that has `function`.
    pub fn drives(&self, pin: usize, function: u32) -> Option<bool> {
        let outputs = self.master.outputs;
        match (function, 1 << pin) {
            (ALTERNATIVE_0, SELECT) => Some(outputs.select),
            (ALTERNATIVE_0, DATA) => Some(outputs.data),
            (ALTERNATIVE_0, CLOCK) => Some(outputs.clock),
            (ALTERNATIVE_3, _) if pin == self.pins.answer => self.slave.answers(),
            _ => None,
        }
    }
}

impl ModelState {
    /// Notes an access of `board` to `peripheral`.
    pub fn touch(&mut self, board: usize, peripheral: Peripheral) {
        let at_ns = self.boards[board].local_ns;
        let Some(ports) = &mut self.boards[board].ports else { return };
        let last = ports.last.replace(peripheral);
        if last.is_some_and(|last| last != peripheral) {
            self.monitor.report(at_ns, PINS as u8, Rule::NoBarrier { board: board as u8 });
        }
    }

    /// A barrier.
    pub fn fence(&mut self, board: usize) {
        if let Some(ports) = &mut self.boards[board].ports {
            ports.last = None;
        }
    }

    fn read_register(&mut self, board: usize, peripheral: Peripheral, offset: usize, at_ns: u64) -> u32 {
        self.apply_until(at_ns);
        let Some(ports) = &mut self.boards[board].ports else { return 0 };
        match peripheral {
            Peripheral::Pins => 0,
            Peripheral::Master => ports.master.read(offset),
            Peripheral::Slave => ports.slave.read(offset),
        }
    }

    /// A write arrives.
    pub fn write_register(&mut self, board: usize, peripheral: Peripheral, offset: usize, value: u32, at_ns: u64) {
        let Some(ports) = &mut self.boards[board].ports else { return };
        let step_ns = match peripheral {
            Peripheral::Pins => None,
            Peripheral::Master => ports.master.write(offset, value, at_ns),
            Peripheral::Slave => {
                ports.slave.write(offset, value);
                None
            }
        };
        self.plan_step(board, at_ns, step_ns);
        self.refresh(board, at_ns);
    }

    /// The next half of a clock.
    pub fn step_master(&mut self, board: usize, at_ns: u64) {
        let step_ns = self.boards[board].ports.as_mut().and_then(|ports| ports.master.step());
        self.plan_step(board, at_ns, step_ns);
        self.refresh(board, at_ns);
    }

    fn plan_step(&mut self, board: usize, at_ns: u64, step_ns: Option<u64>) {
        if let Some(step_ns) = step_ns {
            self.schedule(board, at_ns, step_ns, Store::Step);
        }
    }

    /// Puts on the wires what the blocks of `board` drive now.
    fn refresh(&mut self, board: usize, at_ns: u64) {
        let Some(pins) = self.boards[board].ports.as_ref().map(|ports| ports.pins) else { return };
        for pin in (0..PINS).filter(|pin| pins.has(*pin)) {
            self.put(board, pin, self.boards[board].pins[pin], at_ns);
        }
    }

    /// Lets all slaves see the wires.
    pub fn signal_slaves(&mut self, at_ns: u64) {
        for board in 0..self.boards.len() {
            let owner = &mut self.boards[board];
            let Some(ports) = &mut owner.ports else { return };
            let pins = ports.pins;
            let routed = |pin: usize| owner.pins[pin].function == ALTERNATIVE_3;
            let level = |pin: usize| self.nets[owner.pins[pin].net].final_level(owner.kind);
            let selected = routed(pins.select) && level(pins.select) == Level::Low;
            let clock = routed(pins.clock) && level(pins.clock) == Level::High;
            let before = ports.slave.answers();
            let random = &mut self.random;
            ports.slave.input(at_ns, selected, clock, || {
                match self.nets[owner.pins[pins.input].net].level(at_ns, owner.kind) {
                    Level::High => routed(pins.input),
                    Level::Low => false,
                    Level::Between => random.below(2) != 0,
                }
            });
            let lost = ports.slave.take_overrun() && owner.functions[0] & TAKES_PART != 0;
            if ports.slave.answers() != before {
                self.refresh(board, at_ns);
            }
            if lost {
                self.monitor.report(at_ns, DATA.trailing_zeros() as u8, Rule::Overrun { reader: board as u8 });
            }
        }
    }
}

/// One peripheral of one board. Reads let boards that are behind catch up.
pub struct ModelRegisters<'a> {
    state: Rc<RefCell<ModelState>>,
    board: usize,
    others: &'a Yielder<(), ()>,
    peripheral: Peripheral,
}

impl<'a> ModelRegisters<'a> {
    pub(super) fn new(
        state: Rc<RefCell<ModelState>>,
        board: usize,
        others: &'a Yielder<(), ()>,
        peripheral: Peripheral,
    ) -> ModelRegisters<'a> {
        ModelRegisters { state, board, others, peripheral }
    }
}

impl Registers for ModelRegisters<'_> {
    fn read(&self, offset: usize) -> u32 {
        let (read_ns, issued_ns) = {
            let mut state = self.state.borrow_mut();
            state.touch(self.board, self.peripheral);
            (state.boards[self.board].speed.read_ns, state.step(self.board))
        };
        let sample_ns = issued_ns + read_ns / 2;
        self.state.borrow_mut().boards[self.board].wake_ns = sample_ns;
        self.others.suspend(());
        let mut state = self.state.borrow_mut();
        state.boards[self.board].local_ns = issued_ns + read_ns;
        state.read_register(self.board, self.peripheral, offset, sample_ns)
    }

    fn write(&mut self, offset: usize, value: u32) {
        self.state.borrow_mut().store(self.board, Store::Register(self.peripheral, offset, value));
    }

    fn fence(&self) {
        self.state.borrow_mut().fence(self.board);
    }
}
