//! `renga-flash`: carries out `renga flash`.
#![forbid(unsafe_code)]

use renga_cli::{Cli, RengaCommand};
use renga_flash::command;
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::of(|| {
        Environment::read().and_then(|environment| match &command {
            RengaCommand::Flash(options) => command::flash(&environment, options),
            other => anyhow::bail!("{} is not for this binary", other.name()),
        })
    })
}
