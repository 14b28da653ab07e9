//! The pins of a BCM2837 (the datasheet, chapter 6) and of a BCM2711 (BCM2711 ARM Peripherals, chapter 5), which
//! differ in how resistors are chosen.
//!
//! Writes are posted and cheap, reads cost. Not here: edge detection (edges close together are lost), and the users of
//! the pins.

use crate::boards::Pulls;
use core::ops::RangeInclusive;
use renga_hal::gpio::{Function, Pull};
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
    /// BCM2711: four words, two bits a pin.
    pub const PULL_DIRECT: usize = 0xe4;
}

const PINS_PER_FUNCTION_WORD: u8 = 10;
const FUNCTION_BITS: u32 = 7;
/// Codes of the alternatives 0 to 5.
const ALTERNATIVES: [u32; 6] = [4, 5, 6, 7, 3, 2];
/// Reads of a register that take longer than the 150 cycles that a pull needs to settle.
const PULL_SETTLE_READS: u32 = 150;

/// The console's line: sent, received.
const CONSOLE_PINS: RangeInclusive<u8> = 14..=15;
/// Function word 1 with those at the PL011 (ALT0) and inputs else.
const CONSOLE_FUNCTIONS: u32 = 4 << 12 | 4 << 15;
/// Where the SD host would meet the radio.
const RADIO_PINS: RangeInclusive<u8> = 34..=39;
/// Clock, command and four data lines of the card slot.
const CARD_PINS: RangeInclusive<u8> = 48..=53;
const CARD_CLOCK_PIN: u8 = 48;
/// The card's pins at the Arasan host; alternative 0 is the other host.
const CARD_FUNCTION: Function = Function::Alternative(3);

/// The pins.
pub struct Pins<R> {
    registers: R,
    pulls: Pulls,
}

impl<R: Registers> Pins<R> {
    /// The pins as the firmware left them, with all detection off.
    pub fn new(mut registers: R, pulls: Pulls) -> Self {
        registers.fence();
        for detect in (offset::DETECT_FIRST..=offset::DETECT_LAST).step_by(4) {
            // Writing ones clears the detected events of the first pair; elsewhere zeros switch off.
            let value = if detect < offset::DETECT_FIRST + 8 { u32::MAX } else { 0 };
            registers.write(detect, value);
        }
        registers.fence();
        Self { registers, pulls }
    }

    /// Gives the card's pins to the host that `sd_card` drives. The firmware used another, and gave this
    /// one the radio's pins.
    pub fn route_card(&mut self) {
        self.registers.fence();
        for pin in RADIO_PINS {
            self.set_function(pin, Function::Input);
        }
        for pin in CARD_PINS {
            self.set_function(pin, CARD_FUNCTION);
            // All lines but the clock idle high.
            self.set_pull(pin, if pin == CARD_CLOCK_PIN { Pull::Off } else { Pull::Up });
        }
        self.registers.fence();
    }

    /// Gives the console's pins to the PL011: by default the firmware connects it to the radio.
    pub fn route_console(&mut self) {
        self.registers.fence();
        for pin in CONSOLE_PINS {
            self.set_function(pin, Function::Alternative(0));
        }
        // A floating line must not read as typing.
        self.set_pull(*CONSOLE_PINS.end(), Pull::Up);
        self.registers.fence();
    }

    /// Makes all pins of the link inputs, in three stores: for a board that dies.
    pub fn release_link(&mut self) {
        self.registers.fence();
        self.store_functions(0, 0);
        self.store_functions(1, CONSOLE_FUNCTIONS);
        self.store_functions(2, 0);
        self.registers.fence();
    }

    /// Stores a whole function word: ten pins, three bits each.
    #[inline]
    pub fn store_functions(&mut self, word: usize, value: u32) {
        self.registers.write(offset::FUNCTION + word * 4, value);
    }

    /// What function word `word` holds.
    pub fn functions(&self, word: usize) -> u32 {
        self.registers.read(offset::FUNCTION + word * 4)
    }

    /// Sets latches of the first 32 pins: one store, even of an empty mask.
    #[inline]
    pub fn store_set(&mut self, mask: u32) {
        self.registers.write(offset::SET, mask);
    }

