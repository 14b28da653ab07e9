//! Faults of boards and the link during a run, random from a seed.
//!
//! Invariant: every incident ends by itself; when all have ended, each board has power, hears the
//! others and is as fast as it was. Not here: what becomes of the processes (`cluster`).

use crate::system::DiskFaults;
use renga_phy::loopback::Faults;
use renga_random::Random;

/// Shortest and longest time without power, out of reach, or hung.
const TROUBLE_NS: (u64, u64) = (50_000, 400_000_000);
/// Shortest and longest burst of faults of the link.
const BURST_NS: (u64, u64) = (1_000_000, 100_000_000);
/// Frames of a thousand that a burst harms in each way, at most.
const BURST_PER_MILLE: u64 = 900;
/// When the first of those that need a whole system begins.
const EARLIEST_NS: u64 = 1_000_000;
/// How many times as long programs of a slow board take, at most.
const SLOW_MAX: u64 = 200;
/// Transfers of a thousand that fail while the medium fails, below this; it is tried again where one fails.
const DISK_PER_MILLE: u64 = 300;
/// Writes from the beginning of a power cut to the one that it tears, below this.
const DISK_WRITES: u64 = 32;
/// Of a hundred runs: those with a link that is good, and those with one that is fair.
const GOOD_LINKS_PERCENT: u64 = 40;
const FAIR_LINKS_PERCENT: u64 = 75;
/// Longest delay of a frame, at least and at most.
const DELAY_NS: (u64, u64) = (1_000, 4_000_000);
/// Frames of a thousand that a fair link and a bad one harm in each way, at most.
const FAIR_PER_MILLE: u64 = 50;
const BAD_PER_MILLE: u64 = 300;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// A board loses its power; in the end it boots again.
    Death(u8),
    /// A board does nothing, and hears nothing; then it goes on where it was.
    Hang(u8),
    /// A board does nothing, and hears nothing; then it is reset.
    Wedge(u8),
    /// A board is taken off the bus, and goes on without it.
    CutOff(u8),
    /// Boards hear only those with the same bit here.
    Parting(u8),
    /// A board takes the next hand-over of the token for one that was answered, and it was not.
    TokenLost,
    /// A board is offered a token by no holder.
    TokenDoubled(u8),
    /// The link is worse.
    Burst(Faults),
    /// The programs of a board take so many times as long.
    Slow(u8, u32),
    /// Transfers of the medium fail.
    DiskErrors(DiskFaults),
    /// The board with the disk loses its power during the write after the next so many; in the end it boots again.
    DiskCut(u64),
    /// A board loses its power at the frame after the next so many on the bus; in the end it boots again.
    FrameCut(u8, u64),
}

impl Trouble {
    /// Whether boards that live may lose each other for it: out of reach, or so late that they are thought dead.
    pub const fn parts(&self) -> bool {
        use Trouble::{Burst, CutOff, Hang, Parting, Slow};
        matches!(self, Hang(_) | CutOff(_) | Parting(_) | Burst(_) | Slow(..))
    }

    /// What it is called where it is counted.
    pub const fn name(&self) -> &'static str {
        match self {
            Trouble::Death(_) => "deaths",
            Trouble::Hang(_) => "hangs",
            Trouble::Wedge(_) => "hangs, then reset",
            Trouble::CutOff(_) => "cut off",
            Trouble::Parting(_) => "partitions",
            Trouble::TokenLost => "tokens lost",
            Trouble::TokenDoubled(_) => "tokens doubled",
            Trouble::Burst(_) => "bursts",
            Trouble::Slow(..) => "slow boards",
            Trouble::DiskErrors(_) => "disk errors",
            Trouble::DiskCut(_) => "power cuts of the disk",
            Trouble::FrameCut(..) => "power cuts at a frame",
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
        let trouble = match random.below(13) {
            0..=3 => Trouble::Death(board),
            4 | 5 => Trouble::Hang(board),
            6 => Trouble::Wedge(board),
            7 | 8 => Trouble::CutOff(board),
            9 => Trouble::Parting(random.below(1 << boards) as u8),
            10 => Trouble::TokenLost,
            11 => Trouble::TokenDoubled(board),
            _ => Trouble::Burst(faults(random, BURST_PER_MILLE)),
        };
        let (least, most) = if let Trouble::Burst(_) = trouble { BURST_NS } else { TROUBLE_NS };
        Incident { at_ns, for_ns: random.spread(least, most), trouble }
    }

