//! Debian packages of another architecture: fetched by name from the machine's mirror, checked by apt, unpacked.
//!
//! Invariant: a package's folder exists only when it is whole. What has been fetched stays until `target/` is removed,
//! so that builds between two cleanings see one and the same version. apt's private configuration is the business of
//! `tools/setup/fetch-packages.sh`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::ImageError;
use super::command::{report, run, run_well};
use super::error::at;

/// Fetches and unpacks packages; returns the folder of each, by name.
///
/// `root` is the project's folder, `work` is `target/renga`, `architecture` is Debian's name for it (`arm64`, `amd64`).
/// `progress` hears a line before anything is fetched.
///
/// # Errors
/// When apt is missing, the network fails, or a package does not exist or fails its check.
pub fn fetch(
    root: &Path,
    work: &Path,
    architecture: &str,
    names: &[String],
    progress: &mut dyn FnMut(&str),
) -> Result<HashMap<String, PathBuf>, ImageError> {
    let store = work.join(format!("packages-{architecture}"));
    let folders: HashMap<String, PathBuf> = names.iter().map(|name| (name.clone(), store.join(name))).collect();
    if missing(&folders).is_empty() {
        return Ok(folders);
    }
    fs::create_dir_all(&store).map_err(at(&store))?;
    let lock_path = store.join(".lock");
    // Whoever else is fetching the same things goes first; closing the file unlocks it.
    let lock = File::create(&lock_path).map_err(at(&lock_path))?;
    lock.lock().map_err(at(&lock_path))?;
    let missing = missing(&folders);
    if missing.is_empty() {
        return Ok(folders);
    }
    progress(&format!("fetching from Debian for {architecture}: {}", missing.join(", ")));
    for file in fetch_files(root, work, architecture, &missing)? {
        unpack(&file, &store)?;
    }
    match missing.iter().find(|name| !folders[**name].exists()) {
        Some(name) => Err(fetch_error(architecture, &missing, format!("apt fetched no file for {name}"))),
        None => Ok(folders),
    }
}

fn missing(folders: &HashMap<String, PathBuf>) -> Vec<&str> {
    let mut names: Vec<_> =
        folders.iter().filter(|(_, folder)| !folder.exists()).map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

fn fetch_files(root: &Path, work: &Path, architecture: &str, names: &[&str]) -> Result<Vec<PathBuf>, ImageError> {
    let script = root.join("tools/setup/fetch-packages.sh");
    let output = run("bash", "bash", |command| {
        command.arg(&script).arg(work.join(format!("apt-{architecture}"))).arg(architecture).args(names);
    })?;
    if !output.status.success() {
        return Err(fetch_error(architecture, names, report(&output)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect())
}

fn fetch_error(architecture: &str, names: &[&str], report: String) -> ImageError {
    ImageError::Fetch { packages: names.join(", "), architecture: architecture.into(), report }
}

/// Unpacks `name_version_architecture.deb` to the folder `name`, which appears in one step.
fn unpack(file: &Path, store: &Path) -> Result<(), ImageError> {
    let file_name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = file_name.split('_').next().unwrap_or_default();
    let partial = store.join(format!(".{name}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(at(&partial))?;
    }
    run_well("dpkg-deb", "dpkg", |command| {
        command.arg("-x").arg(file).arg(&partial);
    })?;
    let folder = store.join(name);
    fs::rename(&partial, &folder).map_err(at(&folder))
}
