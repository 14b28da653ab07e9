//! The mini UART: the kernel's log, written byte by byte and never read.
//!
//! Its rate follows the core clock, which `force_turbo=1` keeps still. The datasheet, section 2.2.

use renga_hal::registers::Registers;

mod offset {
    pub const ENABLES: usize = 0x04;
    pub const DATA: usize = 0x40;
    pub const INTERRUPTS: usize = 0x44;
    pub const CLEAR_QUEUES: usize = 0x48;
    pub const LINE: usize = 0x4c;
    pub const LINE_STATUS: usize = 0x54;
    pub const CONTROL: usize = 0x60;
    pub const DIVISOR: usize = 0x68;
}

const ENABLE_MINI_UART: u32 = 1;
const LINE_EIGHT_BITS: u32 = 3;
const CLEAR_BOTH: u32 = 0xc6;
const CONTROL_TRANSMIT: u32 = 2;
const STATUS_TRANSMIT_ROOM: u32 = 1 << 5;
/// 250 MHz / (8 * 115200) - 1.
const DIVISOR_115200: u32 = 270;
/// Looks at a full queue before a byte is dropped: some 10 ms on a board, longer than a byte takes.
const LOOKS_MAX: u32 = 100_000;

/// A mini UART that sends.
pub struct MiniUart<R>(R);

impl<R: Registers> MiniUart<R> {
    /// Sets the line up; `registers` are those of the auxiliary peripherals.
    pub fn new(mut registers: R) -> Self {
        registers.modify(offset::ENABLES, 0, ENABLE_MINI_UART);
        registers.write(offset::CONTROL, 0);
        registers.write(offset::INTERRUPTS, 0);
        registers.write(offset::LINE, LINE_EIGHT_BITS);
        registers.write(offset::CLEAR_QUEUES, CLEAR_BOTH);
        registers.write(offset::DIVISOR, DIVISOR_115200);
        registers.write(offset::CONTROL, CONTROL_TRANSMIT);
        Self(registers)
    }

    /// Sends `bytes`, waiting for room; a byte for which there is none in time is dropped, since a log
    /// must not stop a board.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if (0..LOOKS_MAX).any(|_| self.0.read(offset::LINE_STATUS) & STATUS_TRANSMIT_ROOM != 0) {
                self.0.write(offset::DATA, u32::from(byte));
            }
        }
    }
}
