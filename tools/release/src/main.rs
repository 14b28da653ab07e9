//! `renga-release`: carries out `renga release`.
#![forbid(unsafe_code)]

use anyhow::bail;
use renga_cli::{Cli, RengaCommand};
use renga_release::release_command;
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::of(|| {
        Environment::read().and_then(|environment| match &command {
            RengaCommand::Release(options) => release_command::release(&environment, options),
            other => bail!("{} is not for this binary", other.name()),
        })
    })
}
