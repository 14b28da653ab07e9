//! How long the router waits for what.

/// Times of a link, which depend on its rate and on the speed of the boards.
#[derive(Clone, Copy, Debug)]
pub struct LinkTiming {
    /// A frame is acknowledged by a frame of its own if for this long no other goes back, ns.
    pub acknowledge_ns: u64,
    /// Frames are sent again if for this long none of them was acknowledged, ns.
    pub retransmit_ns: u64,
    /// Between two greetings to a board that does not answer, ns.
    pub greet_ns: u64,
}

impl LinkTiming {
    /// The bus on the pins of a Pi 3, 18 Mbit/s: a full frame takes half a millisecond, a page two.
    pub const PI3: LinkTiming =
        LinkTiming { acknowledge_ns: 3_000_000, retransmit_ns: 10_000_000, greet_ns: 10_000_000 };
    /// The times called `name`, as boards are told.
    pub fn named(name: &str) -> Option<LinkTiming> {
        match name {
            "pi3" => Some(LinkTiming::PI3),
            "paper-1989" => Some(LinkTiming::PAPER_1989),
            _ => None,
        }
    }
    /// Boards of one million instructions a second on 4 Mbit/s.
    pub const PAPER_1989: LinkTiming =
        LinkTiming { acknowledge_ns: 50_000_000, retransmit_ns: 500_000_000, greet_ns: 500_000_000 };
}

/// Times that frames are sent again before the board is declared dead; with [`LinkTiming::PI3`] it is
/// dead after 50 ms.
pub const RETRIES_MAX: u8 = 4;
/// Greetings before a board that was never there, or is there no more, is declared dead.
pub const GREETINGS_MAX: u16 = 200;
