//! `renga`: reads the command line and hands over.
#![forbid(unsafe_code)]

use clap::Parser;
use renga::cli::{Cli, Command, hint};
use renga::command;
use renga::environment::Environment;
use std::process::ExitCode;

/// Exit status when Renga itself fails, as opposed to a program that it ran.
const FAILURE_STATUS: u8 = 125;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    let outcome = Environment::read().and_then(|environment| match &cli.command {
        Command::Run(options) => command::run::run(&environment, options),
        Command::Linux(options) => command::linux::linux(&environment, options),
        Command::Test(options) => command::test::test(&environment, options),
        Command::Bench(options) => command::bench::bench(&environment, options),
        Command::Check(options) => command::check::check(&environment, options),
        Command::Sim(options) => command::sim::sim(&environment, options),
        Command::Sweep(options) => command::sweep::sweep(&environment, options),
        Command::Trace(options) => command::trace::trace(options),
        Command::Top(options) => command::top::top(options),
        Command::Image(options) => command::image::image(&environment, options),
        Command::Flash(options) => command::flash::flash(&environment, options),
        Command::Console(options) => command::console::console(&environment, options),
        Command::Doctor => command::doctor::doctor(&environment),
        Command::Env => command::env::env(&environment),
    });
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("renga: {error:#}");
            ExitCode::from(FAILURE_STATUS)
        }
    }
}

/// Says what is wrong with the command line, and what may have been meant.
fn refuse(error: &clap::Error) -> ! {
    let _ = error.print(); // there is nobody else to tell
    if let Some(hint) = hint(error, std::env::args().skip(1)) {
        eprintln!("\n{hint}");
    }
    std::process::exit(error.exit_code())
}
