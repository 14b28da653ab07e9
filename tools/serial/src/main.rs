//! `renga-serial`: carries out `renga console` and `renga doctor`.
#![forbid(unsafe_code)]

use renga_cli::{Cli, RengaCommand};
use renga_serial::{console_command, doctor_command};
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::of(|| {
        Environment::read().and_then(|environment| match &command {
            RengaCommand::Console(options) => console_command::console(&environment, options),
            RengaCommand::Doctor(options) => doctor_command::doctor(&environment, options),
            other => anyhow::bail!("{} is not for this binary", other.name()),
        })
    })
}
