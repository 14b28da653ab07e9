//! From traced runs to the time of each placement.
//!
//! A traced run has the movable groups on four different boards, so that every call between them crosses, and how long
//! programs waited for its way is known. Another placement takes less by that of the calls that do not cross there. Caches of names and reading
//! ahead change which calls a program makes; so the runs are for each board of the files, with and without either.
//!
//! Invariant: jobs run one after the other, so their times add up. Not here: reading traces (`sections`).

use super::placement::{BOARDS_COUNT, OsPlacement, has};
use super::sections::{JobSection, JobSections, MovableEdge};
use renga_random::Random;

const ALL_BOARDS: u8 = (1 << BOARDS_COUNT) - 1;
/// Which places of the ranking are measured.
const SEED: u64 = 1;

/// The placement of the traced run for these: files on a board, the other groups on the boards behind it.
fn traced(files: u8, names: bool, prefetch: bool) -> OsPlacement {
    let behind = |places: u8| (files + places) % BOARDS_COUNT;
    let set = |all: bool| if all { ALL_BOARDS } else { 1 << files };
    let (names, prefetch) = (set(names), set(prefetch));
    OsPlacement { files, buffers: behind(1), disk: behind(2), console: behind(3), names, prefetch }
}

/// The placements of all traced runs.
pub(super) fn traced_placements() -> Vec<OsPlacement> {
    let forms = |files: u8| (0..4u8).map(move |form| traced(files, form & 1 != 0, form & 2 != 0));
    (0..BOARDS_COUNT).flat_map(forms).collect()
}

/// What the traced runs say.
pub(super) struct PlacementModel {
    /// Of each run, in the order of `traced_placements`, the jobs.
    runs: Vec<JobSections>,
    /// What a call to the terminal costs that crosses, ns.
    console_ns: f64,
}

impl PlacementModel {
    /// Of the jobs of each traced run.
    pub(super) fn of(runs: Vec<JobSections>) -> PlacementModel {
        let console = |section: &JobSection| section.edges[MovableEdge::ProgramsToConsole as usize];
        let of_console = || runs.iter().flatten().map(console);
        let (ns, crossed) =
            of_console().fold((0, 0), |(ns, crossed), of_edge| (ns + of_edge.waited_ns, crossed + of_edge.crossed));
        PlacementModel { console_ns: ns as f64 / crossed.max(1) as f64, runs }
    }

    /// How long the jobs take with a placement, ns.
    pub(super) fn predicted_ns(&self, placement: &OsPlacement) -> f64 {
        (0..BOARDS_COUNT).map(|board| self.job_ns(placement, board)).sum()
    }

    fn job_ns(&self, placement: &OsPlacement, board: u8) -> f64 {
        let form = usize::from(has(placement.names, board)) + 2 * usize::from(has(placement.prefetch, board));
        let run = usize::from(placement.files) * 4 + form;
        let job = &self.runs[run][usize::from(board)];
        let crosses = |edge: MovableEdge| match edge {
            MovableEdge::FilesToBuffers => placement.files != placement.buffers,
            MovableEdge::FilesToDisk => placement.files != placement.disk,
            MovableEdge::BuffersToDisk => placement.buffers != placement.disk,
            MovableEdge::ProgramsToConsole => placement.console != board,
        };
        let saved = |edge: MovableEdge| {
            let of_edge = &job.edges[edge as usize];
            match (of_edge.crossed > 0, crosses(edge)) {
                (true, false) => of_edge.waited_ns as f64,
                (false, true) => -(of_edge.calls as f64) * self.console_ns,
                _ => 0.0,
            }
        };
        job.ns as f64 - MovableEdge::ALL.into_iter().map(saved).sum::<f64>()
    }

    /// These, each with its predicted time, ns; the quickest first.
    pub(super) fn ranked(&self, accepted: &[OsPlacement]) -> Vec<(OsPlacement, f64)> {
        let mut ranked: Vec<_> = accepted.iter().map(|placement| (*placement, self.predicted_ns(placement))).collect();
        ranked.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        ranked
    }
}

/// Places of a ranking of `ranked`: both ends, and one drawn from each of as many equal parts between as are wanted.
pub(super) fn sample(ranked: usize, wanted: usize) -> Vec<usize> {
    let mut random = Random::new(SEED);
    let part = |number: usize| ranked * number / wanted;
    let drawn = |number: usize| match number {
        0 => 0,
        number if number + 1 == wanted => ranked - 1,
        number => part(number) + random.below((part(number + 1) - part(number)).max(1) as u64) as usize,
    };
    (0..wanted.min(ranked)).map(drawn).collect()
}
