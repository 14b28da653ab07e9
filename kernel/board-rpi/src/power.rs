//! The watchdog, and what it can do at once: reset the board, or halt it.
//!
//! BCM2835 power management, as in Linux `drivers/watchdog/bcm2835_wdt.c`. Not here: who feeds it.

use renga_hal::registers::Registers;

mod offset {
    pub const RESET_CONTROL: usize = 0x1c;
    pub const RESET_STATUS: usize = 0x20;
    pub const WATCHDOG: usize = 0x24;
}

/// Every write must carry it.
const PASSWORD: u32 = 0x5a00_0000;
const CONTROL_FIELD: u32 = 0x30;
const CONTROL_FULL_RESET: u32 = 0x20;
/// Boot partition 63, bit by bit in every second bit: the firmware stays where it is.
const STATUS_HALT: u32 = 0x555;
const TICKS_A_SECOND: u32 = 1 << 16;
const TICKS_MAX: u32 = 0xf_ffff;
/// Enough for the last stores to arrive, and nothing that anybody waits for.
const AT_ONCE_TICKS: u32 = 10;

/// The watchdog.
pub struct Watchdog<R>(R);

impl<R: Registers> Watchdog<R> {
    /// The watchdog as it is.
    pub fn new(registers: R) -> Self {
        Self(registers)
    }

    /// The board is reset unless this is called again within so many seconds (at most 15).
    pub fn feed(&mut self, seconds: u32) {
        self.arm(seconds.saturating_mul(TICKS_A_SECOND).min(TICKS_MAX));
    }

    /// Nothing will be reset.
    pub fn stop(&mut self) {
        let control = self.0.read(offset::RESET_CONTROL) & !CONTROL_FIELD & 0x00ff_ffff;
        self.0.write(offset::RESET_CONTROL, PASSWORD | control);
    }

    /// Resets the board.
    pub fn reset(&mut self) {
        self.arm(AT_ONCE_TICKS);
    }

    /// Stops the board; only cutting its power starts it again.
    pub fn halt(&mut self) {
        let status = self.0.read(offset::RESET_STATUS) & 0x00ff_ffff;
        self.0.write(offset::RESET_STATUS, PASSWORD | status | STATUS_HALT);
        self.reset();
    }

    fn arm(&mut self, ticks: u32) {
        self.0.fence();
        self.0.write(offset::WATCHDOG, PASSWORD | ticks);
        let control = self.0.read(offset::RESET_CONTROL) & !CONTROL_FIELD & 0x00ff_ffff;
        self.0.write(offset::RESET_CONTROL, PASSWORD | control | CONTROL_FULL_RESET);
        self.0.fence();
    }
}
