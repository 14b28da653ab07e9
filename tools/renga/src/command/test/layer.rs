//! Tests that one call of cargo runs.
//!
//! Invariant: their output is printed as it comes, and counted; a call that fails without a failed test is reported.

use super::count::TestCount;
use anyhow::{Context, Result};
use renga_cli::Test;
use renga_workspace::environment::Environment;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

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
}

impl<'a> Layer<'a> {
    /// One that does nothing yet.
    pub(super) const fn named(name: &'a str) -> Layer<'a> {
        Layer { name, arguments: &[], settings: &[], flags: &[], without: &[] }
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
        let mut child = cargo.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
        let output = child.stdout.take().context("cargo has no output")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            count.read(&line);
        }
        if !child.wait()?.success() {
            count.broken.push(self.name.to_string());
        }
        // It is there only if a test was skipped.
        count.skip(&fs::read_to_string(&skipped).unwrap_or_default());
        let _ = fs::remove_file(&skipped);
        Ok(())
    }
}
