//! Which pin is which line, and how a word lies on the data pins.
//!
//! All control lines are in function word 0: one store changes any number of them. Not here: when.

/// A line of the link that is not a data line; active low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HarnessLine {
    /// A board has the token. Open drain, shared.
    Busy,
    /// The talker's strobe: driven by the talker only.
    Strobe,
    /// Not ready for data; the second acknowledgement of the two-edge handshake. Open drain, shared.
    NotReady,
    /// Not accepted; the first acknowledgement of the two-edge handshake. Open drain, shared.
    NotAccepted,
    /// Start of a frame, poll, request, reset. Open drain, shared.
    Attention,
    /// The token comes from the board before.
    TokenIn,
    /// The token goes to the next board. Open drain.
    TokenOut,
}

impl HarnessLine {
    /// All of them.
    pub const ALL: [HarnessLine; 7] = [
        HarnessLine::Busy,
        HarnessLine::Strobe,
        HarnessLine::NotReady,
        HarnessLine::NotAccepted,
        HarnessLine::Attention,
        HarnessLine::TokenIn,
        HarnessLine::TokenOut,
    ];

    /// Its pin.
    pub const fn pin(self) -> u8 {
        match self {
            HarnessLine::TokenOut => 2,
            HarnessLine::Busy => 4,
            HarnessLine::Strobe => 5,
            HarnessLine::NotReady => 6,
            HarnessLine::NotAccepted => 7,
            HarnessLine::Attention => 8,
            HarnessLine::TokenIn => 9,
        }
    }

    /// Its pin as a mask.
    pub const fn mask(self) -> u32 {
        1 << self.pin()
    }

    /// The first line of `mask`, as the pins have them; the strobe if there is none.
    pub fn at(mask: u32) -> HarnessLine {
        *HarnessLine::ALL.iter().find(|line| mask & line.mask() != 0).unwrap_or(&HarnessLine::Strobe)
    }

    /// The name on the harness.
    pub const fn name(self) -> &'static str {
        match self {
            HarnessLine::Busy => "BUSY#",
            HarnessLine::Strobe => "DAV#",
            HarnessLine::NotReady => "NRFD#",
            HarnessLine::NotAccepted => "NDAC#",
            HarnessLine::Attention => "ATN#",
            HarnessLine::TokenIn => "TOK_IN#",
            HarnessLine::TokenOut => "TOK_OUT#",
        }
    }
}

/// How many data wires there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A word at once.
    Sixteen,
    /// Few-wire mode S4: a word in four transfers, low bits first.
    Four,
    /// Few-wire mode S1: a word in sixteen transfers, low bit first.
    One,
}

impl Width {
    /// Data wires.
    pub const fn wires(self) -> u32 {
        match self {
            Width::Sixteen => 16,
            Width::Four => 4,
            Width::One => 1,
        }
    }

    /// Transfers for a word.
    pub const fn transfers(self) -> u32 {
        16 / self.wires()
    }

    /// Pins of the data wires.
    pub const fn pins(self) -> u32 {
        spread(((1 << self.wires()) - 1) as u16)
    }
}

/// The open-drain lines that boards share, and the token's output: latches low, pulled by becoming outputs.
pub const OPEN_DRAIN: u32 = HarnessLine::Busy.mask()
    | HarnessLine::NotReady.mask()
    | HarnessLine::NotAccepted.mask()
    | HarnessLine::Attention.mask()
    | HarnessLine::TokenOut.mask();

/// The lines that a terminator of the harness holds up.
pub const TERMINATED: u32 = OPEN_DRAIN & !HarnessLine::TokenOut.mask() | HarnessLine::Strobe.mask();

/// Where data wire `wire` is: D0 to D11 on pins 16 to 27, D12 to D15 on pins 10 to 13.
pub const fn data_pin(wire: u8) -> u8 {
    if wire < 12 { wire + 16 } else { wire - 2 }
}

/// A word as levels of the data pins.
pub const fn spread(word: u16) -> u32 {
    (word as u32 & 0x0fff) << 16 | (word as u32 & 0xf000) >> 2
}

/// The word on the data pins.
pub const fn gather(levels: u32) -> u16 {
    (levels >> 16 & 0x0fff | levels << 2 & 0xf000) as u16
}

/// The bits of function word `word` that make the pins of `mask` outputs.
pub const fn outputs(mask: u32, word: u32) -> u32 {
    let mut bits = 0;
    let mut pin = 0;
    while pin < 10 && word * 10 + pin < 32 {
        bits |= (mask >> (word * 10 + pin) & 1) << (pin * 3);
        pin += 1;
    }
    bits
}

/// All bits of function word `word` for the pins of `mask`.
pub const fn function_bits(mask: u32, word: u32) -> u32 {
    outputs(mask, word) * 7
}

/// The names of the data wires on the harness, in their order.
pub const DATA_NAMES: [&str; 16] =
    ["D0", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15"];

/// A line of the harness, for messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PinName(pub u8);

impl PinName {
    /// The name on the harness, of a pin that is on it.
    pub fn on_harness(self) -> Option<&'static str> {
        let wire = (0..).zip(DATA_NAMES).find(|(wire, _)| data_pin(*wire) == self.0);
        let line = || HarnessLine::ALL.iter().find(|line| line.pin() == self.0);
        wire.map(|(_, name)| name).or_else(|| line().map(|line| line.name()))
    }
}

impl core::fmt::Display for PinName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.on_harness() {
            Some(name) => f.write_str(name),
            None => write!(f, "GPIO{}", self.0),
        }
    }
}

impl core::fmt::Debug for PinName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}
