//! `renga-sim`: what `renga sim` runs.
#![forbid(unsafe_code)]

use clap::Parser;
use renga_sim::campaign::{Options, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    run(&Options::parse())
}
