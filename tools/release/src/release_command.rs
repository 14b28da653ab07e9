//! `renga release`.

use crate::contents;
use crate::machine_paths::MachinePaths;
use anyhow::{Context, Result};
use renga_cli::ReleaseArgs;
use renga_images::calendar::EPOCH_S;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs;

/// Makes the archive, and prints its path.
///
/// # Errors
/// If something does not build or cannot be fetched, or would contain a path of this machine.
pub fn release(environment: &Environment, options: &ReleaseArgs) -> Result<u8> {
    let progress = ProgressLine::start();
    let name = format!("renga-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let work = environment.work();
    fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    let out = options.out.clone().unwrap_or_else(|| work.join(format!("{name}.tar.gz")));
    let tree = contents::collect(environment, !options.no_book, &progress)?;
    progress.step("packing the release");
    let paths = MachinePaths::of(environment);
    tree.write((&name, EPOCH_S), &out, &|place, bytes| paths.refuse(place, bytes))?;
    progress.finish();
    println!("{}", out.display());
    Ok(0)
}
