//! Commands that have a binary of their own, so that the first `renga run` of a clean clone need not compile them.
//!
//! Invariant: a binary that is newer than its sources runs at once, without cargo, and so does one of a release. Called
//! by: the binary `renga`. Not here: which command has which binary (`renga`).

use crate::environment::Environment;
use crate::lock::Lock;
use crate::progress::ProgressLine;
use crate::{cargo, freshness, prebuilt};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Set for tests by what has built all binaries of the profile `dev` just before: they run as they are.
pub const BUILT: &str = "RENGA_BUILT";

/// A binary of the workspace, of the package with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delegate {
    /// Its name and its package's.
    pub name: &'static str,
    /// The profile that cargo builds it by.
    pub profile: &'static str,
    /// The folder below cargo's target folder where that profile's binaries are.
    pub folder: &'static str,
}

/// Writes pages for a browser. Built for speed: a trace may have millions of events.
pub const BROWSER_VIEW: Delegate = Delegate { name: "renga-browser-view", profile: "sim", folder: "sim" };
/// Prints completions and manual pages.
pub const COMPLETIONS: Delegate = Delegate::dev("renga-completions");
/// Writes cards.
pub const FLASH: Delegate = Delegate::dev("renga-flash");
/// Measures, cuts power, runs sweeps.
pub const LAB: Delegate = Delegate::dev("renga-lab");
/// Makes mutants.
pub const MUTANTS: Delegate = Delegate::dev("renga-mutants");
/// Makes releases.
pub const RELEASE: Delegate = Delegate::dev("renga-release");
/// Joins a terminal with boards, and inspects the machine.
pub const SERIAL: Delegate = Delegate::dev("renga-serial");
/// The simulator, built for speed.
pub const SIMULATOR: Delegate = Delegate { name: "renga-sim", profile: "sim", folder: "sim" };
/// What builds the simulator's page.
pub const SIMULATOR_PAGE: Delegate = Delegate::dev("renga-sim-browser");
/// Prints traces.
pub const VIEW: Delegate = Delegate::dev("renga-view");

/// Those that need no sources, so that a release has them.
pub const OF_A_RELEASE: [Delegate; 7] = [BROWSER_VIEW, COMPLETIONS, FLASH, LAB, SERIAL, SIMULATOR, VIEW];

impl Delegate {
    /// One that is quick to build.
    pub const fn dev(name: &'static str) -> Delegate {
        Delegate { name, profile: "dev", folder: "debug" }
    }

    /// Builds it, unless it is newer than its sources; its path.
    ///
    /// # Errors
    /// If cargo fails; what it wrote is in the message.
    pub fn build(self, environment: &Environment, progress: &ProgressLine) -> Result<PathBuf> {
        if let Some(programs) = environment.prebuilt(prebuilt::HOST_PROGRAMS) {
            let binary = programs.join(self.name);
            return if binary.exists() { Ok(binary) } else { environment.expect_sources(self.name).map(|()| binary) };
        }
        let target = environment.target();
        let binary = target.join(self.folder).join(self.name);
        if self.profile == "dev" && std::env::var_os(BUILT).is_some() && binary.exists() {
            return Ok(binary);
        }
        let marks = environment.work().join("delegates");
        let [begun, sources] = ["begun", "sources"].map(|mark| marks.join(format!("{}.{mark}", self.name)));
        let is_built = || binary.exists() && freshness::is_newer(&environment.root, &begun, &sources);
        // It takes no lock, which a folder that cannot be written has not: a build removes the record of sources first.
        if is_built() {
            return Ok(binary);
        }
        fs::create_dir_all(&marks).with_context(|| format!("cannot make {}", marks.display()))?;
        let _lock = Lock::exclusive(&marks.join(format!("{}.lock", self.name)), &mut |line| progress.step(line))
            .with_context(|| format!("cannot lock {}", marks.display()))?;
        if is_built() {
            return Ok(binary);
        }
        freshness::begin(&begun, &sources)?;
        progress.step(&format!("building {}", self.name));
        let mut cargo = Command::new(cargo::program());
        cargo.current_dir(&environment.root).args(["build", "--quiet", "--profile", self.profile]);
        cargo.args(["--package", self.name, "--bin", self.name, "--target-dir"]).arg(&target);
        cargo::run(cargo, &format!("{} does not build", self.name))?;
        let manifests = freshness::manifests(&environment.root);
        freshness::record(&environment.root, &binary.with_extension("d"), &manifests, &sources)?;
        Ok(binary)
    }

    /// Builds it if need be and becomes it; returns only if it cannot.
    ///
    /// # Errors
    /// If it does not build or cannot be started.
    pub fn become_with(self, environment: &Environment, arguments: impl IntoIterator<Item = OsString>) -> Result<u8> {
        let progress = ProgressLine::start();
        let binary = self.build(environment, &progress)?;
        progress.finish();
        let error = Command::new(&binary).args(arguments).env("RENGA_ROOT", &environment.root).exec();
        Err(error).with_context(|| format!("cannot start {}", binary.display()))
    }
}
