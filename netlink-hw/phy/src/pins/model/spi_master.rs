//! The SPI master of one board (BCM2835 ARM Peripherals, chapter 10) in virtual time, as far as a polled sender sees
//! it.
//!
//! A clock of rest follows each octet. What comes back is not modelled, but fills its FIFO: a sender that never empties
//! that one stops. Not here: its pins (`peripherals`).

use std::collections::VecDeque;

/// Octets that either FIFO holds.
const FIFO_OCTETS: usize = 64;
/// Halves of a clock for each octet: eight bits, and one of rest.
const HALVES: u32 = 18;

mod offset {
    pub const CONTROL: usize = 0x00;
    pub const FIFO: usize = 0x04;
    pub const CLOCK: usize = 0x08;
}
const CLEAR_SENT: u32 = 1 << 4;
const CLEAR_RECEIVED: u32 = 1 << 5;
const ACTIVE: u32 = 1 << 7;
const DONE: u32 = 1 << 16;
const HAS_ROOM: u32 = 1 << 18;

/// The levels at its pins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outputs {
    pub select: bool,
    pub data: bool,
    pub clock: bool,
}

/// Registers and shift register.
#[derive(Clone, Debug)]
pub struct Master {
    core_hz: u64,
    divisor: u64,
    active: bool,
    done: bool,
    to_send: VecDeque<u8>,
    received: usize,
    /// The octet that is being shifted out, and how many halves of a clock of it have begun.
    shifting: Option<(u8, u32)>,
    /// When the next half starts, ps.
    next_ps: u64,
    pub outputs: Outputs,
}

impl Master {
    /// As a reset leaves it.
    pub fn new(core_hz: u64) -> Master {
        Master {
            core_hz,
            divisor: 0,
            active: false,
            done: false,
            to_send: VecDeque::new(),
            received: 0,
            shifting: None,
            next_ps: 0,
            outputs: Outputs { select: true, data: false, clock: false },
        }
    }

    fn half_ps(&self) -> u64 {
        let divisor = if self.divisor == 0 { 65_536 } else { self.divisor };
        divisor * 1_000_000_000_000 / self.core_hz / 2
    }

    pub fn read(&self, offset: usize) -> u32 {
        match offset {
            offset::CONTROL => {
                let bit = |on: bool, mask: u32| if on { mask } else { 0 };
                bit(self.active, ACTIVE) | bit(self.done, DONE) | bit(self.to_send.len() < FIFO_OCTETS, HAS_ROOM)
            }
            _ => 0,
        }
    }

    /// A write that takes effect at `at_ns`; when the shift register wants its next [`Master::step`] then, ns.
    pub fn write(&mut self, offset: usize, value: u32, at_ns: u64) -> Option<u64> {
        match offset {
            offset::CONTROL => self.control(value),
            offset::FIFO if self.active && self.to_send.len() < FIFO_OCTETS => {
                self.to_send.push_back(value as u8);
                self.done = false;
            }
            offset::CLOCK => self.divisor = u64::from(value & 0xffff),
            _ => {}
        }
        self.start(at_ns * 1000)
    }

    fn control(&mut self, value: u32) {
        if value & CLEAR_SENT != 0 {
            self.to_send.clear();
        }
        if value & CLEAR_RECEIVED != 0 {
            self.received = 0;
        }
        self.active = value & ACTIVE != 0;
        self.outputs.select = !self.active;
        if !self.active {
            // What is being sent is cut off.
            (self.shifting, self.done, self.outputs.clock) = (None, false, false);
        }
    }

    fn start(&mut self, at_ps: u64) -> Option<u64> {
        if !self.active || self.shifting.is_some() || self.received >= FIFO_OCTETS {
            return None;
        }
        self.shifting = Some((self.to_send.pop_front()?, 0));
        self.next_ps = at_ps;
        Some(at_ps.div_ceil(1000))
    }

    /// The next half of a clock; returns when the one after it starts, ns.
    pub fn step(&mut self) -> Option<u64> {
        let (octet, half) = self.shifting?;
        if half == HALVES {
            (self.shifting, self.received) = (None, self.received + 1);
            self.done = self.to_send.is_empty();
            return self.start(self.next_ps);
        }
        self.outputs.clock = half % 2 == 1 && half < 16;
        if half % 2 == 0 && half < 16 {
            self.outputs.data = octet >> (7 - half / 2) & 1 != 0;
        }
        self.shifting = Some((octet, half + 1));
        self.next_ps += self.half_ps();
        Some(self.next_ps.div_ceil(1000))
    }
}
