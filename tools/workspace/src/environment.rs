//! Where things are: the project's folder, and the programs and settings that set-up finds or installs.
//!
//! Invariant: set-up runs when a command first needs a setting, and at most once for each kind; a shell with the
//! settings of `./renga env` needs none. A release has what needs Rust, and no sources. Calls:
//! `tools/setup/provide.sh`. Not here: installing (`tools/setup`).

use crate::prebuilt;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// Settings of the environment, by name.
pub type Settings = BTreeMap<String, OsString>;

/// The compiler flags that every build for the boards needs.
pub const TARGET_RUSTFLAGS: &str = "RENGA_TARGET_RUSTFLAGS";
/// The compiler flags that every build for WebAssembly needs.
pub const WASM_RUSTFLAGS: &str = "RENGA_WASM_RUSTFLAGS";
const OBJCOPY: &str = "RENGA_OBJCOPY";
const QEMU: &str = "RENGA_QEMU";
/// What builds for the boards need.
const FOR_BOARDS: [&str; 3] = ["RENGA_SYSROOT", TARGET_RUSTFLAGS, OBJCOPY];

/// What set-up found.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The project's folder.
    pub root: PathBuf,
    boards: Arc<OnceLock<Settings>>,
    wasm: Arc<OnceLock<Settings>>,
    qemu: Arc<OnceLock<Settings>>,
}

impl Environment {
    /// Finds the project's folder.
    ///
    /// # Errors
    /// If the `renga` script has not named it and this does not run inside it.
    pub fn read() -> Result<Environment> {
        let root = set("RENGA_ROOT").map_or_else(find_root, |root| Ok(root.into()))?;
        // One spelling: what a build records is compared with it.
        let root = root.canonicalize().with_context(|| format!("RENGA_ROOT: there is no folder {}", root.display()))?;
        Ok(Environment::of(root))
    }

    /// Of the project in `root`, a path without links.
    pub fn of(root: PathBuf) -> Environment {
        Environment { root, boards: Arc::default(), wasm: Arc::default(), qemu: Arc::default() }
    }

    /// What a release has at `place` (see [`prebuilt`]); nothing in a checkout, which builds it.
    pub fn prebuilt(&self, place: &str) -> Option<PathBuf> {
        self.root.join(prebuilt::FOLDER).is_dir().then(|| self.root.join(place))
    }

    /// Refuses what only a checkout can do.
    ///
    /// # Errors
    /// In a release.
    pub fn expect_sources(&self, what: &str) -> Result<()> {
        if self.prebuilt(prebuilt::FOLDER).is_some() {
            bail!(
                "{what} needs Renga's sources and Rust, which a release does not have: use a clone of the repository"
            );
        }
        Ok(())
    }

    /// The QEMU binary.
    ///
    /// # Errors
    /// If it is neither there nor can be installed.
    pub fn qemu(&self) -> Result<&Path> {
        // The settings of `./renga env` are those of a binary whose version was compared.
        let compared = set(OBJCOPY).and(set(QEMU));
        let settings = self.settings(&self.qemu, "qemu", compared.map(|qemu| (QEMU, qemu)))?;
        settings.get(QEMU).map(Path::new).context("set-up has found no QEMU")
    }

    /// The QEMU binary that runs take, if it is there; installs none.
    pub fn qemu_if_there(&self) -> PathBuf {
        set(QEMU).map_or_else(|| PathBuf::from("qemu-system-aarch64"), PathBuf::from)
    }

    /// What builds for the boards need: `RENGA_TARGET_RUSTFLAGS`, `RENGA_OBJCOPY`, a `PATH` with a compiler.
    ///
    /// # Errors
    /// If it is neither there nor can be installed.
    pub fn for_boards(&self) -> Result<&Settings> {
        self.expect_sources("a build for the boards")?;
        let given = set(OBJCOPY).is_some();
        let given = FOR_BOARDS.into_iter().filter_map(|name| Some((name, env::var_os(name)?))).filter(|_| given);
        self.settings(&self.boards, "boards", given)
    }

    /// What builds for WebAssembly need: [`WASM_RUSTFLAGS`], a `PATH` with a compiler.
    ///
    /// # Errors
    /// If it is neither there nor can be installed.
    pub fn for_wasm(&self) -> Result<&Settings> {
        self.expect_sources("a build for WebAssembly")?;
        self.settings(&self.wasm, "wasm", env::var_os(WASM_RUSTFLAGS).map(|flags| (WASM_RUSTFLAGS, flags)))
    }

    /// A program that makes raw images of ELF files.
    ///
    /// # Errors
    /// As [`Environment::for_boards`].
    pub fn objcopy(&self) -> Result<&Path> {
        self.for_boards()?.get(OBJCOPY).map(Path::new).context("set-up has found no objcopy")
    }

    /// All settings, by which tests boot boards.
    ///
    /// # Errors
    /// If something is neither there nor can be installed.
    pub fn all(&self) -> Result<Settings> {
        let mut all = self.for_boards()?.clone();
        all.insert(QEMU.to_string(), self.qemu()?.into());
        all.insert("RENGA_ROOT".to_string(), self.root.clone().into());
        Ok(all)
    }

    /// Installs what only tests use, where it can.
    ///
    /// # Errors
    /// If set-up fails.
    pub fn provide_for_tests(&self) -> Result<()> {
        self.provide("tests").map(|_| ())
    }

    /// Installs the browser that tests of pages use, where that is possible.
    ///
    /// # Errors
    /// If set-up cannot be started or fails; what is missing fails nothing.
    pub fn provide_browser(&self) -> Result<()> {
        self.provide("browser").map(|_| ())
    }

    /// Where cargo builds for this machine.
    pub fn target(&self) -> PathBuf {
        set("CARGO_TARGET_DIR").map_or_else(|| self.root.join("target"), PathBuf::from)
    }

    /// Where what is built and fetched stays.
    pub fn work(&self) -> PathBuf {
        self.root.join("target/renga")
    }

    /// Those in `cell`, else those `given`, else those that set-up provides.
    fn settings<'a>(
        &self,
        cell: &'a OnceLock<Settings>,
        what: &str,
        given: impl IntoIterator<Item = (&'static str, OsString)>,
    ) -> Result<&'a Settings> {
        if cell.get().is_none() {
            let given: Settings = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
            let settings = if given.is_empty() { self.provide(what)? } else { given };
            // Another thread may have been first, with the same settings.
            let _ = cell.set(settings);
        }
        cell.get().context("set-up gave no settings")
    }

    fn provide(&self, what: &str) -> Result<Settings> {
        let mut bash = Command::new("bash");
        bash.arg(self.root.join("tools/setup/provide.sh")).arg(what).stderr(Stdio::inherit());
        let output = bash.stdin(Stdio::inherit()).output().context("cannot start bash")?;
        if !output.status.success() {
            bail!("set-up failed, for the reason above");
        }
        let text = String::from_utf8(output.stdout).context("set-up wrote no text")?;
        let setting = |(name, value): (&str, &str)| (name.to_string(), OsString::from(value));
        Ok(text.lines().filter_map(|line| line.split_once('=')).map(setting).collect())
    }
}

fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn find_root() -> Result<PathBuf> {
    let here = env::current_dir()?;
    match here.ancestors().find(|folder| folder.join("sysprocs/systems").is_dir()) {
        Some(root) => Ok(root.to_path_buf()),
        None => bail!("this is not inside Renga's folder; start it as `./renga` there, or set RENGA_ROOT"),
    }
}
