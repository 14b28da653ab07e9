//! Tests that one call of cargo runs.
//!
//! Invariant: their output is printed as it comes, and counted; a call that fails without a failed test is reported.
//! A test program that prints nothing for too long is ended, and reported, since the harness itself ends no test that
//! waits for ever.

use super::count::TestCount;
use anyhow::{Context, Result};
use renga_cli::Test;
use renga_workspace::environment::Environment;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Longer than the build of all tests, and than any limit that a test has of its own.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(1200);

/// Tests that one call of cargo runs.
pub(super) struct Layer<'a> {
    /// As it is called when it does not end well.
    pub(super) name: &'a str,
    /// Cargo's arguments.
    pub(super) arguments: &'a [&'a str],
    /// Settings of the environment.
    pub(super) settings: &'a [(&'a str, &'a str)],
    /// The test programs' arguments.
    pub(super) flags: &'a [&'a str],
    /// Tests whose names contain one of these are left out.
    pub(super) without: &'a [&'a str],
    /// How long a test program may print nothing.
    pub(super) silence_max: Duration,
}

impl<'a> Layer<'a> {
    /// One that does nothing yet.
    pub(super) const fn named(name: &'a str) -> Layer<'a> {
        Layer { name, arguments: &[], settings: &[], flags: &[], without: &[], silence_max: Duration::MAX }
    }

    /// Runs those of them whose names contain the filter.
    pub(super) fn run(&self, environment: &Environment, options: &Test, count: &mut TestCount) -> Result<()> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&environment.root).args(self.arguments).envs(self.settings.iter().copied());
        // Set by an outer cargo; an inner one with another toolchain must not inherit them.
        cargo.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").envs(environment.all()?);
        cargo.args(&options.filter);
        cargo.arg("--").args(self.flags).args(self.without.iter().flat_map(|name| ["--skip", name]));
        let skipped = environment.work().join(format!("skipped.{}", std::process::id()));
        cargo.env(renga_skip::SKIPPED, &skipped);
        let child = cargo.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
        if !self.follow(child, count)? {
            count.broken.push(self.name.to_string());
        }
        // It is there only if a test was skipped.
        count.skip(&fs::read_to_string(&skipped).unwrap_or_default());
        let _ = fs::remove_file(&skipped);
        Ok(())
    }

    /// Prints and counts what `cargo` says; whether it ended well.
    fn follow(&self, mut cargo: Child, count: &mut TestCount) -> Result<bool> {
        let output = BufReader::new(cargo.stdout.take().context("cargo has no output")?);
        let (sender, lines) = channel();
        // It ends with cargo's output, or with its receiver.
        std::thread::spawn(move || output.lines().try_for_each(|line| sender.send(line)));
        loop {
            match lines.recv_timeout(self.silence_max) {
                Ok(line) => {
                    let line = line?;
                    println!("{line}");
                    count.read(&line);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(cargo.wait()?.success()),
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.silence_max.as_secs();
                    let ended = end_children(&cargo);
                    count.broken.push(format!("{}: silent for {seconds} s, so ended: {}", self.name, ended.join(", ")));
                    if ended.is_empty() {
                        // Cargo itself; or it has ended, and another program keeps its output open.
                        cargo.kill().context("cannot end cargo")?;
                        cargo.wait()?;
                        return Ok(false);
                    }
                }
            }
        }
    }
}

/// Ends the programs that `parent` runs; their names.
fn end_children(parent: &Child) -> Vec<String> {
    let list = fs::read_to_string(format!("/proc/{0}/task/{0}/children", parent.id())).unwrap_or_default();
    let children = list.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?));
    let end = |child: Pid| {
        let name = fs::read_to_string(format!("/proc/{}/comm", child.as_raw_nonzero())).unwrap_or_default();
        // One that has ended meanwhile needs no more.
        kill_process(child, Signal::KILL).ok().map(|()| name.trim().to_string())
    };
    children.filter_map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::{Layer, TestCount};
    use std::process::{Command, Stdio};
    use std::time::Duration;

    #[test]
    fn layer_silent_test_program_is_ended_and_reported() {
        const SCRIPT: &str = "echo 'test result: ok. 1 passed; 0 failed'; sleep 3600; \
                              echo 'test result: ok. 2 passed; 0 failed'; exit 1";
        let layer = Layer { silence_max: Duration::from_secs(5), ..Layer::named("one") };
        let shell = Command::new("sh").args(["-c", SCRIPT]).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut count = TestCount::default();
        assert!(!layer.follow(shell, &mut count).expect("it has output"));
        assert_eq!((count.passed, count.broken), (3, vec!["one: silent for 5 s, so ended: sleep".to_string()]));
    }
}
