//! Debian packages of another architecture: fetched by name from the machine's mirror, checked by apt, unpacked.
//!
//! Invariant: a package's folder exists only when it is whole, and is named by name, version and architecture. What has
//! been resolved and fetched stays until `target/` is removed, so that builds between two cleanings see one and the
//! same version and need no network. apt's private configuration is the business of `tools/setup/fetch-packages.sh`.

use renga_workspace::lock::Lock;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::ImageError;
use super::apt;
use super::command::run_well;
use super::error::at;
use super::package_store::{Closure, PackageStore};
use crate::card::sha256;

/// An unpacked package.
#[derive(Debug, Clone)]
pub(super) struct Package {
    /// Its name.
    pub(super) name: String,
    /// Name, version and architecture, as in the name of its file.
    pub(super) identity: String,
    folder: PathBuf,
}

impl Package {
    fn new(store: &Path, identity: &str) -> Self {
        let name = identity.split('_').next().unwrap_or_default().to_string();
        Self { name, identity: identity.to_string(), folder: store.join(identity) }
    }

    /// What is kept of it.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it installs.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The names of the packages that it depends on; of alternatives, the first.
    fn depends(&self) -> Result<Vec<String>, ImageError> {
        let path = self.folder.join("control/control");
        let control = fs::read_to_string(&path).map_err(at(&path))?;
        let line = control.lines().find_map(|line| line.strip_prefix("Depends:")).unwrap_or_default();
        let first = |part: &str| part.split([' ', '(', '|']).find(|word| !word.is_empty()).map(str::to_string);
        Ok(line.split(',').filter_map(first).collect())
    }

    /// The script that would run after it is installed, if there is one.
    pub(super) fn postinst(&self) -> Option<String> {
        fs::read(self.folder.join("control/postinst")).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Fetches and unpacks single packages; returns what each installs, by name.
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
    let store = PackageStore { root, work, architecture };
    let packages = store.get(names, Closure::Alone, progress)?;
    Ok(packages.into_iter().map(|package| (package.name.clone(), package.data())).collect())
}

/// Fetches and unpacks the package that `by` depends on and whose name begins with `begin`; returns what it installs.
/// So Debian names the newest version of what has its version in its name.
///
/// # Errors
/// As [`fetch`], or when `by` depends on no such package.
pub fn fetch_dependency(
    root: &Path,
    work: &Path,
    architecture: &str,
    (by, begin): (&str, &str),
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, ImageError> {
    let store = PackageStore { root, work, architecture };
    let mut one = |name: &str| {
        let mut packages = store.get(&[name.to_string()], Closure::Alone, progress)?;
        packages.pop().ok_or_else(|| apt::incomplete(&store, &[name.to_string()], &[]))
    };
    let depends = one(by)?.depends()?;
    match depends.iter().find(|name| name.starts_with(begin)) {
        Some(name) => Ok(one(name)?.data()),
        None => Err(apt::incomplete(&store, &[format!("{begin}*")], &[by.to_string()])),
    }
}

impl PackageStore<'_> {
    /// The packages of these names, fetched if this was never asked for; sorted by name.
    pub(super) fn get(
        &self,
        names: &[String],
        closure: Closure,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<Package>, ImageError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(found) = self.get_if_there(names, closure) {
            return Ok(found);
        }
        let folder = self.folder();
        let _lock = self.lock(progress)?;
        if let Some(found) = self.get_if_there(names, closure) {
            return Ok(found);
        }
        progress(&format!("fetching from Debian for {}: {}", self.architecture, names.join(", ")));
        let files = apt::fetch_files(self, names, closure)?;
        let mut identities = Vec::new();
        for (number, file) in files.iter().enumerate() {
            progress(&format!("unpacking package {} of {}", number + 1, files.len()));
            identities.push(unpack(file, &folder)?);
        }
        identities.sort();
        let request = self.request(names, closure);
        fs::write(&request, identities.join("\n") + "\n").map_err(at(&request))?;
        self.get_if_there(names, closure).ok_or_else(|| apt::incomplete(self, names, &identities))
    }

    /// Waits until no other command fetches.
    pub(super) fn lock(&self, progress: &mut dyn FnMut(&str)) -> Result<Lock, ImageError> {
        let folder = self.folder();
        fs::create_dir_all(folder.join("requests")).map_err(at(&folder))?;
        let path = folder.join(".lock");
        Lock::exclusive(&path, progress).map_err(at(&path))
    }

    /// The packages of these names, if they were fetched before.
    pub(super) fn get_if_there(&self, names: &[String], closure: Closure) -> Option<Vec<Package>> {
        let text = fs::read_to_string(self.request(names, closure)).ok()?;
        let packages: Vec<_> = text.lines().map(|identity| Package::new(&self.folder(), identity)).collect();
        let whole = packages.iter().all(|package| package.folder.exists());
        let named = closure == Closure::WithDependencies
            || names.iter().all(|name| packages.iter().any(|package| package.name == *name));
        (whole && named).then_some(packages)
    }

    fn folder(&self) -> PathBuf {
        self.work.join(format!("packages-{}", self.architecture))
    }

    /// The file that says what came of a request.
    pub(super) fn request(&self, names: &[String], closure: Closure) -> PathBuf {
        let mut sorted = names.to_vec();
        sorted.sort();
        sorted.dedup();
        let sum = sha256(format!("{closure:?} {}", sorted.join(" ")).as_bytes()).to_string();
        self.folder().join("requests").join(&sum[..16])
    }
}

/// Unpacks `name_version_architecture.deb` to a folder of that name, which appears in one step; the name.
fn unpack(file: &Path, store: &Path) -> Result<String, ImageError> {
    let identity = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = store.join(&identity);
    if folder.exists() {
        return Ok(identity);
    }
    let partial = store.join(format!(".{identity}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(at(&partial))?;
    }
    fs::create_dir_all(&partial).map_err(at(&partial))?;
    for (what, to) in [("--extract", "data"), ("--control", "control")] {
        run_well("dpkg-deb", "dpkg", |command| {
            command.arg(what).arg(file).arg(partial.join(to));
        })?;
    }
    fs::rename(&partial, &folder).map_err(at(&folder))?;
    Ok(identity)
}
