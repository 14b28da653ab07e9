//! `renga`: reads the command line; carries the command out, or becomes the binary that does.
#![forbid(unsafe_code)]

use anyhow::Result;
use renga::command;
use renga_cli::{Cli, Command};
use renga_workspace::delegate::{Delegate, SIMULATOR};
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

const COMPLETIONS: Delegate = Delegate::dev("renga-completions");
const FLASH: Delegate = Delegate::dev("renga-flash");
const LAB: Delegate = Delegate::dev("renga-lab");
const SERIAL: Delegate = Delegate::dev("renga-serial");
const VIEW: Delegate = Delegate::dev("renga-view");

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::code(Environment::read().and_then(|environment| carry_out(&environment, &command)))
}

fn carry_out(environment: &Environment, command: &Command) -> Result<u8> {
    match command {
        Command::Run(options) => command::run::run(environment, options),
        Command::Linux(options) => command::linux::linux(environment, options),
        Command::Test(options) => command::test::test(environment, options),
        Command::Check(options) => command::check::check(environment, options),
        Command::Image(options) => command::image::image(environment, options),
        Command::Docs => command::docs::docs(environment),
        Command::Env => command::env::env(environment),
        Command::Sim(_) => SIMULATOR.become_with(environment, std::env::args_os().skip(2)),
        Command::Bench(_) | Command::Sweep(_) => become_whole(environment, LAB),
        Command::Completions(_) => become_whole(environment, COMPLETIONS),
        Command::Trace(_) | Command::Top(_) => become_whole(environment, VIEW),
        Command::Flash(_) => become_whole(environment, FLASH),
        Command::Console(_) | Command::Doctor => become_whole(environment, SERIAL),
    }
}

/// Becomes `delegate`, which reads the same command line.
fn become_whole(environment: &Environment, delegate: Delegate) -> Result<u8> {
    delegate.become_with(environment, std::env::args_os().skip(1))
}
