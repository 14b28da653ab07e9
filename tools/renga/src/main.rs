//! `renga`: reads the command line; carries the command out, or becomes the binary that does.
#![forbid(unsafe_code)]

use anyhow::Result;
use renga::command;
use renga_cli::{Cli, RengaCommand, Sim};
use renga_workspace::delegate::{
    BROWSER_VIEW, COMPLETIONS, Delegate, FLASH, LAB, MUTANTS, RELEASE, SERIAL, SIMULATOR, SIMULATOR_PAGE, VIEW,
};
use renga_workspace::environment::Environment;
use renga_workspace::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Cli::read().command;
    exit::of(|| Environment::read().and_then(|environment| carry_out(&environment, &command)))
}

/// Whether the command builds something of the sources.
fn needs_sources(command: &RengaCommand) -> bool {
    matches!(
        command,
        RengaCommand::Test(_)
            | RengaCommand::Env
            | RengaCommand::Release(_)
            | RengaCommand::Sim(Sim { browser: Some(_), .. })
    )
}

fn carry_out(environment: &Environment, command: &RengaCommand) -> Result<u8> {
    if needs_sources(command) {
        environment.expect_sources(&format!("`renga {}`", command.name()))?;
    }
    match command {
        RengaCommand::Run(options) => command::run::run(environment, options),
        RengaCommand::Linux(options) => command::linux::linux(environment, options),
        RengaCommand::Test(options) if options.mutants.mutants => become_whole(environment, MUTANTS),
        RengaCommand::Test(options) => command::test::test(environment, options),
        RengaCommand::Check(options) => command::check::check(environment, options),
        RengaCommand::System(options) => command::system::system(environment, options),
        RengaCommand::Cluster(options) => command::cluster::cluster(environment, options),
        RengaCommand::Image(options) => command::image::image(environment, options),
        RengaCommand::Docs => command::docs::docs(environment),
        RengaCommand::Env => command::env::env(environment),
        RengaCommand::Sim(Sim { browser: Some(folder), .. }) => {
            let folder = folder.clone().unwrap_or_else(|| environment.work().join("simulator"));
            SIMULATOR_PAGE.become_with(environment, [folder.into_os_string()])
        }
        RengaCommand::Sim(_) => SIMULATOR.become_with(environment, std::env::args_os().skip(2)),
        RengaCommand::Bench(_) | RengaCommand::Crash(_) | RengaCommand::Sweep(_) => become_whole(environment, LAB),
        RengaCommand::Completions(_) => become_whole(environment, COMPLETIONS),
        RengaCommand::Trace(_) | RengaCommand::Top(_) => become_whole(environment, VIEW),
        RengaCommand::Release(_) => become_whole(environment, RELEASE),
        RengaCommand::View(_) => become_whole(environment, BROWSER_VIEW),
        RengaCommand::Flash(_) => become_whole(environment, FLASH),
        RengaCommand::Console(_) | RengaCommand::Doctor(_) => become_whole(environment, SERIAL),
    }
}

/// Becomes `delegate`, which reads the same command line.
fn become_whole(environment: &Environment, delegate: Delegate) -> Result<u8> {
    delegate.become_with(environment, std::env::args_os().skip(1))
}
