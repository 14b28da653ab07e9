//! A placement: which job is on which board; what it is predicted to take, and the search for the one that takes least.
//!
//! Invariant: a prediction knows of each job alone only, and of no placement.

use super::demand::JobPhases;
use super::queueing::{JOBS_MAX, together_ns};
use std::fmt;

/// Boards that jobs may be on.
pub(super) const BOARDS: usize = 2;

/// The boards of jobs, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placement(Vec<u8>);

impl fmt::Display for Placement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|board| write!(out, "{}", char::from(b'a' + board)))
    }
}

/// What jobs take alone: by job and board.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Alone {
    /// Of each job on each board, without what all have in common.
    pub(super) jobs: Vec<[JobPhases; BOARDS]>,
    /// What all have in common, and what is there once if they are together, ns.
    pub(super) shell_ns: f64,
}

impl Placement {
    /// All placements of so many jobs, in the order of their names.
    pub(super) fn all(jobs: usize) -> impl Iterator<Item = Placement> {
        assert!(jobs <= JOBS_MAX, "{jobs} jobs are more than {JOBS_MAX}");
        (0..1u32 << jobs).map(move |set| Placement((0..jobs).rev().map(|job| (set >> job & 1) as u8).collect()))
    }

    /// The boards, by job.
    pub(super) fn boards(&self) -> &[u8] {
        &self.0
    }

    /// What the jobs take alone where they are here.
    fn courses<'a>(&'a self, alone: &'a Alone) -> impl Iterator<Item = &'a JobPhases> {
        alone.jobs.iter().zip(&self.0).map(|(job, board)| &job[usize::from(*board)])
    }

    /// How long the jobs take here, ns.
    pub(super) fn predicted_ns(&self, alone: &Alone) -> f64 {
        let jobs: Vec<&JobPhases> = self.courses(alone).collect();
        alone.shell_ns + together_ns(&jobs)
    }

    /// The same if boards knew nothing of each other, and each did its jobs one after the other: to compare, ns.
    pub(super) fn one_by_one_ns(&self, alone: &Alone) -> f64 {
        let mut boards = [0.0; BOARDS];
        for (course, board) in self.courses(alone).zip(&self.0) {
            boards[usize::from(*board)] += course.sum().total_ns();
        }
        alone.shell_ns + boards.into_iter().fold(0.0, f64::max)
    }
}

/// The placement that is predicted to take least, of all that there are, and how long, ns.
pub(super) fn best(alone: &Alone) -> (Placement, f64) {
    let predicted = |placement: Placement| {
        let ns = placement.predicted_ns(alone);
        (placement, ns)
    };
    let all = Placement::all(alone.jobs.len()).map(predicted);
    all.min_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or((Placement(Vec::new()), alone.shell_ns))
}

#[cfg(test)]
mod tests {
    use super::{Alone, Placement, best};
    use crate::placements::demand::{Demand, JobPhases};

    /// A job that takes so long of the core where it is, and if it is on b so long of a's core.
    fn job(ns: f64, of_a_ns: f64) -> [JobPhases; 2] {
        let demand = |queued_ns| JobPhases(vec![Demand { queued_ns, apart_ns: 0.0 }]);
        [demand([ns, 0.0, 0.0, 0.0]), demand([of_a_ns, ns, 0.0, 0.0])]
    }

    #[test]
    fn placement_enumeration_is_complete_and_ordered() {
        let names: Vec<String> = Placement::all(2).map(|placement| placement.to_string()).collect();
        assert_eq!(names, ["aa", "ab", "ba", "bb"]);
        assert_eq!(Placement::all(4).count(), 16);
    }

    /// Holds: placements-model.
    #[test]
    fn placement_search_finds_minimum() {
        // 50 beside 20 + 30; with the short ones on b, a serves no requests.
        let alone = Alone { jobs: vec![job(50.0, 10.0), job(20.0, 0.0), job(30.0, 0.0)], shell_ns: 5.0 };
        let (found, ns) = best(&alone);
        assert_eq!((found.to_string().as_str(), ns), ("abb", 55.0));
        // Each job's requests to a make b worthless.
        let alone = Alone { jobs: vec![job(10.0, 100.0), job(10.0, 100.0)], shell_ns: 0.0 };
        assert_eq!(best(&alone).0.to_string(), "aa");
        assert_eq!(best(&Alone::default()).1, 0.0);
    }

    /// Holds: placements-model.
    #[test]
    fn placement_prediction_uses_demand_of_board() {
        let alone = Alone { jobs: vec![job(50.0, 10.0), job(20.0, 4.0)], shell_ns: 1.0 };
        let predicted: Vec<f64> = Placement::all(2).map(|placement| placement.predicted_ns(&alone)).collect();
        assert_eq!(predicted[0], 71.0);
        let one_by_one: Vec<f64> = Placement::all(2).map(|placement| placement.one_by_one_ns(&alone)).collect();
        assert_eq!(one_by_one, [71.0, 51.0, 61.0, 85.0]);
        assert!(predicted[1] > 51.0 && predicted[1] < 51.0 + 4.0 + 1e-9, "{predicted:?}");
    }
}
