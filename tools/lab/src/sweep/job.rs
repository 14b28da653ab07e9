//! What a sweep is: jobs with names.

use anyhow::Result;

/// An independent part of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The sum of all that decides its result.
    pub key: String,
    /// What a person calls it.
    pub label: String,
}

/// A sweep.
pub trait Sweep: Sync {
    /// The command that carries out one of its jobs with `--job`.
    fn command(&self) -> &'static str {
        "sweep"
    }
    /// What follows that command to name the same sweep again.
    fn arguments(&self) -> Vec<String>;
    /// Its jobs, in an order that is always the same.
    fn jobs(&self) -> &[Job];
    /// Whether the result of a job is there.
    fn is_done(&self, job: &Job) -> bool;
    /// Carries a job out and keeps its result, of which progress is said as `what`.
    ///
    /// # Errors
    /// If it could not be carried out. What it found, good or bad, is a result.
    fn carry_out(&self, job: &Job, what: &str) -> Result<()>;
    /// Says what all of it found; the exit status.
    ///
    /// # Errors
    /// If a result is missing or is none.
    fn report(&self) -> Result<u8>;
}

/// The jobs of `sweep` whose results are not there.
pub fn missing(sweep: &dyn Sweep) -> Vec<Job> {
    sweep.jobs().iter().filter(|job| !sweep.is_done(job)).cloned().collect()
}
