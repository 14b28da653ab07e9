//! `renga sim`: the simulator, built for speed, with all its own options.

use crate::artifacts::cargo_program;
use crate::cli::Sim;
use crate::environment::Environment;
use anyhow::{Context, Result};
use std::process::Command;

/// Exit status if the simulator was ended by a signal.
const KILLED_STATUS: u8 = 125;

/// Builds the simulator if need be and hands the command line over to it; its exit status.
///
/// # Errors
/// If cargo cannot be started.
pub fn sim(environment: &Environment, options: &Sim) -> Result<u8> {
    let mut cargo = Command::new(cargo_program());
    cargo.current_dir(&environment.root).args(["run", "--quiet", "--profile", "sim", "--package", "renga-sim", "--"]);
    let status = cargo.args(&options.arguments).status().context("cannot start cargo")?;
    Ok(status.code().map_or(KILLED_STATUS, |code| code as u8))
}
