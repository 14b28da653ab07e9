//! A point of the map: a cluster, so many callers of one process, a link's rate. It is one run for each mode, in which
//! every size has its round.
//!
//! Invariant: the runs of a point differ in the system's `mode` alone. Every round is the same number of calls between
//! boards for each caller, whatever the size.

use crate::rows::RowPlan;
use crate::run::{BenchMachine, BenchRun, BenchSystem, Edit, PAPERS, PAPERS_ASYNC};

/// What a message crosses in: so many bytes at most in each call.
const PAGE_BYTES: u64 = 4096;
/// Calls of a round, of each caller: four times the copies that a pair of boards has for calls whose callers went on.
pub(super) const CALLS: u64 = 64;
/// Calls of a burst, which is timed by itself: half of those copies.
pub(super) const BURST_CALLS: u64 = 8;
/// Until the last caller is ready, s of virtual time, which passes unused: with the slowest link it loads for a minute.
const READY_S: u64 = 600;
/// Between two rounds, ns: more than the longest takes.
const ROUND_NS: u64 = 200_000_000_000;
/// The file that is written, of which each caller has 64 KiB.
const FILE: &str = "/tmp/told";

/// A board without leases, whose every write crosses.
macro_rules! bare {
    ($name:literal, $kib:literal) => {
        (
            concat!("{ name = \"", $name, "\", message_kib = ", $kib, " },"),
            concat!("{ name = \"", $name, "\", message_kib = ", $kib, ", leases = false },"),
        )
    };
}

const ASYNC: Edit = PAPERS_ASYNC.edits[1];
const QUAD: [Edit; 4] = [bare!("b", "2048"), bare!("c", "2048"), bare!("d", "2048"), ASYNC];
const OCTET: [Edit; 8] = [
    bare!("b", "4096"),
    bare!("c", "4096"),
    bare!("d", "4096"),
    bare!("e", "4096"),
    bare!("f", "4096"),
    bare!("g", "4096"),
    bare!("h", "4096"),
    ASYNC,
];

/// Clusters of the map: boards, and the systems whose calls wait and whose calls that return nothing do not.
const CLUSTERS: [(usize, [BenchSystem; 2]); 3] = [
    (2, [PAPERS, PAPERS_ASYNC]),
    (4, [system("no leases", "quad", QUAD.split_at(3).0), system("no leases, async", "quad", &QUAD)]),
    (8, [system("no leases", "octet", OCTET.split_at(7).0), system("no leases, async", "octet", &OCTET)]),
];

const fn system(label: &'static str, base: &'static str, edits: &'static [Edit]) -> BenchSystem {
    BenchSystem { label, base, edits }
}

/// What the map goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axes {
    pub(super) boards: &'static [usize],
    pub(super) callers: &'static [u64],
    pub(super) rates_mbit: &'static [u64],
    pub(super) sizes: &'static [u64],
}

const WHOLE: Axes = Axes {
    boards: &[2, 4, 8],
    callers: &[1, 3, 7],
    rates_mbit: &[1, 3, 10, 30, 100],
    sizes: &[16, 64, 256, 1024, 4096, 16_384, 65_536],
};
const SHORT: Axes = Axes { boards: &[2], callers: &[1, 3], rates_mbit: &[1, 10, 100], sizes: WHOLE.sizes };

impl Axes {
    /// Those of a plan.
    pub(super) fn of(plan: RowPlan) -> Axes {
        if plan.short { SHORT } else { WHOLE }
    }

    /// All points, in the order of their runs.
    pub(super) fn points(self) -> impl Iterator<Item = Point> {
        let Axes { boards, callers, rates_mbit, .. } = self;
        let with = move |boards: usize| callers.iter().map(move |callers| (boards, *callers));
        let places = boards.iter().flat_map(move |boards| with(*boards));
        places.flat_map(move |(boards, callers)| {
            rates_mbit.iter().map(move |rate_mbit| Point { boards, callers, rate_mbit: *rate_mbit })
        })
    }
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// The cluster's, all of which the token passes.
    pub(super) boards: usize,
    /// Programs that call one process of board a, spread over the other boards: the fan-in.
    pub(super) callers: u64,
    /// Of the link.
    pub(super) rate_mbit: u64,
}

