//! From traced runs to the time of each placement.
//!
//! A traced run has the movable groups on four different boards, so that every call between them crosses, and how long
//! programs waited for its way is known. Another placement takes less by that of the calls that do not cross there.
//! Caches of names and reading ahead change which calls a program makes; so the runs are for each board of the files,
//! with and without either.
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
    let (mut random, wanted) = (Random::new(SEED), wanted.min(ranked));
    let part = |number: usize| ranked * number / wanted;
    let drawn = |number: usize| match number {
        0 => 0,
        number if number + 1 == wanted => ranked - 1,
        number => part(number) + random.below((part(number + 1) - part(number)).max(1) as u64) as usize,
    };
    (0..wanted).map(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::{PlacementModel, sample, traced_placements};
    use crate::os_placements::placement::OsPlacement;
    use crate::os_placements::sections::{EdgeCalls, JobSection, JobSections, MovableEdge};

    /// Each job takes 100, and 7 more without a cache of names; it waits 10, 20 and 30 for buffers, disk and buffers'
    /// disk, and 4 for two calls to the terminal, if that is elsewhere.
    fn model() -> PlacementModel {
        let job = |placement: &OsPlacement, board: u8| {
            let ns = if placement.names >> board & 1 != 0 { 100 } else { 107 };
            let mut edges = [10, 20, 30, 4].map(|waited_ns| EdgeCalls { calls: 2, crossed: 2, waited_ns });
            if placement.console == board {
                edges[MovableEdge::ProgramsToConsole as usize] = EdgeCalls { calls: 2, crossed: 0, waited_ns: 0 };
            }
            JobSection { ns, edges }
        };
        let jobs = |placement: &OsPlacement| -> JobSections { [0, 1, 2, 3].map(|board| job(placement, board)) };
        PlacementModel::of(traced_placements().iter().map(jobs).collect())
    }

    #[test]
    fn os_placement_prediction_saves_what_does_not_cross() {
        let (model, traced) = (model(), traced_placements());
        for placement in &traced {
            let names_absent = 4 - placement.names.count_ones();
            assert_eq!(model.predicted_ns(placement), f64::from(400 + 7 * names_absent), "a traced one is itself");
        }
        // Files a, buffers b, disk c, console d, with all caches.
        let base = traced[3];
        let predicted = |placement: OsPlacement| model.predicted_ns(&placement);
        assert_eq!(predicted(OsPlacement { buffers: 0, ..base }), 400.0 - 4.0 * 10.0);
        assert_eq!(predicted(OsPlacement { disk: 0, ..base }), 400.0 - 4.0 * 20.0);
        assert_eq!(predicted(OsPlacement { buffers: 2, ..base }), 400.0 - 4.0 * 30.0);
        assert_eq!(predicted(OsPlacement { buffers: 0, disk: 0, ..base }), 400.0 - 4.0 * 60.0);
        assert_eq!(predicted(OsPlacement { console: 0, ..base }), 400.0, "d waits for it, a does not");
        assert_eq!(predicted(OsPlacement { names: 0b1011, ..base }), 407.0);
    }

    #[test]
    fn os_placement_ranking_begins_with_quickest() {
        let all: Vec<OsPlacement> = OsPlacement::all().collect();
        let ranked = model().ranked(&all);
        assert!(ranked.is_sorted_by(|(_, one), (_, other)| one <= other));
        assert_eq!((ranked.len(), ranked[0].1), (all.len(), 400.0 - 4.0 * 60.0));
    }

    #[test]
    fn os_placement_sample_has_ends_and_a_place_of_each_part() {
        let places = sample(16_384, 200);
        assert_eq!((places.len(), places[0], places[199]), (200, 0, 16_383));
        let part = |number: usize| 16_384 * number / 200;
        assert!((0..200).all(|number| (part(number)..part(number + 1)).contains(&places[number])), "{places:?}");
        assert_eq!(places, sample(16_384, 200));
        assert_eq!(sample(3, 10), sample(3, 3), "not more than there are");
    }
}
