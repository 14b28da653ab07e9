//! Jobs that run at once.
//!
//! Invariant: each job has an outcome, also one whose thread panicked, so that no card is left out of the report.

use crate::FlashError;
use anyhow::anyhow;
use std::thread;

/// Runs each of the named jobs in a thread of its own; names and outcomes, in the order of the jobs.
pub fn run_all<N, T, J>(jobs: Vec<(N, J)>) -> Vec<(N, Result<T, FlashError>)>
where
    T: Send,
    J: FnOnce() -> Result<T, FlashError> + Send,
{
    thread::scope(|scope| {
        let running: Vec<_> = jobs.into_iter().map(|(name, job)| (name, scope.spawn(job))).collect();
        let broken =
            || Err(anyhow!("its writer broke off: the card is not to be used before it is written again").into());
        running.into_iter().map(|(name, thread)| (name, thread.join().unwrap_or_else(|_| broken()))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::run_all;

    #[test]
    fn run_all_job_that_panics_is_reported_with_its_name() {
        let job = |number: u32| move || if number == 1 { panic!("on purpose") } else { Ok(number) };
        let ended = run_all((0..3).map(|number| (number, job(number))).collect());
        let names: Vec<u32> = ended.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [0, 1, 2]);
        assert!(matches!((&ended[0].1, &ended[2].1), (Ok(0), Ok(2))));
        assert!(
            ended[1].1.as_ref().is_err_and(|error| error.status() == 125 && error.to_string().contains("broke off"))
        );
    }
}
