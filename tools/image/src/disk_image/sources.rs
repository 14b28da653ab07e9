//! What Debian's packages are made of: fetched by name, checked by apt, unpacked.
//!
//! Invariant: a package's folder exists only when it is whole; it stays until `target/` is removed. Debian's changes
//! are laid beside, in `debian`, and not applied.

use std::fs;
use std::path::{Path, PathBuf};

use super::ImageError;
use super::apt;
use super::command::run_well;
use super::error::at;
use super::package_store::{Closure, PackageStore};

/// How the archive of Debian's own part is called, behind the version.
const CHANGES: &str = ".debian.tar";
/// For apt's sake: sources have none.
const ARCHITECTURE: &str = "arm64";

/// Fetches the sources of the source package `name`; their folder.
///
/// # Errors
/// When apt is missing, the network fails, or there is no such source package.
pub fn fetch(root: &Path, work: &Path, name: &str, progress: &mut dyn FnMut(&str)) -> Result<PathBuf, ImageError> {
    let folder = work.join("sources").join(name);
    if folder.exists() {
        return Ok(folder);
    }
    let store = PackageStore { root, work, architecture: ARCHITECTURE };
    let _lock = store.lock(progress)?;
    if folder.exists() {
        return Ok(folder);
    }
    progress(&format!("fetching from Debian the sources of {name}"));
    let archives = apt::fetch_files(&store, &[name.to_string()], Closure::Source)?;
    let (changes, own): (Vec<PathBuf>, Vec<PathBuf>) =
        archives.into_iter().partition(|file| file.to_string_lossy().contains(CHANGES));
    let [own] = own.as_slice() else { return Err(apt::incomplete(&store, &[name.to_string()], &[])) };
    let partial = work.join("sources").join(format!(".{name}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(at(&partial))?;
    }
    unpack(own, &partial)?;
    let whole = only_folder(&partial)?.unwrap_or_else(|| partial.clone());
    for archive in changes {
        unpack(&archive, &whole)?;
    }
    fs::rename(&whole, &folder).map_err(at(&folder))?;
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(at(&partial))?;
    }
    Ok(folder)
}

fn unpack(archive: &Path, to: &Path) -> Result<(), ImageError> {
    fs::create_dir_all(to).map_err(at(to))?;
    run_well("tar", "tar", |command| {
        command.arg("-xf").arg(archive).arg("-C").arg(to).arg("--no-same-owner");
    })?;
    Ok(())
}

/// The folder that is all that is in `folder`; most archives have one, some have none.
fn only_folder(folder: &Path) -> Result<Option<PathBuf>, ImageError> {
    let entries: Vec<PathBuf> = fs::read_dir(folder).map_err(at(folder))?.flatten().map(|entry| entry.path()).collect();
    Ok(match entries.as_slice() {
        [only] if only.is_dir() => Some(only.clone()),
        _ => None,
    })
}
