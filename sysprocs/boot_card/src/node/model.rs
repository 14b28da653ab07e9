//! Kinds of boards, and what joins them.

use core::fmt;

/// A kind of board, as far as cards differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Raspberry Pi 3 B, 3 B+ or 3 A+.
    Pi3,
    /// Raspberry Pi Zero 2 W.
    Zero2W,
    /// Raspberry Pi 4 B.
    Pi4,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 3] = [Model::Pi3, Model::Zero2W, Model::Pi4];

    /// The word for it in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Pi3 => "pi3",
            Model::Zero2W => "zero2w",
            Model::Pi4 => "pi4",
        }
    }

    /// The model of this name.
    pub fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What joins the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMode {
    /// The bus on the pins with sixteen data wires.
    Pins,
    /// The same with four.
    Pins4,
    /// SPI master to SPI slaves; experimental.
    Spi,
}

impl LinkMode {
    /// All of them.
    pub const ALL: [LinkMode; 3] = [LinkMode::Pins, LinkMode::Pins4, LinkMode::Spi];

    /// The word for it in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            LinkMode::Pins => "pins",
            LinkMode::Pins4 => "pins4",
            LinkMode::Spi => "spi",
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<LinkMode> {
        LinkMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

impl fmt::Display for LinkMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
