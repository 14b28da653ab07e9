//! The link on the pins of the boards: sixteen data wires (or four, or one) and six control lines.
//!
//! The driver is straight-line code over [`PinBank`]: on a board it spins on the pins, on the host the
//! same code runs against a model of them. `docs/reference/link-pins.md` is the protocol.
//!
//! Invariant: every wait has a bound ([`PinTiming`]) and ends with a [`BusError`] that names the line; after it this
//! board drives no line that others need. Not here: the right to talk (`renga-mac`); registers (`renga-board-rpi`).
//!
//! [`PinBank`]: renga_hal::gpio::PinBank

pub(crate) mod bus;
mod error;
pub(crate) mod listen;
#[cfg(feature = "host")]
pub mod model;
pub mod script;
mod talk;
pub mod test;
mod timing;
pub mod wiring;

pub use bus::{Handshake, PinBus, PullUps, Wiring};
pub use error::BusError;
pub use listen::Reception;
pub use timing::PinTiming;
pub use wiring::{HarnessLine, PinName, Width, data_pin};

/// The pins on a bus with a token.
pub type PinPhy<G> = crate::bus_phy::BusPhy<PinBus<G>>;
