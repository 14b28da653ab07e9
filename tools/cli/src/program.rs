//! What a board can run in place of a system.

use clap::ValueEnum;

/// Programs of the kernel's image, by the names that boards know them by.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramName {
    /// The test of the link's wires
    Pintest,
    /// The measurement of the link
    Linkbench,
}

impl ProgramName {
    /// Options for the board that ends an emulated run: on real boards these programs never end.
    pub fn ends(self) -> &'static str {
        match self {
            ProgramName::Pintest => " rounds=2",
            ProgramName::Linkbench => " rounds=1 span_ms=10",
        }
    }

    /// The word for it among a board's arguments.
    pub fn name(self) -> &'static str {
        match self {
            ProgramName::Pintest => "pintest",
            ProgramName::Linkbench => "linkbench",
        }
    }
}
