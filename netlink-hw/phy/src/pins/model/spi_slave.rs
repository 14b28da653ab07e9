//! The BSC slave of one board as SPI receiver, as the data sheet has it (BCM2835 ARM Peripherals, chapter 11) and as
//! its users report. Each report is a switch of [`Oddities`].
//!
//! Nothing here was measured. Not here: its pins (`peripherals`).

use std::collections::VecDeque;

/// Octets that a FIFO holds.
pub const FIFO_OCTETS: usize = 16;

/// What was reported of the blocks on silicon, beside what the data sheet says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Oddities {
    /// The slave's data pins are swapped against the data sheet.
    pub swapped_pins: bool,
    /// The first octet of a transfer says by its lowest bit whether what follows is received (0) or not (1).
    pub first_octet_decides: bool,
    /// Breaking off clears no FIFO.
    pub nothing_clears: bool,
    /// The FIFOs are not empty at entry.
    pub filled_at_entry: bool,
    /// At rates from 4 to 9.5 MHz the last octet of a transfer is lost, even lengths or odd ones or all.
    pub last_octet_lost: Option<Lengths>,
    /// The core's clock, and the SPI's with it, is so many percent of what the firmware says.
    pub core_percent: u64,
    /// Clocks that follow each other faster than this are missed, Hz.
    pub limit_hz: Option<u64>,
}

/// Lengths of transfers, in octets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lengths {
    /// 2, 4, ...
    Even,
    /// 1, 3, ...
    Odd,
    /// Every one.
    All,
}

impl Oddities {
    /// As the data sheet says.
    pub const NONE: Oddities = Oddities {
        swapped_pins: false,
        first_octet_decides: false,
        nothing_clears: false,
        filled_at_entry: false,
        last_octet_lost: None,
        core_percent: 100,
        limit_hz: None,
    };

    /// As reported, but for the rates.
    pub const REPORTED: Oddities = Oddities {
        swapped_pins: true,
        first_octet_decides: true,
        nothing_clears: true,
        filled_at_entry: true,
        last_octet_lost: Some(Lengths::All),
        ..Oddities::NONE
    };

    fn loses(&self, octets: u64, bit_ns: u64) -> bool {
        // 4 to 9.5 MHz.
        (105..=250).contains(&bit_ns)
            && match self.last_octet_lost {
                None => false,
                Some(Lengths::Even) => octets.is_multiple_of(2),
                Some(Lengths::Odd) => !octets.is_multiple_of(2),
                Some(Lengths::All) => true,
            }
    }
}

mod offset {
    pub const DATA: usize = 0x00;
    pub const STATUS: usize = 0x04;
    pub const CONTROL: usize = 0x0c;
    pub const FLAGS: usize = 0x10;
}
const ENABLE: u32 = 1 << 0;
const SPI: u32 = 1 << 1;
const BREAK: u32 = 1 << 7;
const RECEIVE: u32 = 1 << 9;
const FLAG_EMPTY: u32 = 1 << 1;
const FLAG_BUSY: u32 = 1 << 5;
const LEVEL_SHIFT: u32 = 11;
/// What the first octet is answered with.
const FIRST_ANSWER: u8 = 0xff;

/// Registers and shift register.
#[derive(Clone, Debug)]
pub struct Slave {
    oddities: Oddities,
    control: u32,
    fifo: VecDeque<u8>,
    to_answer: VecDeque<u8>,
    overrun: bool,
    selected: bool,
    clock: bool,
    shift: u32,
    bits: u32,
    octets: u64,
    receives: bool,
    /// The last octet, until the next bit or the end shows that it stays.
    last: Option<u8>,
    answer: u8,
    rose_ns: u64,
    bit_ns: u64,
}

