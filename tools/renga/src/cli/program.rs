//! What a board can run in place of a system.

use clap::ValueEnum;

/// Programs of the kernel's image, by the names that boards know them by.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramName {
    /// The test of the link's wires
    Pintest,
}

impl ProgramName {
    /// The word for it among a board's arguments.
    pub fn name(self) -> &'static str {
        match self {
            ProgramName::Pintest => "pintest",
        }
    }
}
