//! Which wires the link has, and by which pins of this board.
//!
//! Not here: what is wrong with them.

use crate::pins::wiring::{DATA_NAMES, HarnessLine, Width, data_pin};
use crate::spi::wiring::{self as spi, SpiChip};

/// Wires of a link at most.
pub const WIRES_MAX: usize = 23;

/// The lines that all boards share and that rest high in operation too, but for the strobe.
const SHARED: [HarnessLine; 4] =
    [HarnessLine::Busy, HarnessLine::NotReady, HarnessLine::NotAccepted, HarnessLine::Attention];

/// What a wire is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Data: pulled up by the boards' own pulls only, and only in this test.
    Data,
    /// A control line of all boards, which the harness holds up.
    Control,
    /// To the next board.
    TokenOut,
    /// From the board before.
    TokenIn,
}

impl Use {
    /// Whether it joins two boards only.
    pub(super) fn is_token(self) -> bool {
        matches!(self, Use::TokenOut | Use::TokenIn)
    }
}

/// A wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Its name on the harness.
    pub name: &'static str,
    /// The pins that this board has on it.
    pub pins: u32,
    /// The one of them by which it pulls.
    pub pull: u32,
    /// What it is for.
    pub used: Use,
}

impl Wire {
    const NONE: Wire = Wire { name: "", pins: 0, pull: 0, used: Use::Data };
}

/// The wires of a board.
#[derive(Clone, Copy, Debug)]
pub struct Harness {
    wires: [Wire; WIRES_MAX],
    count: usize,
}

impl Harness {
    /// Of the bus on pins.
    pub fn on_pins(width: Width) -> Harness {
        let mut harness = Harness { wires: [Wire::NONE; WIRES_MAX], count: 0 };
        for (wire, name) in DATA_NAMES.iter().enumerate().take(width.wires() as usize) {
            harness.add(name, 1 << data_pin(wire as u8), 0, Use::Data);
        }
        harness.add(HarnessLine::Strobe.name(), HarnessLine::Strobe.mask(), 0, Use::Control);
        harness.with_lines(HarnessLine::mask)
    }

    /// Of the bus over SPI, at a board with this chip: its slave's pins are on the wires too.
    pub fn over_spi(chip: SpiChip) -> Harness {
        let mut harness = Harness { wires: [Wire::NONE; WIRES_MAX], count: 0 };
        // The slave's.
        let [data, clock, select] = match chip {
            SpiChip::Bcm2837 => [1 << 20, 1 << 19, 1 << 21],
            SpiChip::Bcm2711 => [1 << 9, 0, 0],
        };
        harness.add("DATA", spi::DATA, data, Use::Data);
        harness.add("SCLK", spi::CLOCK, clock, Use::Data);
        harness.add("CE#", spi::SELECT, select, Use::Control);
        harness.with_lines(spi::mask)
    }

    fn with_lines(mut self, pin: impl Fn(HarnessLine) -> u32) -> Harness {
        for line in SHARED {
            self.add(line.name(), pin(line), 0, Use::Control);
        }
        self.add(HarnessLine::TokenOut.name(), pin(HarnessLine::TokenOut), 0, Use::TokenOut);
        self.add(HarnessLine::TokenIn.name(), pin(HarnessLine::TokenIn), 0, Use::TokenIn);
        self
    }

    fn add(&mut self, name: &'static str, pull: u32, others: u32, used: Use) {
        self.wires[self.count] = Wire { name, pins: pull | others, pull, used };
        self.count += 1;
    }

    /// The wires, in the order of their numbers.
    pub fn wires(&self) -> &[Wire] {
        self.wires.get(..self.count).unwrap_or_default()
    }

    /// The number of the wire called so.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.wires().iter().position(|wire| wire.name == name)
    }

    /// The first wire with one of `pins`.
    pub(super) fn wire_at(&self, pins: u32) -> Option<usize> {
        self.wires().iter().position(|wire| wire.pins & pins != 0)
    }

    /// The pins by which the wires that are `wanted` are pulled.
    pub(super) fn pulls_of(&self, wanted: impl Fn(&Wire) -> bool) -> u32 {
        self.wires().iter().filter(|wire| wanted(wire)).fold(0, |pins, wire| pins | wire.pull)
    }

    /// All pins of this board.
    pub(super) fn all_pins(&self) -> u32 {
        self.wires().iter().fold(0, |pins, wire| pins | wire.pins)
    }
}
