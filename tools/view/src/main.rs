//! `renga-view`: carries out `renga top` and `renga trace`.
#![forbid(unsafe_code)]

use renga_cli::{Cli, RengaCommand};
use renga_view::{top_command, trace_command};
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::of(|| match &Cli::read().command {
        RengaCommand::Top(options) => top_command::top(options),
        RengaCommand::Trace(options) => trace_command::trace(options),
        other => Err(anyhow::anyhow!("{} is not for this binary", other.name())),
    })
}
