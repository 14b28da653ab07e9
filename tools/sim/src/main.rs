//! `renga-sim`: carries out `renga sim`.
#![forbid(unsafe_code)]

use clap::Parser;
use clap::error::ErrorKind;
use renga_cli::Sim;
use renga_sim::campaign::{Options, run};
use renga_workspace::exit;
use std::process::ExitCode;

/// The simulator's own command line, which is that of `renga sim`.
#[derive(Parser)]
#[command(name = "renga sim", version)]
struct SimCli {
    #[command(flatten)]
    options: Sim,
}

fn main() -> ExitCode {
    match Options::try_from(SimCli::parse().options) {
        Ok(options) => exit::of(|| Ok(run(&options))),
        Err(error) => clap::Error::raw(ErrorKind::ValueValidation, format!("--cut: {error}\n")).exit(),
    }
}
