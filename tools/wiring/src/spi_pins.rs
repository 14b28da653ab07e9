//! Which pins of a board are on each wire of the bus over SPI: those of its master, and those of its slave.
//!
//! Invariant: together they are [`MASTER`] and [`slave`], which the drivers use.

use renga_boot_card::Model;
use renga_phy::spi::wiring::{CLOCK, DATA, MASTER, SELECT, SpiChip, slave};

/// Pins of one board on the three wires of SPI, as masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpiPins {
    /// On CE#.
    pub select: u32,
    /// On DATA.
    pub data: u32,
    /// On SCLK.
    pub clock: u32,
}

/// The chip of a model.
pub(crate) fn chip(model: Model) -> SpiChip {
    match model {
        Model::Pi3 | Model::Zero2W => SpiChip::Bcm2837,
        Model::Pi4 => SpiChip::Bcm2711,
    }
}

/// The pins of a board with `chip`.
pub(crate) const fn spi_pins(chip: SpiChip) -> SpiPins {
    // A slave has its clock lowest and its select highest, but for those that are the master's too.
    let others = slave(chip) & !MASTER;
    let (select, clock) = match chip {
        SpiChip::Bcm2837 => (1 << (31 - others.leading_zeros()), 1 << others.trailing_zeros()),
        SpiChip::Bcm2711 => (0, 0),
    };
    SpiPins { select: SELECT | select, data: DATA | others & !select & !clock, clock: CLOCK | clock }
}

/// No pin of the drivers is forgotten.
const fn is_whole(chip: SpiChip) -> bool {
    let SpiPins { select, data, clock } = spi_pins(chip);
    select | data | clock == MASTER | slave(chip) && select & data == 0 && data & clock == 0 && clock & select == 0
}
const _: () = assert!(is_whole(SpiChip::Bcm2837) && is_whole(SpiChip::Bcm2711));
