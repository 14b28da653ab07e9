//! The header of 40 places that all models have: which pin of the processor is at which place.

/// What a place of the header is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderUse {
    /// A pin of the processor.
    Gpio(u8),
    /// Ground.
    Ground,
    /// The board's 3.3 V.
    Volts3,
    /// The board's 5 V.
    Volts5,
}

use HeaderUse::{Gpio, Ground, Volts3, Volts5};

/// Places 1, 2, 3 and so on: the odd ones are the inner row.
const PLACES: [HeaderUse; 40] = [
    Volts3,
    Volts5,
    Gpio(2),
    Volts5,
    Gpio(3),
    Ground,
    Gpio(4),
    Gpio(14),
    Ground,
    Gpio(15), // 1 to 10
    Gpio(17),
    Gpio(18),
    Gpio(27),
    Ground,
    Gpio(22),
    Gpio(23),
    Volts3,
    Gpio(24),
    Gpio(10),
    Ground, // 11 to 20
    Gpio(9),
    Gpio(25),
    Gpio(11),
    Gpio(8),
    Ground,
    Gpio(7),
    Gpio(0),
    Gpio(1),
    Gpio(5),
    Ground, // 21 to 30
    Gpio(6),
    Gpio(12),
    Gpio(13),
    Ground,
    Gpio(19),
    Gpio(16),
    Gpio(26),
    Gpio(20),
    Ground,
    Gpio(21), // 31 to 40
];

/// What place `place` (1 to 40) is.
pub fn use_of(place: u8) -> Option<HeaderUse> {
    PLACES.get(usize::from(place).checked_sub(1)?).copied()
}

/// The place of pin `gpio`, if the header has it.
pub fn place_of(gpio: u8) -> Option<u8> {
    (1..).zip(PLACES).find(|(_, at)| *at == Gpio(gpio)).map(|(place, _)| place)
}

/// The places that are ground.
pub fn grounds() -> impl Iterator<Item = u8> {
    (1..).zip(PLACES).filter(|(_, at)| *at == Ground).map(|(place, _)| place)
}
