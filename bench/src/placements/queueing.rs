//! How long jobs take together, from what each takes alone: a closed network of queues, by exact mean value analysis.
//!
//! Each job is a class of one customer. What it meets at a station is the queue that the others have there without it (Reiser and
//! Lavenberg, JACM 27, 1980), so the queues of all sets of jobs are computed from the smaller sets'. When a job ends, the others go
//! on as a smaller set.
//!
//! Invariant: a job alone takes the sum of its demands, and more jobs never make one quicker. Not here: where demands come from.

use super::demand::{Demand, STATIONS};

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

/// How long it takes until the last of jobs that begin together has ended, ns.
pub(super) fn together_ns(jobs: &[Demand]) -> f64 {
    let mut left: Vec<(Demand, f64)> = jobs.iter().map(|job| (*job, 1.0)).collect();
    let mut ns = 0.0;
    while !left.is_empty() {
        let demands: Vec<Demand> = left.iter().map(|(job, _)| *job).collect();
        let passages = passages(&demands);
        let ends_ns = |((_, part), passage): (&(Demand, f64), &f64)| part * passage;
        let (first, after_ns) = left
            .iter()
            .zip(&passages)
            .map(ends_ns)
            .enumerate()
            .fold((0, f64::MAX), |least, one| if one.1 < least.1 { one } else { least });
        for ((_, part), passage) in left.iter_mut().zip(&passages) {
            *part -= if *passage > 0.0 { after_ns / passage } else { *part };
        }
        left.remove(first);
        ns += after_ns;
    }
    ns
}

#[cfg(test)]
mod tests {
    use super::{passages, together_ns};
    use crate::placements::demand::Demand;

    fn job(queued_ns: [f64; 4], apart_ns: f64) -> Demand {
        Demand { queued_ns, apart_ns }
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-9 * wanted.abs().max(1.0), "{found}, not {wanted}");
    }

    #[test]
    fn a_job_alone_takes_the_sum_of_its_demands() {
        near(together_ns(&[job([10.0, 20.0, 3.0, 4.0], 5.0)]), 42.0);
        near(together_ns(&[]), 0.0);
        near(together_ns(&[job([0.0; 4], 0.0), job([0.0; 4], 7.0)]), 7.0);
    }

    #[test]
    fn jobs_of_one_core_share_it_and_jobs_of_two_do_not_meet() {
        let on_a = |ns| job([ns, 0.0, 0.0, 0.0], 0.0);
        let on_b = |ns| job([0.0, ns, 0.0, 0.0], 0.0);
        // Each has half of the core until the short one ends at 20; then 20 of the long one's 30 are left.
        near(together_ns(&[on_a(30.0), on_a(10.0)]), 40.0);
        near(together_ns(&[on_a(30.0), on_a(30.0), on_a(30.0)]), 90.0);
        near(together_ns(&[on_a(30.0), on_b(10.0)]), 30.0);
        near(together_ns(&[on_a(30.0), job([0.0; 4], 35.0)]), 35.0);
    }

    #[test]
    fn who_uses_two_stations_meets_the_other_at_each_for_its_share() {
        // Alone each is at either station half of the time: 10 (1 + 1/2) at each of two.
        let both = job([10.0, 0.0, 10.0, 0.0], 0.0);
        assert_eq!(passages(&[both, both]), [30.0, 30.0]);
        near(together_ns(&[both, both]), 30.0);
        // First: 20 (1 + 1/4) + 20 (1 + 0) = 45 beside 10 (1 + 1/2) + 30 (1 + 0) = 45, of demands 20, 20, 0 and 10, 0, 30.
        let (one, other) = (job([20.0, 20.0, 0.0, 0.0], 0.0), job([10.0, 0.0, 0.0, 30.0], 0.0));
        assert_eq!(passages(&[one, other]), [45.0, 45.0]);
    }

    #[test]
    fn three_jobs_meet_the_queues_of_two() {
        // Alone q = (1/2, 1/2); two: 15 at each, q = (1, 1); three: 10 (1 + 1) at each.
        let both = job([10.0, 10.0, 0.0, 0.0], 0.0);
        assert_eq!(passages(&[both, both, both]), [40.0, 40.0, 40.0]);
        // With 20 apart, alone q = 1/4 at each, two: 12.5 each, q = 2 * 12.5/45; three: 10 (1 + 25/45) at each.
        let rests = job([10.0, 10.0, 0.0, 0.0], 20.0);
        passages(&[rests, rests, rests]).into_iter().for_each(|found| near(found, 20.0 * (1.0 + 25.0 / 45.0) + 20.0));
    }

    #[test]
    fn more_jobs_make_none_quicker() {
        let some = [[9.0, 1.0, 2.0, 0.0], [0.0, 7.0, 3.0, 1.0], [4.0, 4.0, 4.0, 4.0]].map(|queued| job(queued, 2.0));
        let (two, three) = (passages(&some[..2]), passages(&some));
        assert!(two[0] <= three[0] && two[1] <= three[1]);
        assert!(together_ns(&some[..2]) <= together_ns(&some));
    }
}
