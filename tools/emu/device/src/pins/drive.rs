//! What a board does to its pins.

use serde::{Deserialize, Serialize};

/// What a board does to each of its pins 0 to 31, one bit a pin. A pin is in `low` or in `high` or in neither (an
/// input), and has a weak resistor upwards or downwards or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinDrive {
    /// Outputs at low level.
    pub low: u32,
    /// Outputs at high level.
    pub high: u32,
    /// Resistors upwards.
    pub up: u32,
    /// Resistors downwards.
    pub down: u32,
}

impl PinDrive {
    /// After a reset: all pins are inputs, 0 to 8 pulled up, the others down.
    pub const RESET: PinDrive = PinDrive { low: 0, high: 0, up: 0x1ff, down: !0x1ff };

    /// Both at once.
    pub fn with(self, other: PinDrive) -> PinDrive {
        PinDrive {
            low: self.low | other.low,
            high: self.high | other.high,
            up: self.up | other.up,
            down: self.down | other.down,
        }
    }

    /// The same for the pins in `mask` only.
    pub fn only(self, mask: u32) -> PinDrive {
        PinDrive { low: self.low & mask, high: self.high & mask, up: self.up & mask, down: self.down & mask }
    }

    /// The same with pin `from` as pin `to`, and no other pin.
    pub fn moved(self, from: u8, to: u8) -> PinDrive {
        let bit = |mask: u32| (mask >> from & 1) << to;
        PinDrive { low: bit(self.low), high: bit(self.high), up: bit(self.up), down: bit(self.down) }
    }

    /// Pins of which the two differ.
    pub fn differs(self, other: PinDrive) -> u32 {
        self.low ^ other.low | self.high ^ other.high | self.up ^ other.up | self.down ^ other.down
    }

    /// The levels that follow if nothing else acts but strong resistors upwards at `held_up`.
    pub fn level(self, held_up: u32) -> u32 {
        !self.low & (self.high | held_up | self.up & !self.down)
    }
}
