//! Host programs and the emulator's plugin, built without paths of this machine, in a folder of their own.

use anyhow::Result;
use renga_workspace::cargo;
use renga_workspace::delegate::OF_A_RELEASE;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profile of host programs.
const PROFILE: &str = "archive";
const PLUGIN_PACKAGE: &str = "renga-emu-plugin";

/// The packages of a release's host programs, each of which has a program of its name.
pub(crate) fn packages() -> Vec<&'static str> {
    ["renga"].into_iter().chain(OF_A_RELEASE.map(|delegate| delegate.name)).collect()
}

/// What was built.
#[derive(Debug)]
pub(crate) struct HostBuild {
    target: PathBuf,
}

impl HostBuild {
    /// Builds them.
    ///
    /// # Errors
    /// If cargo fails.
    pub(crate) fn make(environment: &Environment, progress: &ProgressLine) -> Result<HostBuild> {
        let target = environment.work().join("archive");
        progress.step("building the host programs: minutes the first time");
        let mut programs = build(environment, &target);
        programs.args(["--profile", PROFILE, "--bins"]);
        programs.args(packages().into_iter().flat_map(|package| ["--package", package]));
        cargo::run(programs, "the host programs do not build")?;
        progress.step("building the emulator plugin");
        let mut plugin = build(environment, &target);
        plugin.args(["--release", "--package", PLUGIN_PACKAGE]);
        plugin.env("CARGO_PROFILE_RELEASE_DEBUG", "0").env("CARGO_PROFILE_RELEASE_STRIP", "true");
        cargo::run(plugin, "the emulator plugin does not build")?;
        Ok(HostBuild { target })
    }

    /// The program of this name.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target.join(PROFILE).join(name)
    }

    /// The emulator's plugin.
    pub(crate) fn plugin(&self) -> PathBuf {
        self.target.join("release").join(format!("lib{}.so", PLUGIN_PACKAGE.replace('-', "_")))
    }
}

fn build(environment: &Environment, target: &Path) -> Command {
    let mut command = Command::new(cargo::program());
    command.current_dir(&environment.root).args(["build", "--quiet", "--locked", "--target-dir"]).arg(target);
    command.env(cargo::ENCODED_FLAGS, cargo::encoded_flags(&environment.root, ""));
    command
}
