//! The drivers of a board's SPI on the model's registers, and the same with one remedy taken out.

use renga_board_rpi::spi_master::SpiMaster;
use renga_board_rpi::spi_slave::SpiSlave;
use renga_hal::gpio::{PinBank, Pull};
use renga_hal::registers::Registers;
use renga_hal::spi::{SpiReceiver, SpiSender, SpiStuck, Taken};
use renga_phy::pins::HarnessLine;
use renga_phy::pins::model::{ModelPins, ModelRegisters, Peripheral, Serial};
use renga_phy::spi::wiring::{SpiChip, mask};

/// The clock that the model's firmware names.
const CORE_HZ: u32 = Serial::REPORTED.core_hz as u32;

pub type Master<'a> = SpiMaster<ModelRegisters<'a>>;
pub type Slave<'a> = SpiSlave<ModelRegisters<'a>>;

/// The drivers of a board's blocks.
pub fn blocks<'a>(pins: &ModelPins<'a>, rate_hz: u32) -> (Master<'a>, Slave<'a>) {
    let master = SpiMaster::new(pins.registers(Peripheral::Master), CORE_HZ, rate_hz);
    (master, SpiSlave::new(pins.registers(Peripheral::Slave)))
}

/// The same without the remedy that `fault` names, and the pins.
pub fn without(
    pins: ModelPins<'_>,
    rate_hz: u32,
    chip: SpiChip,
    fault: Fault,
) -> (Pins<'_>, (Sender<'_>, Receiver<'_>)) {
    let (master, slave) = blocks(&pins, rate_hz);
    let sender = Sender { sound: master, registers: pins.registers(Peripheral::Master), fault };
    let receiver = Receiver { sound: slave, registers: pins.registers(Peripheral::Slave), fault };
    (Pins { pins, fault, chip, believed: 1 }, (sender, receiver))
}

/// What a driver does not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The first octet of a chunk has its lowest bit set.
    OddHead,
    /// There is no tail.
    NoTail,
    /// Transfers are ended when all is in the FIFO.
    EndsEarly,
    /// Received octets are never discarded.
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

pub struct Sender<'a> {
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

pub struct Receiver<'a> {
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

pub struct Pins<'a> {
    pins: ModelPins<'a>,
    fault: Fault,
    chip: SpiChip,
    /// Readings that were invented.
    believed: u32,
}

const ANSWERS: u32 = mask(HarnessLine::NotReady) | mask(HarnessLine::NotAccepted);
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
            Fault::AnswersToo if listens && self.chip == SpiChip::Bcm2711 => value | ANSWER_OF_PI4,
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
                let due = if (self.believed / 2).is_multiple_of(2) {
                    HarnessLine::NotReady
                } else {
                    HarnessLine::NotAccepted
                };
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
