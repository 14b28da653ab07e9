//! The BSC slave as an SPI receiver, polled (the datasheet, chapter 11, and what others found).
//!
//! Invariant: nothing is written to its FIFO, and nothing relied on that is reported not to work: what is in its FIFO
//! is read, not cleared. **It has never run on a board.** Not here: its pins, and what its octets mean.

use renga_hal::registers::Registers;
use renga_hal::spi::{SpiReceiver, Taken};

mod offset {
    pub const DATA: usize = 0x00;
    pub const STATUS: usize = 0x04;
    pub const CONTROL: usize = 0x0c;
    pub const FLAGS: usize = 0x10;
    pub const INTERRUPTS: usize = 0x18;
}

const ENABLE: u32 = 1 << 0;
const SPI: u32 = 1 << 1;
const RECEIVE: u32 = 1 << 9;
const FLAG_EMPTY: u32 = 1 << 1;
const FLAG_RECEIVING: u32 = 1 << 5;
/// Reads that empty the FIFO, of 16 octets, while another octet comes.
const READS_MAX: u32 = 32;

/// The slave.
pub struct SpiSlave<R>(R);

impl<R: Registers> SpiSlave<R> {
    /// Switched on, empty, without interrupts.
    pub fn new(mut registers: R) -> Self {
        registers.fence();
        registers.write(offset::CONTROL, 0);
        registers.write(offset::INTERRUPTS, 0);
        registers.write(offset::CONTROL, ENABLE | SPI | RECEIVE);
        registers.fence();
        let mut slave = Self(registers);
        slave.clear();
        slave
    }

    fn is_empty(&self) -> bool {
        self.0.read(offset::FLAGS) & FLAG_EMPTY != 0
    }
}

impl<R: Registers> SpiReceiver for SpiSlave<R> {
    fn clear(&mut self) {
        self.0.fence();
        for _ in 0..READS_MAX {
            if self.is_empty() {
                break;
            }
            self.0.read(offset::DATA);
        }
        // Overrun and similar errors stay noted until acknowledged.
        self.0.write(offset::STATUS, 0);
        self.0.fence();
    }

    fn take(&mut self, into: &mut [u8]) -> Taken {
        self.0.fence();
        let mut taken = Taken::default();
        loop {
            let flags = self.0.read(offset::FLAGS);
            taken.more = flags & FLAG_RECEIVING != 0;
            let Some(place) = into.get_mut(taken.octets).filter(|_| flags & FLAG_EMPTY == 0) else { break };
            *place = self.0.read(offset::DATA) as u8;
            taken.octets += 1;
        }
        self.0.fence();
        taken
    }
}
