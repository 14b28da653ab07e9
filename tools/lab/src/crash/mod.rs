//! `renga crash`: a script is cut at each of its events, and an oracle inspects what is left.
//!
//! - [`target`]: what is cut at which events; [`points`]: which of them;
//! - [`bench`]: the machines, the disk and the sessions that all trials share;
//! - [`trial`]: one cut, the restart, the oracle and e2fsck;
//! - [`replay`]: cuts of all boards at writes without their runs;
//! - [`exploration`]: all trials as a sweep, and the report.
//!
//! Invariant: a trial depends on nothing but its key, so what was computed is never computed again. Not here: instants
//! of events (`renga_cluster::event_instants`), running many jobs (`sweep`).

mod bench;
mod exploration;
mod points;
mod replay;
mod target;
mod trial;

use crate::benches::workers;
use crate::sweep::Sweep;
use anyhow::Result;
use bench::CrashBench;
use exploration::Exploration;
use renga_cli::CrashArgs;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use target::CrashTarget;

/// Cuts at the chosen events and reports; 1 if there is a violation.
///
/// # Errors
/// If the script does not run to its end when nothing is cut, has no such event, or something cannot be built.
pub fn crash(environment: &Environment, options: &CrashArgs) -> Result<u8> {
    let progress = ProgressLine::start();
    let bench = CrashBench::build(environment, options, &progress)?;
    let target = CrashTarget::parse(&options.kill, &bench.system)?;
    progress.step("the script runs once, to count its events");
    let rehearsed = bench.rehearse(&target)?;
    let exploration = Exploration::plan(environment, options, &bench, target, &rehearsed, &progress)?;
    exploration.carry_out(workers::by_default(options.jobs.map(usize::from)))?;
    progress.finish();
    exploration.report()
}
