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
