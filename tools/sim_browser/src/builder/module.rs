//! Builds the simulator for WebAssembly.

use anyhow::{Context, Result};
use renga_workspace::cargo;
use renga_workspace::environment::{Environment, WASM_RUSTFLAGS};
use renga_workspace::progress::ProgressLine;
use std::path::PathBuf;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "browser";
const PACKAGE: &str = "renga-sim-browser";

/// Builds the module, unless cargo finds it fresh; its path.
///
/// # Errors
/// If std for WebAssembly cannot be had, or cargo fails.
pub fn build_module(environment: &Environment, progress: &ProgressLine) -> Result<PathBuf> {
    let settings = environment.for_wasm()?;
    progress.step("building the simulator for WebAssembly: a minute the first time");
    let target = environment.work().join("browser-target");
    let mut build = Command::new(cargo::program());
    build.current_dir(&environment.root).envs(settings);
    // Flags of the user's own are for this machine.
    let given = settings.get(WASM_RUSTFLAGS).context("no flags")?.to_string_lossy();
    build.env(cargo::ENCODED_FLAGS, cargo::encoded_flags(&environment.root, &given));
    build.args(["rustc", "--quiet", "--package", PACKAGE, "--lib", "--crate-type", "cdylib"]);
    build.args(["--target", TARGET, "--profile", PROFILE, "--target-dir"]).arg(&target);
    cargo::run(build, "the simulator does not build for WebAssembly")?;
    Ok(target.join(TARGET).join(PROFILE).join(format!("{}.wasm", PACKAGE.replace('-', "_"))))
}
