//! How fast boards reach their pins, and what they take for high and low. `docs/reference/link-pins.md`.

use crate::spi::wiring::SpiChip;

/// A kind of board at a clock rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// What it is called.
    pub name: &'static str,
    /// Its chip.
    pub chip: SpiChip,
    /// A read of the levels takes this long, ns; it samples the pins in the middle.
    pub read_ns: u64,
    /// From a store to the pin, ns.
    pub write_ns: u64,
    /// Stores follow each other no faster than this, ns.
    pub spacing_ns: u64,
    /// The processor's clock, MHz.
    pub mhz: u64,
    /// The processor's own work before each access, unless it listens, ns.
    pub talker_ns: u64,
    /// The same while it listens.
    pub listener_ns: u64,
    /// Resolution of the clock, ns.
    pub tick_ns: u64,
    /// Bits of one read are up to this far apart on either side: a clock of the peripherals, ns.
    pub skew_ns: u64,
    /// At or below this a level is low, V.
    pub low_v: f64,
    /// At or above this a level is high, V.
    pub high_v: f64,
}

/// Instructions of the driver before each access, one a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// While it talks.
    pub talker: u64,
    /// While it listens; the checksum of a frame is shared out to its accesses.
    pub listener: u64,
}

/// What `renga bench pins` counts in the image of the boards, of both handshakes the slower one, and rounded
/// up; it fails when that is no longer so.
pub const INSTRUCTIONS: Instructions = Instructions { talker: 12, listener: 17 };

impl Speed {
    /// Pi 3 or Zero 2 W at 1.2 GHz.
    pub const PI3_1200: Speed = Speed {
        name: "Pi 3 1.2 GHz",
        chip: SpiChip::Bcm2837,
        read_ns: 65,
        write_ns: 40,
        spacing_ns: 8,
        mhz: 1200,
        talker_ns: step_ns(INSTRUCTIONS.talker, 1200),
        listener_ns: step_ns(INSTRUCTIONS.listener, 1200),
        tick_ns: 52,
        skew_ns: 4,
        low_v: 0.9,
        high_v: 1.6,
    };
    /// Pi 3 at the 600 MHz at which the firmware leaves it.
    pub const PI3_600: Speed = Speed {
        name: "Pi 3 600 MHz",
        read_ns: 100,
        write_ns: 50,
        mhz: 600,
        talker_ns: step_ns(INSTRUCTIONS.talker, 600),
        listener_ns: step_ns(INSTRUCTIONS.listener, 600),
        ..Speed::PI3_1200
    };
    /// Pi 4 at 600 MHz.
    pub const PI4_600: Speed = Speed {
        name: "Pi 4 600 MHz",
        chip: SpiChip::Bcm2711,
        read_ns: 175,
        write_ns: 50,
        spacing_ns: 4,
        mhz: 600,
        talker_ns: step_ns(INSTRUCTIONS.talker, 600),
        listener_ns: step_ns(INSTRUCTIONS.listener, 600),
        tick_ns: 19,
        skew_ns: 4,
        low_v: 0.8,
        high_v: 2.0,
    };
    /// All of them.
    pub const ALL: [Speed; 3] = [Speed::PI3_1200, Speed::PI3_600, Speed::PI4_600];

    /// The same board with another driver.
    pub const fn with_instructions(self, instructions: Instructions) -> Speed {
        let Instructions { talker, listener } = instructions;
        Speed { talker_ns: step_ns(talker, self.mhz), listener_ns: step_ns(listener, self.mhz), ..self }
    }
}

const fn step_ns(instructions: u64, mhz: u64) -> u64 {
    instructions * 1000 / mhz + 1
}
