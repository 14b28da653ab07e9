//! `renga sim`: the simulator, built for speed.

use anyhow::Result;
use renga_workspace::delegate::SIMULATOR;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::process::Command;

/// Builds the simulator if need be and runs it; whether no seed failed.
///
/// # Errors
/// If it cannot be built or started.
pub fn run(environment: &Environment, arguments: &[&str]) -> Result<bool> {
    let progress = ProgressLine::start();
    let simulator = SIMULATOR.build(environment, &progress)?;
    progress.finish();
    Ok(Command::new(simulator).args(arguments).status()?.success())
}