impl Slave {
    /// In the state that an earlier program left.
    pub fn new(oddities: Oddities) -> Slave {
        let left = if oddities.filled_at_entry { FIFO_OCTETS } else { 0 };
        Slave {
            oddities,
            control: 0,
            fifo: std::iter::repeat_n(0xa5, left).collect(),
            to_answer: std::iter::repeat_n(0x5a, left).collect(),
            overrun: false,
            selected: false,
            clock: false,
            shift: 0,
            bits: 0,
            octets: 0,
            receives: false,
            last: None,
            answer: 0,
            rose_ns: 0,
            bit_ns: u64::MAX,
        }
    }

    fn is_on(&self) -> bool {
        self.control & (ENABLE | SPI) == ENABLE | SPI
    }

    /// Whether an octet found no room since the last call.
    pub fn take_overrun(&mut self) -> bool {
        std::mem::take(&mut self.overrun)
    }

    pub fn read(&mut self, offset: usize) -> u32 {
        match offset {
            offset::DATA => u32::from(self.fifo.pop_front().unwrap_or(0)),
            offset::STATUS => u32::from(self.overrun),
            offset::CONTROL => self.control,
            offset::FLAGS => {
                let empty = if self.fifo.is_empty() { FLAG_EMPTY } else { 0 };
                let busy = if self.selected && self.bits > 0 { FLAG_BUSY } else { 0 };
                empty | busy | (self.fifo.len() as u32) << LEVEL_SHIFT
            }
            _ => 0,
        }
    }

    pub fn write(&mut self, offset: usize, value: u32) {
        match offset {
            offset::CONTROL => {
                self.control = value;
                if value & BREAK != 0 && !self.oddities.nothing_clears {
                    self.fifo.clear();
                    self.to_answer.clear();
                }
            }
            offset::DATA if self.to_answer.len() < FIFO_OCTETS => self.to_answer.push_back(value as u8),
            _ => {}
        }
    }

    /// The level at its own data output, while it is selected.
    pub fn answers(&self) -> Option<bool> {
        (self.is_on() && self.selected).then_some(self.answer >> (7 - self.bits % 8) & 1 != 0)
    }

    /// The levels at its inputs from `at_ns` on; `data` is sampled when the clock rises.
    pub fn input(&mut self, at_ns: u64, selected: bool, clock: bool, data: impl FnOnce() -> bool) {
        let rises = clock && !self.clock;
        self.clock = clock;
        if selected != self.selected {
            self.selected = selected;
            if selected {
                (self.bits, self.octets, self.last, self.answer) = (0, 0, None, FIRST_ANSWER);
                (self.receives, self.bit_ns) = (!self.oddities.first_octet_decides, u64::MAX);
            } else if let Some(last) = self.last.take()
                && !self.oddities.loses(self.octets, self.bit_ns)
            {
                self.keep(last);
            }
        }
        if rises && self.selected && self.is_on() && self.control & RECEIVE != 0 {
            self.bit(at_ns, data());
        }
    }

    fn bit(&mut self, at_ns: u64, data: bool) {
        let since_ns = at_ns - std::mem::replace(&mut self.rose_ns, at_ns);
        if self.oddities.limit_hz.is_some_and(|limit_hz| since_ns < 1_000_000_000 / limit_hz) {
            return;
        }
        self.bit_ns = self.bit_ns.min(since_ns);
        if let Some(last) = self.last.take() {
            self.keep(last);
        }
        (self.shift, self.bits) = (self.shift << 1 | u32::from(data), self.bits + 1);
        if self.bits == 8 {
            let octet = self.shift as u8;
            if self.receives {
                self.last = Some(octet);
            }
            if self.octets == 0 && self.oddities.first_octet_decides {
                self.receives = octet & 1 == 0;
            }
            (self.bits, self.octets, self.answer) = (0, self.octets + 1, self.to_answer.pop_front().unwrap_or(0));
        }
    }

    fn keep(&mut self, octet: u8) {
        if self.fifo.len() < FIFO_OCTETS {
            self.fifo.push_back(octet);
        } else {
            self.overrun = true;
        }
    }
}
