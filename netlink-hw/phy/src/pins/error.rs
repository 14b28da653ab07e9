//! What can go wrong on the pins. Every wait ends with one of these after a stated time.

use super::wiring::{HarnessLine, PinName};
use core::fmt;

/// Why an operation on the bus ended early. All lines of this board are released by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusError {
    /// A line did not do within its bound what the other side owed.
    NoAnswer(HarnessLine),
    /// Both acknowledgement lines are high: no board takes part.
    NobodyListens,
    /// Own data pins read otherwise than they are driven: a mask of pins.
    WiresDiffer(u32),
    /// Another board talks too: the data wires that it drives, a mask of pins.
    Collision(u32),
    /// The talker gave the frame up.
    Abandoned,
    /// The frame as a whole took longer than its bound.
    FrameTooSlow,
    /// No octets came over SPI, though a frame had begun.
    NoOctets,
    /// The SPI master did not end its transfer.
    MasterStuck,
    /// The header's checksum does not match, or it announces more than a frame holds.
    HeaderDamaged,
    /// A frame that is shorter than its header, longer than a frame may be, or odd.
    NotAFrame,
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BusError::NoAnswer(line) => write!(f, "{} did not change in time", line.name()),
            BusError::NobodyListens => f.write_str("no board listens"),
            BusError::WiresDiffer(pins) => named(f, "driven otherwise than read:", *pins),
            BusError::Collision(pins) => named(f, "another board talks:", *pins),
            BusError::Abandoned => f.write_str("the talker gave up"),
            BusError::FrameTooSlow => f.write_str("the frame took too long"),
            BusError::NoOctets => f.write_str("no octets came over SPI"),
            BusError::MasterStuck => f.write_str("the SPI master did not end its transfer"),
            BusError::HeaderDamaged => f.write_str("damaged header"),
            BusError::NotAFrame => f.write_str("not a frame"),
        }
    }
}

fn named(f: &mut fmt::Formatter<'_>, what: &str, pins: u32) -> fmt::Result {
    f.write_str(what)?;
    (0..32).filter(|pin| pins >> pin & 1 != 0).try_for_each(|pin| write!(f, " {}", PinName(pin)))
}
