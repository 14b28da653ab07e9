//! How long jobs take together, from what each takes alone: a closed network of queues, by exact mean value analysis.
//!
//! Each job is a class of one customer. On arrival at a station it finds the queue that the others have there without
//! it (Reiser and Lavenberg, JACM 27, 1980), so the queues of all sets of jobs are computed from the smaller sets'. A
//! job is a course of parts: after each part the network is computed again, with its next part, or without the job if
//! it has ended.
//!
//! Invariant: a job alone takes the sum of its demands, and more jobs never make one quicker. Not here: where demands
//! come from.

use super::demand::{Demand, JobPhases, STATIONS};

/// Most jobs of a network: there are two to this power of sets.
pub(super) const JOBS_MAX: usize = 12;

/// By job how long one passage takes if all of them make passages without end, ns.
fn passages(jobs: &[Demand]) -> Vec<f64> {
    assert!(jobs.len() <= JOBS_MAX, "{} jobs are more than {JOBS_MAX}", jobs.len());
    let sets = 1usize << jobs.len();
    let mut queues = vec![[0.0; STATIONS]; sets];
    let mut passages = vec![0.0; jobs.len()];
    for set in 1..sets {
        let mut queue = [0.0; STATIONS];
        for (place, job) in jobs.iter().enumerate().filter(|(place, _)| set & (1 << place) != 0) {
            let met = queues[set & !(1 << place)];
            let mut stays = job.queued_ns;
            stays.iter_mut().zip(met).for_each(|(stay, met)| *stay *= 1.0 + met);
            let passage = job.apart_ns + stays.iter().sum::<f64>();
            // Of the last set, in which all are.
            passages[place] = passage;
            if passage > 0.0 {
                queue.iter_mut().zip(stays).for_each(|(queue, stay)| *queue += stay / passage);
            }
        }
        queues[set] = queue;
    }
    passages
}

/// A job under way: what part of it is done now, and how much of that is left, of 1.
struct UnderWay<'a> {
    job: &'a JobPhases,
    part: usize,
    left: f64,
}

impl UnderWay<'_> {
    /// What it does now; none if it has ended.
    fn now(&self) -> Option<Demand> {
        self.job.0.get(self.part).copied()
    }
}