    /// Clears latches of the first 32 pins: one store, even of an empty mask.
    #[inline]
    pub fn store_clear(&mut self, mask: u32) {
        self.registers.write(offset::CLEAR, mask);
    }

    /// Interrupts while a pin of `high` is high or one of `low` is low, of the first 28: levels, since edges may be
    /// lost.
    pub fn detect_levels(&mut self, high: u32, low: u32) {
        self.registers.write(offset::DETECT_HIGH, high);
        self.registers.write(offset::DETECT_LOW, low);
        // An event stays until it is cleared; one whose level is still there comes again.
        self.registers.write(offset::DETECT_FIRST, u32::MAX);
    }

    /// See [`Registers::fence`].
    #[inline]
    pub fn fence(&self) {
        self.registers.fence();
    }

    /// The levels at the first 32 pins: one read.
    #[inline]
    pub fn low_levels(&self) -> u32 {
        self.registers.read(offset::LEVEL)
    }

    fn settle(&self) {
        for _ in 0..PULL_SETTLE_READS {
            self.registers.read(offset::LEVEL);
        }
    }

    /// BCM2837: the value, then a clock to the pin, then neither; each needs 150 cycles to settle.
    fn clock_pull(&mut self, pin: u8, pull: Pull) {
        let code = match pull {
            Pull::Off => 0,
            Pull::Down => 1,
            Pull::Up => 2,
        };
        let clock = offset::PULL_CLOCK + usize::from(pin / 32) * 4;
        self.registers.write(offset::PULL, code);
        self.settle();
        self.registers.write(clock, 1 << (pin % 32));
        self.settle();
        self.registers.write(offset::PULL, 0);
        self.registers.write(clock, 0);
    }

    /// BCM2711: its codes are the other way round, and it needs the time too.
    fn store_pull(&mut self, pin: u8, pull: Pull) {
        let code = match pull {
            Pull::Off => 0,
            Pull::Up => 1,
            Pull::Down => 2,
        };
        let word = offset::PULL_DIRECT + usize::from(pin / 16) * 4;
        let shift = u32::from(pin % 16) * 2;
        self.registers.modify(word, 3 << shift, code << shift);
        self.settle();
    }

    fn write_mask(&mut self, offset: usize, mask: u64) {
        // Both halves only when both are meant: a write costs.
        if mask as u32 != 0 {
            self.registers.write(offset, mask as u32);
        }
        if mask >> 32 != 0 {
            self.registers.write(offset + 4, (mask >> 32) as u32);
        }
    }
}

impl<R: Registers> Pins<R> {
    /// Chooses what `pin` does.
    pub fn set_function(&mut self, pin: u8, function: Function) {
        assert!(pin < PINS, "there is no pin {pin}");
        let code = match function {
            Function::Input => 0,
            Function::Output => 1,
            Function::Alternative(number) => ALTERNATIVES[usize::from(number)],
        };
        let word = offset::FUNCTION + usize::from(pin / PINS_PER_FUNCTION_WORD) * 4;
        let shift = u32::from(pin % PINS_PER_FUNCTION_WORD) * 3;
        self.registers.modify(word, FUNCTION_BITS << shift, code << shift);
    }

    /// Chooses the resistor of `pin`. It survives a soft reset: boot sets all that matter.
    pub fn set_pull(&mut self, pin: u8, pull: Pull) {
        assert!(pin < PINS, "there is no pin {pin}");
        match self.pulls {
            Pulls::Clocked => self.clock_pull(pin, pull),
            Pulls::Direct => self.store_pull(pin, pull),
        }
    }

    /// Sets the latches of the pins in `mask`.
    pub fn set(&mut self, mask: u64) {
        self.write_mask(offset::SET, mask);
    }

    /// Clears the latches of the pins in `mask`.
    pub fn clear(&mut self, mask: u64) {
        self.write_mask(offset::CLEAR, mask);
    }

    /// The levels at the pins.
    pub fn levels(&self) -> u64 {
        u64::from(self.registers.read(offset::LEVEL)) | u64::from(self.registers.read(offset::LEVEL + 4)) << 32
    }
}
