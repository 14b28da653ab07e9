//! `renga-browser-view`: carries out `renga view`.
#![forbid(unsafe_code)]

use renga_browser_view::browser_command;
use renga_cli::{Cli, RengaCommand};
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::of(|| match &Cli::read().command {
        RengaCommand::View(options) => browser_command::view(options),
        other => Err(anyhow::anyhow!("{} is not for this binary", other.name())),
    })
}