/// Time until the last of jobs that start together has ended, ns.
pub(super) fn together_ns(jobs: &[&JobPhases]) -> f64 {
    let mut under_way: Vec<UnderWay<'_>> = jobs.iter().map(|job| UnderWay { job, part: 0, left: 1.0 }).collect();
    let mut ns = 0.0;
    loop {
        under_way.retain(|job| job.now().is_some());
        let demands: Vec<Demand> = under_way.iter().filter_map(UnderWay::now).collect();
        let passages = passages(&demands);
        let ends_ns = under_way.iter().zip(&passages).map(|(job, passage)| job.left * passage);
        let Some((first, after_ns)) = ends_ns.enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other)) else {
            return ns;
        };
        for (job, passage) in under_way.iter_mut().zip(&passages).filter(|(_, passage)| **passage > 0.0) {
            job.left -= after_ns / passage;
        }
        (under_way[first].part, under_way[first].left) = (under_way[first].part + 1, 1.0);
        ns += after_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::passages;
    use crate::placements::demand::{Demand, JobPhases};

    fn job(queued_ns: [f64; 4], apart_ns: f64) -> Demand {
        Demand { queued_ns, apart_ns }
    }

    /// Jobs of one part each.
    fn together_ns(jobs: &[Demand]) -> f64 {
        let courses: Vec<JobPhases> = jobs.iter().map(|job| JobPhases(vec![*job])).collect();
        super::together_ns(&courses.iter().collect::<Vec<_>>())
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-9 * wanted.abs().max(1.0), "{found}, not {wanted}");
    }

    /// Holds: placements-model.
    #[test]
    fn queueing_single_job_takes_sum_of_demands() {
        near(together_ns(&[job([10.0, 20.0, 3.0, 4.0], 5.0)]), 42.0);
        near(together_ns(&[]), 0.0);
        near(together_ns(&[job([0.0; 4], 0.0), job([0.0; 4], 7.0)]), 7.0);
    }

    /// Holds: placements-model.
    #[test]
    fn queueing_jobs_share_their_core_only() {
        let on_a = |ns| job([ns, 0.0, 0.0, 0.0], 0.0);
        let on_b = |ns| job([0.0, ns, 0.0, 0.0], 0.0);
        // Each has half of the core until the short one ends at 20; then 20 of the long one's 30 are left.
        near(together_ns(&[on_a(30.0), on_a(10.0)]), 40.0);
        near(together_ns(&[on_a(30.0), on_a(30.0), on_a(30.0)]), 90.0);
        near(together_ns(&[on_a(30.0), on_b(10.0)]), 30.0);
        near(together_ns(&[on_a(30.0), job([0.0; 4], 35.0)]), 35.0);
    }

    /// Holds: placements-model.
    #[test]
    fn queueing_contention_is_by_station_share() {
        // Alone each is at either station half of the time: 10 (1 + 1/2) at each of two.
        let both = job([10.0, 0.0, 10.0, 0.0], 0.0);
        assert_eq!(passages(&[both, both]), [30.0, 30.0]);
        near(together_ns(&[both, both]), 30.0);
        // First: 20 (1 + 1/4) + 20 (1 + 0) = 45 beside 10 (1 + 1/2) + 30 (1 + 0) = 45, of demands 20, 20, 0 and 10, 0,
        // 30.
        let (one, other) = (job([20.0, 20.0, 0.0, 0.0], 0.0), job([10.0, 0.0, 0.0, 30.0], 0.0));
        assert_eq!(passages(&[one, other]), [45.0, 45.0]);
    }

    /// Holds: placements-model.
    #[test]
    fn queueing_third_job_meets_queue_of_two() {
        // Alone q = (1/2, 1/2); two: 15 at each, q = (1, 1); three: 10 (1 + 1) at each.
        let both = job([10.0, 10.0, 0.0, 0.0], 0.0);
        assert_eq!(passages(&[both, both, both]), [40.0, 40.0, 40.0]);
        // With 20 apart, alone q = 1/4 at each, two: 12.5 each, q = 2 * 12.5/45; three: 10 (1 + 25/45) at each.
        let rests = job([10.0, 10.0, 0.0, 0.0], 20.0);
        passages(&[rests, rests, rests]).into_iter().for_each(|found| near(found, 20.0 * (1.0 + 25.0 / 45.0) + 20.0));
    }

    /// Holds: placements-model.
    #[test]
    fn queueing_contention_needs_overlap() {
        let [core, disk] = [job([10.0, 0.0, 0.0, 0.0], 0.0), job([0.0, 0.0, 0.0, 10.0], 0.0)];
        let together = |jobs: &[JobPhases]| super::together_ns(&jobs.iter().collect::<Vec<_>>());
        // Both at the core until 20, then one at the disk.
        near(together(&[JobPhases(vec![core, disk]), JobPhases(vec![core])]), 30.0);
        // Each where the other is not.
        near(together(&[JobPhases(vec![core, disk]), JobPhases(vec![disk, core])]), 20.0);
        near(together(&[JobPhases(vec![core, disk, core])]), 30.0);
        near(together(&[JobPhases(vec![job([0.0; 4], 0.0), core]), JobPhases(Vec::new())]), 10.0);
    }

    #[test]
    fn queueing_more_jobs_shorten_none() {
        let some = [[9.0, 1.0, 2.0, 0.0], [0.0, 7.0, 3.0, 1.0], [4.0, 4.0, 4.0, 4.0]].map(|queued| job(queued, 2.0));
        let (two, three) = (passages(&some[..2]), passages(&some));
        assert!(two[0] <= three[0] && two[1] <= three[1]);
        assert!(together_ns(&some[..2]) <= together_ns(&some));
    }
}