    /// Draws one of those that need a whole system.
    pub fn draw_of_system(random: &mut Random, boards: u8, horizon_ns: u64) -> Incident {
        // Most runs do most of their work early.
        let at_ns = random.spread(EARLIEST_NS, horizon_ns);
        let trouble = match random.below(5) {
            0 => Trouble::Slow(random.below(u64::from(boards)) as u8, random.spread(2, SLOW_MAX) as u32),
            1 | 2 => {
                let mut per_mille = || random.below(DISK_PER_MILLE) as u32 * u32::from(random.occurs(50));
                let (reads, writes) = (per_mille(), per_mille());
                Trouble::DiskErrors(DiskFaults { reads_per_mille: reads, writes_per_mille: writes })
            }
            _ => Trouble::DiskCut(random.spread(1, DISK_WRITES) - 1),
        };
        Incident { at_ns, for_ns: random.spread(TROUBLE_NS.0, TROUBLE_NS.1), trouble }
    }

    /// The same in a cluster of `boards`.
    pub fn within(self, boards: u8) -> Incident {
        let trouble = match self.trouble {
            Trouble::Death(board) => Trouble::Death(board % boards),
            Trouble::Hang(board) => Trouble::Hang(board % boards),
            Trouble::Wedge(board) => Trouble::Wedge(board % boards),
            Trouble::TokenDoubled(board) => Trouble::TokenDoubled(board % boards),
            Trouble::CutOff(board) => Trouble::CutOff(board % boards),
            Trouble::Slow(board, times) => Trouble::Slow(board % boards, times),
            Trouble::FrameCut(board, frames) => Trouble::FrameCut(board % boards, frames),
            of_all => of_all,
        };
        Incident { trouble, ..self }
    }
}

/// A step of the schedule.
#[derive(Clone, Copy, Debug)]
pub struct IncidentStep {
    /// When.
    pub at_ns: u64,
    /// Whether the trouble begins, or ends.
    pub begins: bool,
    /// What.
    pub trouble: Trouble,
}

/// Beginnings and ends of all incidents, in order.
pub fn schedule(incidents: &[Incident]) -> Vec<IncidentStep> {
    let steps = incidents.iter().flat_map(|&Incident { at_ns, for_ns, trouble }| {
        let begin = IncidentStep { at_ns, begins: true, trouble };
        [begin, IncidentStep { at_ns: at_ns + for_ns, begins: false, ..begin }]
    });
    let mut steps: Vec<IncidentStep> = steps.collect();
    steps.sort_by_key(|step| step.at_ns);
    steps
}

fn faults(random: &mut Random, most: u64) -> Faults {
    // Few runs have all of them, so that each is also seen alone.
    let mut draw = || if random.occurs(50) { random.below(most + 1) as u16 } else { 0 };
    Faults {
        lost_per_mille: draw(),
        doubled_per_mille: draw(),
        changed_per_mille: draw() / 2,
        unanswered_per_mille: draw(),
        dropped_per_mille: draw() / 2,
        delayed_per_mille: draw(),
        token_lost_per_mille: draw() / 2,
        token_doubled_per_mille: draw() / 2,
        delay_ns: random.spread(DELAY_NS.0, DELAY_NS.1),
    }
}

/// Draws how bad the link is from the beginning to the end.
pub fn draw_link(random: &mut Random) -> Faults {
    match random.below(100) {
        0..GOOD_LINKS_PERCENT => Faults::NONE,
        GOOD_LINKS_PERCENT..FAIR_LINKS_PERCENT => faults(random, FAIR_PER_MILLE),
        _ => faults(random, BAD_PER_MILLE),
    }
}
