//! Boards whose drivers lack one remedy each.

use crate::bench::{BEGIN_NS, Master, Plan, Seen, Slave, blocks, chip_of, plain, quick, station};
use renga_hal::gpio::{PinBank, Pull};
use renga_hal::registers::Registers;
use renga_hal::spi::{SpiReceiver, SpiSender, SpiStuck, Taken};
use renga_phy::pins::Line;
use renga_phy::pins::model::{Model, ModelPins, ModelRegisters, Peripheral, Setup, Tasks, Violation};
use renga_phy::spi::wiring::{Chip, mask};
use std::cell::RefCell;
use std::rc::Rc;

/// What a driver does not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The first octet of a chunk has its lowest bit set.
    OddHead,
    /// There is no tail.
    NoTail,
    /// Transfers are ended when all is in the FIFO.
    EndsEarly,
    /// What comes back is never thrown away.
    KeepsReceived,
    /// No barriers.
    NoBarriers,
    /// The slave's FIFO is cleared by breaking off, not read.
    ClearsByBreak,
    /// The slave's FIFO is not emptied before a frame.
    NeverClears,
    /// All four pins of the slave are given to it.
    AnswersToo,
    /// Every acknowledgement is believed at once.
    BelievesAll,
    /// The data wire is never let go.
    KeepsData,
    /// No pulls are switched on.
    NoPulls,
}

const CONTROL: usize = 0x00;
const FIFO: usize = 0x04;
const ACTIVE: u32 = 1 << 7;
const DONE: u32 = 1 << 16;
const SLAVE_CONTROL: usize = 0x0c;
const SLAVE_ON: u32 = 0x203;
const SLAVE_BREAK: u32 = 1 << 7;

struct Sender<'a> {
    sound: Master<'a>,
    registers: ModelRegisters<'a>,
    fault: Fault,
}

impl SpiSender for Sender<'_> {
    fn send(&mut self, octets: &[u8]) -> Result<(), SpiStuck> {
        match self.fault {
            Fault::OddHead => {
                let mut octets = octets.to_vec();
                octets[0] |= 1;
                self.sound.send(&octets)
            }
            Fault::NoTail => self.sound.send(&octets[..octets.len() - 1]),
            Fault::EndsEarly | Fault::KeepsReceived | Fault::NoBarriers => self.send_plainly(octets),
            _ => self.sound.send(octets),
        }
    }
}

impl Sender<'_> {
    fn send_plainly(&mut self, octets: &[u8]) -> Result<(), SpiStuck> {
        let clear = if self.fault == Fault::KeepsReceived { 0 } else { 3 << 4 };
        if self.fault != Fault::NoBarriers {
            self.registers.fence();
        }
        self.registers.write(CONTROL, clear | ACTIVE);
        octets.iter().for_each(|octet| self.registers.write(FIFO, u32::from(*octet)));
        let ends = |_| self.fault == Fault::EndsEarly || self.registers.read(CONTROL) & DONE != 0;
        let done = (0..4000).any(ends);
        self.registers.write(CONTROL, clear);
        if self.fault != Fault::NoBarriers {
            self.registers.fence();
        }
        if done { Ok(()) } else { Err(SpiStuck) }
    }
}

struct Receiver<'a> {
    sound: Slave<'a>,
    registers: ModelRegisters<'a>,
    fault: Fault,
}

impl SpiReceiver for Receiver<'_> {
    fn clear(&mut self) {
        match self.fault {
            Fault::ClearsByBreak => {
                self.registers.fence();
                self.registers.write(SLAVE_CONTROL, SLAVE_ON | SLAVE_BREAK);
                self.registers.write(SLAVE_CONTROL, SLAVE_ON);
                self.registers.fence();
            }
            Fault::NeverClears => {}
            _ => self.sound.clear(),
        }
    }
    fn take(&mut self, into: &mut [u8]) -> Taken {
        self.sound.take(into)
    }
}

struct Pins<'a> {
    pins: ModelPins<'a>,
    fault: Fault,
    chip: Chip,
    /// Readings that were made up.
    believed: u32,
}

const ANSWERS: u32 = mask(Line::NotReady) | mask(Line::NotAccepted);
/// The slave's own data output of a Pi 4, as a function of word 1.
const ANSWER_OF_PI4: u32 = 7;
/// Pins of the master in word 1 as its own.
const MASTERS: u32 = 0o44;

impl PinBank for Pins<'_> {
    fn now_ns(&mut self) -> u64 {
        self.pins.now_ns()
    }
    fn store_functions(&mut self, word: usize, value: u32) {
        let listens = word == 1 && value & 0o77 != MASTERS;
        let value = match self.fault {
            Fault::AnswersToo if listens && self.chip == Chip::Bcm2711 => value | ANSWER_OF_PI4,
            Fault::KeepsData if listens && self.pins.functions(1) & 7 != 0 => value | self.pins.functions(1) & 7,
            _ => value,
        };
        self.pins.store_functions(word, value);
    }
    fn functions(&mut self, word: usize) -> u32 {
        self.pins.functions(word)
    }
    fn set(&mut self, mask: u32) {
        self.pins.set(mask);
    }
    fn clear(&mut self, mask: u32) {
        self.pins.clear(mask);
    }
    fn set_pulls(&mut self, mask: u32, pull: Pull) {
        if self.fault != Fault::NoPulls {
            self.pins.set_pulls(mask, pull);
        }
    }
    fn levels(&mut self) -> u32 {
        let levels = self.pins.levels();
        let talks = self.pins.functions(1) & 0o77 == MASTERS;
        match self.fault {
            // The line that is due is high, for two readings each.
            Fault::BelievesAll if talks => {
                self.believed += 1;
                let due = if (self.believed / 2).is_multiple_of(2) { Line::NotReady } else { Line::NotAccepted };
                levels & !ANSWERS | mask(due)
            }
            _ => levels,
        }
    }
    fn fence(&mut self) {
        self.pins.fence();
    }
    fn wait_until(&mut self, at_ns: u64) {
        self.pins.wait_until(at_ns);
    }
}

/// Runs `plans`; the boards in `faulty` lack a remedy.
pub fn run(
    setup: &Setup,
    rate_hz: u32,
    fault: Option<Fault>,
    faulty: &[u8],
    plans: &[(u8, u64, Plan)],
    until_ns: u64,
) -> (Seen, Vec<Violation>) {
    let model = Model::new(setup);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut tasks = Tasks::new(&model);
    for board in 0..setup.boards.len() as u8 {
        let Some(fault) = fault.filter(|_| faulty.contains(&board)) else {
            tasks.begin(board, plain(&model, board, rate_hz, plans, &seen));
            continue;
        };
        let own: Vec<_> =
            plans.iter().filter(|(by, ..)| *by == board).map(|(_, at, what)| (*at, what.clone())).collect();
        let (seen, chip) = (seen.clone(), chip_of(&model, board));
        tasks.begin(board, move |pins| {
            let (master, slave) = blocks(&pins, rate_hz);
            let sender = Sender { sound: master, registers: pins.registers(Peripheral::Master), fault };
            let receiver = Receiver { sound: slave, registers: pins.registers(Peripheral::Slave), fault };
            let pins = Pins { pins, fault, chip, believed: 1 };
            station(pins, (sender, receiver), (board, chip), quick(rate_hz), own, &seen);
        });
    }
    tasks.run_until(until_ns);
    drop(tasks);
    (seen.take(), model.violations())
}

/// How long two short frames take at any rate, ns.
pub const SHORT_NS: u64 = BEGIN_NS + 10_000_000;
