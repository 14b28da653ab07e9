//! The watchdog, and what it can do at once: reset the board, or halt it.
//!
//! BCM2835 power management, as in Linux `drivers/watchdog/bcm2835_wdt.c`. Not here: when the watchdog is fed.

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
/// The partition to start from, bit by bit in every second bit.
const STATUS_PARTITION: u32 = 0x555;
const PARTITION_BITS: u32 = 6;
/// The partition that means: the firmware stays where it is.
const PARTITION_HALT: u8 = 63;
const TICKS_A_SECOND: u32 = 1 << 16;
const TICKS_MAX: u32 = 0xf_ffff;
/// Long enough for the last stores to arrive, and too short to notice.
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

    /// Resets the board, which then starts from `partition`, once.
    pub fn reset_to(&mut self, partition: u8) {
        self.name_partition(partition);
        self.reset();
    }

    /// Stops the board; only cutting its power starts it again.
    pub fn halt(&mut self) {
        self.reset_to(PARTITION_HALT);
    }

    /// The partition that the last reset named, or 0; from now on none is named, so that whatever resets the board
    /// next, it starts from the usual one.
    pub fn take_partition(&mut self) -> u8 {
        self.0.fence();
        let status = self.0.read(offset::RESET_STATUS);
        self.name_partition(0);
        (0..PARTITION_BITS).fold(0, |partition, bit| partition | ((status >> (2 * bit) & 1) as u8) << bit)
    }

    fn name_partition(&mut self, partition: u8) {
        let spread = (0..PARTITION_BITS).fold(0, |spread, bit| spread | u32::from(partition >> bit & 1) << (2 * bit));
        self.0.fence();
        let status = self.0.read(offset::RESET_STATUS) & 0x00ff_ffff & !STATUS_PARTITION;
        self.0.write(offset::RESET_STATUS, PASSWORD | status | spread);
        self.0.fence();
    }

    fn arm(&mut self, ticks: u32) {
        self.0.fence();
        self.0.write(offset::WATCHDOG, PASSWORD | ticks);
        let control = self.0.read(offset::RESET_CONTROL) & !CONTROL_FIELD & 0x00ff_ffff;
        self.0.write(offset::RESET_CONTROL, PASSWORD | control | CONTROL_FULL_RESET);
        self.0.fence();
    }
}
