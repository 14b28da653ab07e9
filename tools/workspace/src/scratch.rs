//! A folder of one run's own, gone when it ends.

use crate::environment::Environment;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// The folder.
pub struct Scratch {
    /// Where it is.
    pub folder: PathBuf,
}

impl Scratch {
    /// Makes it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make(environment: &Environment) -> Result<Scratch> {
        remove_left_over(environment);
        let folder = environment.work().join(format!("run-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Scratch { folder })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in target/, which is anybody's to remove.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the folders of runs whose processes were killed.
fn remove_left_over(environment: &Environment) {
    for entry in fs::read_dir(environment.work()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("run-")).and_then(|pid| pid.parse::<u32>().ok());
        if owner.is_some_and(|pid| !std::path::Path::new(&format!("/proc/{pid}")).exists()) {
            // Another run may be removing it as well.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
