//! `renga-mutants`: carries out `renga test --mutants`.
#![forbid(unsafe_code)]

use renga_cli::{Cli, RengaCommand};
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::of(|| {
        Environment::read().and_then(|environment| match &command {
            RengaCommand::Test(options) => renga_mutants::command::mutants(&environment, &options.mutants),
            other => anyhow::bail!("{} is not for this binary", other.name()),
        })
    })
}