/// `SIZE:COUNT:BURST`, as the program takes it.
fn round(size: u64) -> String {
    let each = size.div_ceil(PAGE_BYTES);
    format!("{size}:{}:{}", CALLS / each, (BURST_CALLS / each).max(1))
}

impl Point {
    /// Its runs: synchronous, asynchronous.
    pub(super) fn runs(self, plan: RowPlan) -> [BenchRun; 2] {
        let rounds: Vec<String> = Axes::of(plan).sizes.iter().map(|size| round(*size)).collect();
        let (callers, rounds) = (self.callers, rounds.join(" "));
        let mut script = format!(
            "tcc -o writer /p1/writer.c || exit 1\ndd if=/dev/zero of={FILE} bs=64k count={callers} 2>/dev/null\nsync\n\
             start=$(./writer start {READY_S})\n"
        );
        for caller in 0..callers {
            let board = char::from(b'b' + (caller % (self.boards as u64 - 1)) as u8);
            script += &format!("on {board} ./writer {FILE} {caller} $start {ROUND_NS} {rounds} &\n");
        }
        script += "wait\n";
        let systems =
            CLUSTERS.iter().find(|(boards, _)| *boards == self.boards).map_or(CLUSTERS[0].1, |(_, both)| *both);
        systems.map(|system| {
            let files = vec![("/p1/writer.c".to_string(), include_bytes!("writer.c").to_vec())];
            let run = BenchRun { files, ..BenchRun::new(BenchMachine::Cluster(system), plan.profile, "dev", &script) };
            run.at_rate(self.rate_mbit * 1_000_000)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Axes, CLUSTERS, Point, round};
    use crate::rows::RowPlan;
    use crate::run::{BenchMachine, CostProfile};

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

    #[test]
    fn map_points_cover_axes_and_short_form_is_subset() {
        let points: Vec<Point> = Axes::of(PLAN).points().collect();
        let short: Vec<Point> = Axes::of(RowPlan { short: true, ..PLAN }).points().collect();
        assert_eq!((points.len(), short.len()), (3 * 3 * 5, 2 * 3));
        assert!(short.iter().all(|point| points.contains(point)));
        let sizes = Axes::of(PLAN).sizes;
        assert_eq!((sizes.first(), sizes.last()), (Some(&16), Some(&65_536)));
    }

    /// Holds: bench-forms.
    #[test]
    fn map_runs_of_point_differ_in_mode_only() {
        let [sync, asynchronous] = Point { boards: 4, callers: 7, rate_mbit: 30 }.runs(PLAN);
        assert_eq!(sync.link_rate_bps, Some(30_000_000));
        assert_eq!((&sync.script, &sync.files), (&asynchronous.script, &asynchronous.files));
        let on = |board: &str| sync.script.matches(&format!("on {board} ./writer")).count();
        assert_eq!(["b", "c", "d", "e"].map(on), [3, 2, 2, 0]);
        let (BenchMachine::Cluster(sync), BenchMachine::Cluster(asynchronous)) = (sync.machine, asynchronous.machine)
        else {
            panic!("no clusters")
        };
        assert_eq!(sync.edits, &asynchronous.edits[..sync.edits.len()]);
        assert_eq!(asynchronous.edits.last(), Some(&("mode = \"sync\"", "mode = \"async\"")));
    }

    /// Holds: map-region.
    #[test]
    fn map_rounds_make_equal_numbers_of_calls() {
        assert_eq!([16, 4096, 16_384, 65_536].map(round), ["16:64:8", "4096:64:8", "16384:16:2", "65536:4:1"]);
    }

    #[test]
    fn map_systems_are_edits_of_shipped_ones() {
        for (boards, systems) in CLUSTERS {
            for system in systems {
                let base = std::fs::read_to_string(format!("../sysprocs/systems/{}.toml", system.base)).unwrap();
                let text = system.text(&base).unwrap();
                assert_eq!(text.matches("leases = false").count(), boards - 1, "{}", system.base);
                assert_eq!(text.contains("mode = \"async\""), system.label.ends_with("async"));
            }
        }
    }
}
