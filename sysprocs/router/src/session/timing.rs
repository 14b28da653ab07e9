//! The link's time-outs.

/// Times of a link, which depend on its rate and on the speed of the boards.
#[derive(Clone, Copy, Debug)]
pub struct LinkTiming {
    /// A page alone on the link, ns.
    pub page_ns: u64,
    /// A frame is acknowledged by a frame of its own if for this long no other goes back, ns.
    pub acknowledge_ns: u64,
    /// The router probes for arrived frames if none was acknowledged for this long, ns.
    pub retransmit_ns: u64,
    /// Between two greetings to a board that does not answer, ns.
    pub hello_ns: u64,
    /// The router probes a silent board of which it awaits something after this long, ns.
    pub probe_ns: u64,
    /// Between two questions that are not answered, ns.
    pub ask_ns: u64,
    /// Of this board something is awaited: silent for this long, it is dead, ns.
    pub dead_ns: u64,
}

impl LinkTiming {
    /// The bus on the pins of a Pi 3, 18 Mbit/s: a full frame takes half a millisecond, a page two. With
    /// eight boards that all send as much as they can, each hears from each other every 45 ms.
    pub const PI3: LinkTiming = LinkTiming {
        page_ns: 2_000_000,
        acknowledge_ns: 3_000_000,
        retransmit_ns: 10_000_000,
        hello_ns: 10_000_000,
        probe_ns: 20_000_000,
        ask_ns: 4_000_000,
        dead_ns: 90_000_000,
    };
    /// The pins of emulated boards, whose edges take a microsecond: a full frame takes two milliseconds, a page eight.
    pub const PINS: LinkTiming = LinkTiming {
        page_ns: 8_000_000,
        acknowledge_ns: 10_000_000,
        retransmit_ns: 50_000_000,
        hello_ns: 50_000_000,
        probe_ns: 100_000_000,
        ask_ns: 20_000_000,
        dead_ns: 450_000_000,
    };
    /// All of them, as a board's configuration names them.
    pub const NAMED: [(&str, LinkTiming); 3] =
        [("pi3", LinkTiming::PI3), ("pins", LinkTiming::PINS), ("paper-1989", LinkTiming::PAPER_1989)];
    /// The times called `name`.
    pub fn named(name: &str) -> Option<LinkTiming> {
        LinkTiming::NAMED.iter().find(|(known, _)| *known == name).map(|(_, timing)| *timing)
    }
    /// The shortest wait of a session that is up, ns.
    pub(crate) fn wait_min_ns(&self) -> u64 {
        let LinkTiming { acknowledge_ns, retransmit_ns, probe_ns, ask_ns, dead_ns, .. } = *self;
        acknowledge_ns.min(retransmit_ns).min(probe_ns).min(ask_ns).min(dead_ns)
    }
    /// Boards of one million instructions a second on 4 Mbit/s.
    pub const PAPER_1989: LinkTiming = LinkTiming {
        page_ns: 29_000_000,
        acknowledge_ns: 50_000_000,
        retransmit_ns: 500_000_000,
        hello_ns: 500_000_000,
        probe_ns: 1_000_000_000,
        ask_ns: 200_000_000,
        dead_ns: 4_500_000_000,
    };
}

/// Greetings before a board that was never there is declared dead.
pub const HELLOS_MAX: u64 = 200;
/// A board that is heard, but acknowledges nothing, is dead after this many times `dead_ns`.
pub const STUCK_FACTOR: u64 = 10;
/// The router gives up a board that is heard but leaves a revocation unanswered for this many times `dead_ns`: 5 s
/// with `pi3`.
pub const ANSWER_FACTOR: u64 = 56;
