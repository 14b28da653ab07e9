//! `renga sweep`: many independent runs, on all cores that are free.

use crate::benches::{Runner, workers};
use crate::machines::plans;
use crate::measure::ledger::rows;
use crate::sweep::{Chaos, OfRuns, Seeds, SeedsChoice, Slurm, Sweep, carry_out, missing};
use anyhow::{Context, Result};
use renga_bench::rows::ROWS;
use renga_cli::{self as cli, SweepOf};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs;

/// Carries the sweep out, or says how others could.
///
/// # Errors
/// If a job could not be carried out.
pub fn sweep(environment: &Environment, options: &cli::SweepArgs) -> Result<u8> {
    let folder = options.by.results.clone().unwrap_or_else(|| environment.work().join("sweep"));
    match &options.of {
        SweepOf::Map(profiles) => {
            let arguments = of_profiles("map", profiles)?;
            of_runs(environment, &[&renga_bench::map::ROW], profiles, arguments, &options.by)
        }
        SweepOf::P1 { rows: names, profiles } => {
            let mut arguments = of_profiles("p1", profiles)?;
            arguments.extend(names.iter().cloned());
            of_runs(environment, &rows(names, ROWS)?, profiles, arguments, &options.by)
        }
        SweepOf::Seeds { level, first, seeds, block } => {
            let progress = ProgressLine::start();
            let choice = SeedsChoice { level: *level, first: *first, seeds: *seeds, block: *block };
            by(environment, &Seeds::new(environment, &choice, &folder, &progress)?, &options.by, &progress)
        }
        SweepOf::Chaos { first, seeds } => {
            let progress = ProgressLine::start();
            let chaos = Chaos::new(environment, *first..first + seeds, &folder, &progress)?;
            by(environment, &chaos, &options.by, &progress)
        }
    }
}

/// What names the runs of a bench with these profiles.
fn of_profiles(bench: &str, profiles: &cli::BenchProfiles) -> Result<Vec<String>> {
    let mut arguments = vec![bench.to_string()];
    if let Some(choice) = &profiles.profile {
        arguments.push(format!("--profile={}", choice.name_from_anywhere()?));
    }
    arguments.extend(profiles.set.iter().map(|setting| format!("--set={setting}")));
    arguments.extend(profiles.short.then(|| "--short".to_string()));
    Ok(arguments)
}

fn of_runs(
    environment: &Environment,
    rows: &[&renga_bench::rows::LedgerRow],
    profiles: &cli::BenchProfiles,
    arguments: Vec<String>,
    place: &cli::SweepPlace,
) -> Result<u8> {
    let runner = match &place.results {
        Some(folder) => Runner::open_in(environment, folder)?,
        None => Runner::open(environment)?,
    };
    let plans = plans(profiles);
    let runs = OfRuns::new(&runner, rows, &plans, arguments, 1)?;
    by(environment, &runs, place, &runner.progress)
}

/// Carries out `sweep` where `place` says.
fn by(environment: &Environment, sweep: &dyn Sweep, place: &cli::SweepPlace, progress: &ProgressLine) -> Result<u8> {
    let all = sweep.jobs().len();
    let arguments = arguments(sweep, place)?;
    if let Some(key) = &place.job {
        return one(sweep, key);
    }
    if place.print {
        progress.finish();
        missing(sweep).iter().for_each(|job| println!("./renga sweep {} --job {}", arguments.join(" "), job.key));
        return Ok(0);
    }
    let there = all - missing(sweep).len();
    if place.slurm {
        Slurm::new(environment, sweep, arguments, &place.sbatch)?.carry_out(progress)?;
    } else {
        carry_out(sweep, workers::by_default(place.jobs.map(usize::from)))?;
    }
    progress.finish();
    println!("{all} jobs: {there} were there, {} were carried out", all - there);
    sweep.report()
}

/// What follows `renga sweep` to name the same sweep, with the same folder, from wherever.
fn arguments(sweep: &dyn Sweep, place: &cli::SweepPlace) -> Result<Vec<String>> {
    let mut arguments = sweep.arguments();
    if let Some(folder) = &place.results {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        arguments.push("--results".to_string());
        arguments.push(folder.canonicalize()?.to_string_lossy().into_owned());
    }
    Ok(arguments)
}

/// Carries out the job with this key, unless its result is there.
fn one(sweep: &dyn Sweep, key: &str) -> Result<u8> {
    let job = sweep.jobs().iter().find(|job| job.key == key);
    let job = job.with_context(|| {
        format!("no job of this sweep is called {key}: the sources have changed since it was planned, so plan it again")
    })?;
    if !sweep.is_done(job) {
        sweep.carry_out(job, &job.label).with_context(|| job.label.clone())?;
    }
    Ok(0)
}
