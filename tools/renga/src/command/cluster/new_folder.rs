//! A folder in which nothing can be lost.

use anyhow::{Result, bail};
use std::fs;
use std::path::Path;

/// Refuses a folder that has files, or a file, unless it is forced.
///
/// # Errors
/// If there is one.
pub(super) fn expect_new(folder: &Path, force: bool) -> Result<()> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none() || force,
        Err(_) => !folder.exists(),
    };
    if !is_free {
        bail!("{} exists: choose a new folder, or --force to write over its files", folder.display());
    }
    Ok(())
}
