//! What carries frames between emulated boards.

use clap::ValueEnum;
use renga_boot_card::LinkMode;

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

impl LinkName {
    /// What the boards' pins are wired for, if the link is on them.
    pub fn on_pins(self) -> Option<LinkMode> {
        match self {
            LinkName::Emulator => None,
            LinkName::Pins => Some(LinkMode::Pins),
            LinkName::Pins4 => Some(LinkMode::Pins4),
        }
    }
}
