//! What befalls boards and the link during a run, drawn from a seed.
//!
//! Invariant: every incident ends by itself; when all have ended, each board has power, hears the
//! others and is as fast as it was. Not here: what becomes of the processes (`cluster`).

use crate::random::Random;
use renga_phy::loopback::Faults;

/// Shortest and longest time without power, out of reach, or hung.
const TROUBLE_NS: (u64, u64) = (50_000, 400_000_000);
/// Shortest and longest burst of faults of the link.
const BURST_NS: (u64, u64) = (1_000_000, 100_000_000);
/// Frames of a thousand that a burst harms in each way, at most.
const BURST_PER_MILLE: u64 = 900;
/// Of a hundred runs: those with a link that is good, and those with one that is fair.
const GOOD_LINKS_PERCENT: u64 = 40;
const FAIR_LINKS_PERCENT: u64 = 75;
/// Frames of a thousand that a fair link and a bad one harm in each way, at most.
const FAIR_PER_MILLE: u64 = 50;
const BAD_PER_MILLE: u64 = 300;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// A board loses its power; in the end it boots again.
    Death(u8),
    /// A board does nothing, and hears nothing.
    Hang(u8),
    /// A board is taken off the bus, and goes on without it.
    CutOff(u8),
    /// The link is worse.
    Burst(Faults),
}

impl Trouble {
    /// What it is called where it is counted.
    pub const fn name(&self) -> &'static str {
        match self {
            Trouble::Death(_) => "deaths",
            Trouble::Hang(_) => "hangs",
            Trouble::CutOff(_) => "cut off",
            Trouble::Burst(_) => "bursts",
        }
    }
}

/// Something that happens at a time and for a time.
#[derive(Clone, Copy, Debug)]
pub struct Incident {
    /// Simulated time, ns.
    pub at_ns: u64,
    /// How long it lasts, ns.
    pub for_ns: u64,
    /// What.
    pub trouble: Trouble,
}

impl Incident {
    /// Draws one that begins before `horizon_ns`, in a cluster of `boards`.
    pub fn draw(random: &mut Random, boards: u8, horizon_ns: u64) -> Incident {
        let (at_ns, board) = (random.below(horizon_ns), random.below(u64::from(boards)) as u8);
        let trouble = match random.below(8) {
            0..=2 => Trouble::Death(board),
            3 | 4 => Trouble::Hang(board),
            5 | 6 => Trouble::CutOff(board),
            _ => Trouble::Burst(faults(random, BURST_PER_MILLE)),
        };
        let (least, most) = if let Trouble::Burst(_) = trouble { BURST_NS } else { TROUBLE_NS };
        Incident { at_ns, for_ns: random.spread(least, most), trouble }
    }

    /// The same in a cluster of `boards`.
    pub fn within(self, boards: u8) -> Incident {
        let trouble = match self.trouble {
            Trouble::Death(board) => Trouble::Death(board % boards),
            Trouble::Hang(board) => Trouble::Hang(board % boards),
            Trouble::CutOff(board) => Trouble::CutOff(board % boards),
            burst => burst,
        };
        Incident { trouble, ..self }
    }
}

/// A step of the schedule.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// When.
    pub at_ns: u64,
    /// Whether the trouble begins, or ends.
    pub begins: bool,
    /// What.
    pub trouble: Trouble,
}

/// Beginnings and ends of all incidents, in order.
pub fn schedule(incidents: &[Incident]) -> Vec<Turn> {
    let turns = incidents.iter().flat_map(|&Incident { at_ns, for_ns, trouble }| {
        let begin = Turn { at_ns, begins: true, trouble };
        [begin, Turn { at_ns: at_ns + for_ns, begins: false, ..begin }]
    });
    let mut turns: Vec<Turn> = turns.collect();
    turns.sort_by_key(|turn| turn.at_ns);
    turns
}

fn faults(random: &mut Random, most: u64) -> Faults {
    let mut draw = || random.below(most + 1) as u16;
    Faults { lost_per_mille: draw(), doubled_per_mille: draw(), changed_per_mille: draw() / 2 }
}

/// Draws how bad the link is from the beginning to the end.
pub fn draw_link(random: &mut Random) -> Faults {
    match random.below(100) {
        0..GOOD_LINKS_PERCENT => Faults::default(),
        GOOD_LINKS_PERCENT..FAIR_LINKS_PERCENT => faults(random, FAIR_PER_MILLE),
        _ => faults(random, BAD_PER_MILLE),
    }
}
