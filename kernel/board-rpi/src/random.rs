//! The chip's source of random numbers (BCM2837). Linux `drivers/char/hw_random/bcm2835-rng.c`.
//!
//! Not here: the use of the bits.

use renga_hal::registers::Registers;

mod offset {
    pub const CONTROL: usize = 0x00;
    pub const STATUS: usize = 0x04;
    pub const DATA: usize = 0x08;
}

/// Numbers that the source makes before it counts as warm.
const WARM_UP: u32 = 0x4_0000;
const COUNT_SHIFT: u32 = 24;
const CONTROL_ON: u32 = 1;
/// Polls before a source counts as silent: some 10 ms, more than its warm-up takes.
const POLLS_MAX: u32 = 100_000;

/// A number of 64 bits; none when the source stays silent, or repeats itself.
pub fn number(mut registers: impl Registers) -> Option<u64> {
    registers.fence();
    registers.write(offset::STATUS, WARM_UP);
    registers.write(offset::CONTROL, CONTROL_ON);
    let (high, low) = (word(&registers)?, word(&registers)?);
    registers.fence();
    (high != low).then_some(u64::from(high) << 32 | u64::from(low))
}

fn word(registers: &impl Registers) -> Option<u32> {
    (0..POLLS_MAX).find(|_| registers.read(offset::STATUS) >> COUNT_SHIFT != 0)?;
    Some(registers.read(offset::DATA))
}
