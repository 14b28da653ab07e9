//! The pins of a BCM2837. The datasheet, chapter 6.
//!
//! Writes are posted and cheap, reads cost. Not here: edge detection (edges close together are lost),
//! and who uses which pin.

use core::ops::RangeInclusive;
use renga_hal::gpio::{Function, Gpio, Pull};
use renga_hal::registers::Registers;

/// Pins of the block.
pub const PINS: u8 = 54;

mod offset {
    pub const FUNCTION: usize = 0x00;
    pub const SET: usize = 0x1c;
    pub const CLEAR: usize = 0x28;
    pub const LEVEL: usize = 0x34;
    /// Detection of events, seven kinds of two words: all cleared at boot.
    pub const DETECT_FIRST: usize = 0x40;
    pub const DETECT_HIGH: usize = 0x64;
    pub const DETECT_LOW: usize = 0x70;
    pub const DETECT_LAST: usize = 0x8c;
    pub const PULL: usize = 0x94;
    pub const PULL_CLOCK: usize = 0x98;
}

const PINS_PER_FUNCTION_WORD: u8 = 10;
const FUNCTION_BITS: u32 = 7;
/// Codes of the alternatives 0 to 5.
const ALTERNATIVES: [u32; 6] = [4, 5, 6, 7, 3, 2];
/// Reads of a register that take longer than the 150 cycles that a pull needs to settle.
const PULL_SETTLE_READS: u32 = 150;

/// Where the SD host would meet the radio.
const RADIO_PINS: RangeInclusive<u8> = 34..=39;
/// Clock, command and four data lines of the card slot.
const CARD_PINS: RangeInclusive<u8> = 48..=53;
const CARD_CLOCK_PIN: u8 = 48;
/// The card's pins at the Arasan host; alternative 0 is the other host.
const CARD_FUNCTION: Function = Function::Alternative(3);

/// The pins.
pub struct Pins<R>(R);

impl<R: Registers> Pins<R> {
    /// The pins as the firmware left them, with all detection off.
    pub fn new(mut registers: R) -> Self {
        for detect in (offset::DETECT_FIRST..=offset::DETECT_LAST).step_by(4) {
            // Writing ones clears the detected events of the first pair; elsewhere zeros switch off.
            let value = if detect < offset::DETECT_FIRST + 8 { u32::MAX } else { 0 };
            registers.write(detect, value);
        }
        Self(registers)
    }

    /// Gives the card's pins to the host that `sd_card` drives. The firmware used another, and gave this
    /// one the radio's pins.
    pub fn route_card(&mut self) {
        for pin in RADIO_PINS {
            self.set_function(pin, Function::Input);
        }
        for pin in CARD_PINS {
            self.set_function(pin, CARD_FUNCTION);
            // All lines but the clock idle high.
            self.set_pull(pin, if pin == CARD_CLOCK_PIN { Pull::Off } else { Pull::Up });
        }
    }

    /// Stores a whole function word: ten pins, three bits each.
    #[inline]
    pub fn store_functions(&mut self, word: usize, value: u32) {
        self.0.write(offset::FUNCTION + word * 4, value);
    }

    /// What function word `word` holds.
    pub fn functions(&self, word: usize) -> u32 {
        self.0.read(offset::FUNCTION + word * 4)
    }

    /// Sets latches of the first 32 pins: one store, even of an empty mask.
    #[inline]
    pub fn store_set(&mut self, mask: u32) {
        self.0.write(offset::SET, mask);
    }

    /// Clears latches of the first 32 pins: one store, even of an empty mask.
    #[inline]
    pub fn store_clear(&mut self, mask: u32) {
        self.0.write(offset::CLEAR, mask);
    }

    /// Interrupts while a pin of `high` is high or one of `low` is low, of the first 28: levels, since edges may be
    /// lost.
    pub fn detect_levels(&mut self, high: u32, low: u32) {
        self.0.write(offset::DETECT_HIGH, high);
        self.0.write(offset::DETECT_LOW, low);
        // An event stays until it is cleared; one whose level is still there comes again.
        self.0.write(offset::DETECT_FIRST, u32::MAX);
    }

    /// See [`Registers::fence`].
    #[inline]
    pub fn fence(&self) {
        self.0.fence();
    }

    /// The levels at the first 32 pins: one read.
    #[inline]
    pub fn low_levels(&self) -> u32 {
        self.0.read(offset::LEVEL)
    }

    fn settle(&self) {
        for _ in 0..PULL_SETTLE_READS {
            self.0.read(offset::LEVEL);
        }
    }

    fn write_mask(&mut self, offset: usize, mask: u64) {
        // Both halves only when both are meant: a write costs.
        if mask as u32 != 0 {
            self.0.write(offset, mask as u32);
        }
        if mask >> 32 != 0 {
            self.0.write(offset + 4, (mask >> 32) as u32);
        }
    }
}

impl<R: Registers> Gpio for Pins<R> {
    fn set_function(&mut self, pin: u8, function: Function) {
        assert!(pin < PINS, "there is no pin {pin}");
        let code = match function {
            Function::Input => 0,
            Function::Output => 1,
            Function::Alternative(number) => ALTERNATIVES[usize::from(number)],
        };
        let word = offset::FUNCTION + usize::from(pin / PINS_PER_FUNCTION_WORD) * 4;
        let shift = u32::from(pin % PINS_PER_FUNCTION_WORD) * 3;
        self.0.modify(word, FUNCTION_BITS << shift, code << shift);
    }

    fn set_pull(&mut self, pin: u8, pull: Pull) {
        assert!(pin < PINS, "there is no pin {pin}");
        let code = match pull {
            Pull::Off => 0,
            Pull::Down => 1,
            Pull::Up => 2,
        };
        let clock = offset::PULL_CLOCK + usize::from(pin / 32) * 4;
        self.0.write(offset::PULL, code);
        self.settle();
        self.0.write(clock, 1 << (pin % 32));
        self.settle();
        self.0.write(offset::PULL, 0);
        self.0.write(clock, 0);
    }

    fn set(&mut self, mask: u64) {
        self.write_mask(offset::SET, mask);
    }

    fn clear(&mut self, mask: u64) {
        self.write_mask(offset::CLEAR, mask);
    }

    fn levels(&self) -> u64 {
        u64::from(self.0.read(offset::LEVEL)) | u64::from(self.0.read(offset::LEVEL + 4)) << 32
    }
}
