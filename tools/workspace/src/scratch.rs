//! A folder of one run's own, gone when it ends.

use crate::environment::Environment;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// How the names of such folders begin: those of runs, and those in which images are made. The process follows.
const PREFIXES: [&str; 2] = ["run-", "image-scratch-"];

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
        remove_left_over(&environment.work());
        let folder = environment.work().join(format!("run-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| {
            format!("cannot make {}; take a copy of this project that you may write", folder.display())
        })?;
        Ok(Scratch { folder })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in target/, which is anybody's to remove.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the folders of processes that were killed.
fn remove_left_over(work: &Path) {
    for entry in fs::read_dir(work).into_iter().flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // Another run may be removing it as well.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The process whose folder has this name.
fn owner(name: &str) -> Option<u32> {
    let rest = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))?;
    rest.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::remove_left_over;
    use std::fs;
    use std::process::Command;

    /// Holds: run-killed.
    #[test]
    fn scratch_of_killed_processes_is_removed_by_the_next() {
        let work = std::env::temp_dir().join(format!("renga-scratch-{}", std::process::id()));
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let (dead, own) = (ended.id(), std::process::id());
        let stays = [format!("image-scratch-{own}-0"), "images".into(), "run-me".into(), format!("run-{own}")];
        let goes = [format!("run-{dead}"), format!("image-scratch-{dead}-12")];
        stays.iter().chain(&goes).for_each(|name| fs::create_dir_all(work.join(name).join("below")).unwrap());
        remove_left_over(&work);
        let left = |name: &String| work.join(name).exists();
        assert!(stays.iter().all(left) && !goes.iter().any(left), "{stays:?}, {goes:?}");
        fs::remove_dir_all(work).unwrap();
    }
}
