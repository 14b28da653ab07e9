//! The pins as the link's driver uses them: whole words, no read-modify-write.
//!
//! Invariant: pins that the driver does not name keep their function. Not here: the protocol
//! (`renga-phy`), the clock's registers (the image gives a function).

use crate::gpio::Pins;
use renga_hal::gpio::{PinBank, Pull};
use renga_hal::registers::Registers;

/// The first 32 pins, with a clock.
pub struct BusPins<R> {
    pins: Pins<R>,
    now_ns: fn() -> u64,
    read_spins: u32,
    wakes: bool,
}

impl<R: Registers> BusPins<R> {
    /// Takes the pins over; `now_ns` is time since boot.
    pub fn new(pins: Pins<R>, now_ns: fn() -> u64) -> Self {
        Self { pins, now_ns, read_spins: 0, wakes: false }
    }

    /// Makes a read last so many iterations of an empty loop more: for an imitation of the board, whose reads take no
    /// time.
    pub fn with_slow_reads(self, spins: u32) -> Self {
        Self { read_spins: spins, ..self }
    }
}

impl<R: Registers> PinBank for BusPins<R> {
    #[inline]
    fn now_ns(&mut self) -> u64 {
        (self.now_ns)()
    }

    #[inline]
    fn store_functions(&mut self, word: usize, value: u32) {
        self.pins.store_functions(word, value);
    }

    fn functions(&mut self, word: usize) -> u32 {
        self.pins.functions(word)
    }

    #[inline]
    fn set(&mut self, mask: u32) {
        self.pins.store_set(mask);
    }

    #[inline]
    fn clear(&mut self, mask: u32) {
        self.pins.store_clear(mask);
    }

    fn set_pulls(&mut self, mask: u32, pull: Pull) {
        for pin in (0..32).filter(|pin| mask >> pin & 1 != 0) {
            self.pins.set_pull(pin, pull);
        }
    }

    #[inline]
    fn levels(&mut self) -> u32 {
        for spin in 0..self.read_spins {
            // No instruction that says that this is waiting: an imitation would act on it, and slowly.
            core::hint::black_box(spin);
        }
        self.pins.low_levels()
    }

    #[inline]
    fn fence(&mut self) {
        self.pins.fence();
    }

    fn wake_on_change(&mut self, mask: u32, levels: u32) {
        if mask != 0 || self.wakes {
            self.wakes = mask != 0;
            self.pins.detect_levels(mask & !levels, mask & levels);
        }
    }
}
