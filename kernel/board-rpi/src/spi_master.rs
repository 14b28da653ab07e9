//! SPI0 as a master that only sends, polled (the datasheet, chapter 10).
//!
//! Invariant: a transfer does not end before its last bit has left. Received octets are discarded before each transfer,
//! since the block stops when its FIFO is full. **It has never run on a board.** Not here: its pins.

use renga_hal::registers::Registers;
use renga_hal::spi::{SpiSender, SpiStuck};

mod offset {
    pub const CONTROL: usize = 0x00;
    pub const FIFO: usize = 0x04;
    pub const CLOCK: usize = 0x08;
}

/// Both FIFOs become empty.
const CLEAR: u32 = 3 << 4;
const ACTIVE: u32 = 1 << 7;
const DONE: u32 = 1 << 16;
const HAS_ROOM: u32 = 1 << 18;
/// The clock's divisor is even, and 0 means 65536.
const DIVISOR_MAX: u32 = 65_534;
/// A register is not read faster than this.
const READ_NS_MIN: u64 = 20;
/// Clocks of an octet with the one of rest, and as many again.
const OCTET_CLOCKS: u64 = 18;

/// The master.
pub struct SpiMaster<R> {
    registers: R,
    /// Polls of a register in the time of two octets, at least.
    polls_octet: u64,
}

impl<R: Registers> SpiMaster<R> {
    /// At most `rate_hz`, from a core that runs at `core_hz`. The core's clock must not change.
    pub fn new(mut registers: R, core_hz: u32, rate_hz: u32) -> Self {
        let divisor = divisor(core_hz, rate_hz);
        registers.fence();
        registers.write(offset::CONTROL, CLEAR);
        registers.write(offset::CLOCK, divisor);
        registers.fence();
        let octet_ns = OCTET_CLOCKS * u64::from(divisor) * 1_000_000_000 / u64::from(core_hz.max(1));
        Self { registers, polls_octet: octet_ns / READ_NS_MIN + 1 }
    }

    fn wait(&self, mask: u32, polls: u64) -> Result<(), SpiStuck> {
        let there = (0..polls).any(|_| self.registers.read(offset::CONTROL) & mask != 0);
        if there { Ok(()) } else { Err(SpiStuck) }
    }

    fn push(&mut self, octets: &[u8]) -> Result<(), SpiStuck> {
        for &octet in octets {
            self.wait(HAS_ROOM, self.polls_octet)?;
            self.registers.write(offset::FIFO, u32::from(octet));
        }
        self.wait(DONE, self.polls_octet * (octets.len() as u64 + 1))
    }
}

/// The smallest even divisor that gives no more than `rate_hz`.
fn divisor(core_hz: u32, rate_hz: u32) -> u32 {
    core_hz.div_ceil(rate_hz.max(1)).next_multiple_of(2).clamp(2, DIVISOR_MAX)
}

impl<R: Registers> SpiSender for SpiMaster<R> {
    fn send(&mut self, octets: &[u8]) -> Result<(), SpiStuck> {
        self.registers.fence();
        self.registers.write(offset::CONTROL, CLEAR | ACTIVE);
        let sent = self.push(octets);
        self.registers.write(offset::CONTROL, CLEAR);
        self.registers.fence();
        sent
    }
}
