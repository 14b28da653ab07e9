//! A sweep by the cores of this machine.

use super::job::{Job, Sweep, missing};
use super::remaining::Remaining;
use crate::benches::workers;
use anyhow::{Context, Result};
use std::time::Instant;

/// Carries out the jobs whose results are not there, `count` at once; how many they were.
///
/// # Errors
/// Of the first that could not be carried out; the results of the others stay.
pub fn carry_out(sweep: &dyn Sweep, count: usize) -> Result<usize> {
    let jobs = missing(sweep);
    let remaining = Remaining::of(jobs.len() as u32, count);
    let work = |job: &Job| {
        let begin = Instant::now();
        let what = format!("{}{}", job.label, remaining.one_begun());
        sweep.carry_out(job, &what).with_context(|| job.label.clone())?;
        remaining.one_done(begin.elapsed());
        Ok(())
    };
    workers::all(&jobs, count, work)?;
    Ok(jobs.len())
}
