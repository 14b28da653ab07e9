//! What carries frames between emulated boards.

use clap::ValueEnum;

/// Links by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkName {
    /// The emulator's device: a token bus with the profile's rate
    Emulator,
    /// The boards' GPIO pins, connected to each other, with the driver that real boards run, over 16 data wires; slow
    Pins,
    /// The same over 4 data wires
    Pins4,
}
