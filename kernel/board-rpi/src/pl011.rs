//! The PL011 UART: the console.
//!
//! The firmware sets its clock; its pins are 14 and 15 (ALT0), wherever the firmware left it. In QEMU neither matters.

use renga_hal::registers::Registers;
use renga_hal::uart::Uart;

mod offset {
    pub const DATA: usize = 0x00;
    pub const FLAGS: usize = 0x18;
    pub const DIVISOR: usize = 0x24;
    pub const DIVISOR_FRACTION: usize = 0x28;
    pub const LINE: usize = 0x2c;
    pub const CONTROL: usize = 0x30;
    pub const INTERRUPT_LEVELS: usize = 0x34;
    pub const INTERRUPT_MASK: usize = 0x38;
    pub const INTERRUPT_CLEAR: usize = 0x44;
}

const FLAG_RECEIVE_EMPTY: u32 = 1 << 4;
const FLAG_TRANSMIT_FULL: u32 = 1 << 5;
/// Eight bits, no parity, queues on.
const LINE_8N1: u32 = 3 << 5 | 1 << 4;
const CONTROL_ON: u32 = 1 << 9 | 1 << 8 | 1 << 0;
/// Received bytes reached the level, or wait for 32 bit times.
const INTERRUPT_RECEIVE: u32 = 1 << 4 | 1 << 6;
const INTERRUPT_TRANSMIT: u32 = 1 << 5;
const INTERRUPT_ALL: u32 = 0x7ff;

/// A PL011.
pub struct Pl011<R> {
    registers: R,
    mask: u32,
}

impl<R: Registers> Pl011<R> {
    /// Sets the line up at `rate_bps`, given its clock; no interrupts.
    pub fn new(mut registers: R, clock_hz: u32, rate_bps: u32) -> Self {
        // The divisor has six binary digits after the point: clock / (16 * rate) * 64, rounded.
        let divisor = ((u64::from(clock_hz) * 4 + u64::from(rate_bps / 2)) / u64::from(rate_bps)) as u32;
        registers.fence();
        registers.write(offset::CONTROL, 0);
        registers.write(offset::INTERRUPT_MASK, 0);
        registers.write(offset::INTERRUPT_CLEAR, INTERRUPT_ALL);
        registers.write(offset::DIVISOR, divisor >> 6);
        registers.write(offset::DIVISOR_FRACTION, divisor & 0x3f);
        registers.write(offset::LINE, LINE_8N1);
        // Both queues ask at 1/8: receive early, transmit late.
        registers.write(offset::INTERRUPT_LEVELS, 0);
        registers.write(offset::CONTROL, CONTROL_ON);
        Self { registers, mask: 0 }
    }

    fn set_mask(&mut self, bits: u32, on: bool) {
        self.mask = if on { self.mask | bits } else { self.mask & !bits };
        self.registers.write(offset::INTERRUPT_MASK, self.mask);
    }
}

impl<R: Registers> Uart for Pl011<R> {
    fn try_write(&mut self, byte: u8) -> bool {
        let room = self.registers.read(offset::FLAGS) & FLAG_TRANSMIT_FULL == 0;
        if room {
            self.registers.write(offset::DATA, u32::from(byte));
        }
        room
    }

    fn try_read(&mut self) -> Option<u8> {
        let waits = self.registers.read(offset::FLAGS) & FLAG_RECEIVE_EMPTY == 0;
        waits.then(|| self.registers.read(offset::DATA) as u8)
    }

    fn enable_receive_interrupt(&mut self, on: bool) {
        self.set_mask(INTERRUPT_RECEIVE, on);
    }

    fn enable_transmit_interrupt(&mut self, on: bool) {
        self.set_mask(INTERRUPT_TRANSMIT, on);
    }
}
