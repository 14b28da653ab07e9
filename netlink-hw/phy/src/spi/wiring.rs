//! Which pin is which line of the bus over SPI.
//!
//! Control lines are in function word 0, as those of the pins. Not here: when.

use crate::pins::HarnessLine;

/// A kind of chip: their slaves have other pins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpiChip {
    /// Pi 3, Zero 2 W.
    Bcm2837,
    /// Pi 4.
    Bcm2711,
}

/// The master's select (active low), data out and clock.
pub const SELECT: u32 = 1 << 8;
/// See [`SELECT`].
pub const DATA: u32 = 1 << 10;
/// See [`SELECT`].
pub const CLOCK: u32 = 1 << 11;
/// The pin of TOK_IN#.
pub const TOKEN_IN: u8 = 12;

/// Where `line` is; select is in the place of the strobe.
pub const fn mask(line: HarnessLine) -> u32 {
    match line {
        HarnessLine::Strobe => SELECT,
        HarnessLine::Attention => 1 << 5,
        HarnessLine::TokenIn => 1 << TOKEN_IN,
        HarnessLine::Busy | HarnessLine::NotReady | HarnessLine::NotAccepted | HarnessLine::TokenOut => line.mask(),
    }
}

/// The first line of a mask; the strobe if there is none.
pub fn line_of(pins: u32) -> HarnessLine {
    *HarnessLine::ALL.iter().find(|line| pins & mask(**line) != 0).unwrap_or(&HarnessLine::Strobe)
}

/// The open-drain lines.
pub const OPEN_DRAIN: u32 = mask(HarnessLine::Busy)
    | mask(HarnessLine::NotReady)
    | mask(HarnessLine::NotAccepted)
    | mask(HarnessLine::Attention)
    | mask(HarnessLine::TokenOut);
/// The lines that a terminator of the harness holds up.
pub const TERMINATED: u32 = OPEN_DRAIN & !mask(HarnessLine::TokenOut) | SELECT;
/// What the master drives.
pub const MASTER: u32 = SELECT | DATA | CLOCK;

/// Alternatives 0 and 3, as function words have them.
const ALTERNATIVE_0: u32 = 4;
const ALTERNATIVE_3: u32 = 7;

/// The pins by which a slave listens: select, data, clock. Its data pins are swapped against the data sheet, and the
/// one by which it would answer is never given to it: on a Pi 4 that is the master's data pin.
pub const fn slave(chip: SpiChip) -> u32 {
    match chip {
        SpiChip::Bcm2837 => 1 << 21 | 1 << 20 | 1 << 19,
        SpiChip::Bcm2711 => SELECT | 1 << 9 | CLOCK,
    }
}

/// What a board does with the wires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Its slave hears.
    Listens,
    /// Its master drives.
    Talks,
    /// It holds select low and the clock still, and has let go of the data wire.
    Polls,
}

/// Function words of a board in `role`, of the pins that it uses in any.
pub const fn functions(chip: SpiChip, role: Role) -> [u32; 3] {
    const OUTPUT: u32 = 1;
    let masters = match role {
        Role::Listens => 0,
        Role::Talks => MASTER,
        Role::Polls => CLOCK,
    };
    let mut words = [0; 3];
    let mut pin = 0;
    while pin < 30 {
        let bit = 1 << pin;
        let function = if masters & bit != 0 {
            ALTERNATIVE_0
        } else if matches!(role, Role::Polls) && bit == SELECT {
            OUTPUT
        } else if slave(chip) & bit != 0 {
            ALTERNATIVE_3
        } else {
            0
        };
        words[pin / 10] |= function << (pin % 10 * 3);
        pin += 1;
    }
    words
}
