//! Builds the page: the module, the media, and the files of `page/`, in one folder that needs no network.
//!
//! Called by: `renga-sim-browser` (for `renga sim --browser` and `renga docs`), tests.

mod module;
mod page;

pub use module::build_module;
pub use page::{check_folder, disk_bytes, write_page};

use anyhow::{Context, Result};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::{Path, PathBuf};

/// Builds the page in `folder`; its first file.
///
/// # Errors
/// If the folder has other files, the module does not build, mke2fs fails, or a file cannot be written.
pub fn build_page(environment: &Environment, folder: &Path, progress: &ProgressLine) -> Result<PathBuf> {
    check_folder(folder)?;
    let module = build_module(environment, progress)?;
    progress.step("writing the page of the simulator");
    let module = fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
    write_page(folder, &module)
}
