//! `renga-lab`: carries out `renga bench`, `renga crash` and `renga sweep`.
#![forbid(unsafe_code)]

use renga_cli::{Cli, RengaCommand};
use renga_lab::{crash, measure, sweep_command};
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::of(|| {
        Environment::read().and_then(|environment| match &command {
            RengaCommand::Bench(options) => measure::bench(&environment, options),
            RengaCommand::Crash(options) => crash::crash(&environment, options),
            RengaCommand::Sweep(options) => sweep_command::sweep(&environment, options),
            other => anyhow::bail!("{} is not for this binary", other.name()),
        })
    })
}
