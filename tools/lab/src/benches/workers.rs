//! Independent jobs of work by several workers at once.
//!
//! Invariant: results come in the order of the jobs, in whatever order workers finish them; after an error no job
//! begins.
//!
//! No `rayon`: the results and the first error keep the order of the jobs, and no job starts after an error.

use anyhow::{Context, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// How many work at once if it is not said: as many as there are cores.
pub fn by_default(said: Option<usize>) -> usize {
    said.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
}

/// Does `work` for each of the jobs, at most `workers` at once.
///
/// # Errors
/// The first, in the order of the jobs.
pub fn all<T: Sync, R: Send>(jobs: &[T], workers: usize, work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<Result<R>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((job, result)) = jobs.get(place).zip(results.get(place)) else { return };
            let done = work(job);
            failed.fetch_or(done.is_err(), Ordering::Relaxed);
            if let Ok(mut result) = result.lock() {
                *result = Some(done);
            }
        }
    };
    std::thread::scope(|scope| {
        (0..workers.clamp(1, jobs.len().max(1))).for_each(|_| drop(scope.spawn(worker)));
    });
    let mut done = Vec::new();
    for result in results {
        match result.into_inner().ok().flatten() {
            Some(result) => done.push(result?),
            // Behind an error nothing was begun; jobs before it were, and are looked at first.
            None => break,
        }
    }
    (done.len() == jobs.len()).then_some(done).context("a worker ended before its job")
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::collections::BTreeSet;
    use std::sync::{Barrier, Mutex};

    /// Holds: sweep-once.
    #[test]
    fn workers_run_each_job_once_and_keep_order() {
        // Two at once, or it would not end.
        let (together, done) = (Barrier::new(2), Mutex::new(BTreeSet::new()));
        let work = |job: &u32| {
            together.wait();
            assert!(done.lock().unwrap().insert(*job), "{job} is done twice");
            Ok(job * 10)
        };
        assert_eq!(all(&[3, 1, 2, 4], 2, work).unwrap(), [30, 10, 20, 40]);
        assert_eq!(all(&[1, 2], 0, |job: &u32| Ok(*job)).unwrap(), [1, 2], "one worker at least");
        assert!(all(&[], 2, |job: &u32| Ok(*job)).unwrap().is_empty());
    }

    /// Holds: sweep-once.
    #[test]
    fn workers_after_error_start_no_job() {
        let begun = Mutex::new(Vec::new());
        let work = |job: &u32| {
            begun.lock().unwrap().push(*job);
            anyhow::ensure!(*job != 2, "job {job}");
            Ok(())
        };
        assert_eq!(all(&[1, 2, 3, 4], 1, work).unwrap_err().to_string(), "job 2");
        assert_eq!(*begun.lock().unwrap(), [1, 2]);
    }
}
