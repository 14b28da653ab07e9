//! The mini UART: the kernel's log, sent as the line has room and never read.
//!
//! Invariant: no caller waits for it. Its rate follows the core clock, which `force_turbo=1` keeps constant. The
//! datasheet, section 2.2.

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
const INTERRUPT_ROOM: u32 = 1 << 1;
const RATE_BPS: u32 = 115_200;
/// A 115,200 bps line takes 87 us a byte: what is logged waits here.
const WAITING_BYTES: usize = 8192;

/// A mini UART that sends.
pub struct MiniUart<R> {
    registers: R,
    waiting: [u8; WAITING_BYTES],
    first: usize,
    count: usize,
    /// Bytes for which there was no room.
    lost: u32,
}

impl<R: Registers> MiniUart<R> {
    /// Sets the line up; `registers` are those of the auxiliary peripherals, `core_hz` is the rate of their clock.
    pub fn new(mut registers: R, core_hz: u32) -> Self {
        registers.fence();
        registers.modify(offset::ENABLES, 0, ENABLE_MINI_UART);
        registers.write(offset::CONTROL, 0);
        registers.write(offset::INTERRUPTS, 0);
        registers.write(offset::LINE, LINE_EIGHT_BITS);
        registers.write(offset::CLEAR_QUEUES, CLEAR_BOTH);
        registers.write(offset::DIVISOR, (core_hz / (8 * RATE_BPS)).max(1) - 1);
        registers.write(offset::CONTROL, CONTROL_TRANSMIT);
        registers.fence();
        Self { registers, waiting: [0; WAITING_BYTES], first: 0, count: 0, lost: 0 }
    }

    /// Logs `bytes`; those for which there is no room are dropped, since a log must not stop a board.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.count == WAITING_BYTES {
                self.lost += 1;
                continue;
            }
            self.waiting[(self.first + self.count) % WAITING_BYTES] = byte;
            self.count += 1;
        }
    }

    /// Sends what the FIFO has room for, and enables the interrupt if more remains; returns whether more remains.
    pub fn send(&mut self) -> bool {
        self.registers.fence();
        while self.count > 0 && self.registers.read(offset::LINE_STATUS) & STATUS_TRANSMIT_ROOM != 0 {
            self.registers.write(offset::DATA, u32::from(self.waiting[self.first]));
            self.first = (self.first + 1) % WAITING_BYTES;
            self.count -= 1;
        }
        let more = self.count > 0;
        self.registers.write(offset::INTERRUPTS, if more { INTERRUPT_ROOM } else { 0 });
        self.registers.fence();
        more
    }

    /// Bytes that were dropped.
    pub fn lost(&self) -> u32 {
        self.lost
    }
}
