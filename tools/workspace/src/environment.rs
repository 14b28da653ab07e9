//! Where things are: what the `renga` script found and passed on.
//!
//! Invariant: read once, at the start. Not here: installing what is missing (the script).

use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// What set-up found.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The project's folder.
    pub root: PathBuf,
    /// QEMU, if set-up ran for a command that needs it.
    qemu: Option<PathBuf>,
    objcopy: Option<PathBuf>,
    /// Compiler flags for board builds.
    pub target_rustflags: String,
}

impl Environment {
    /// Reads it.
    ///
    /// # Errors
    /// If this is not run by the `renga` script and the project's folder cannot be told.
    pub fn read() -> Result<Environment> {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = path("RENGA_ROOT").map_or_else(find_root, Ok)?;
        Ok(Environment {
            root,
            qemu: path("RENGA_QEMU"),
            objcopy: path("RENGA_OBJCOPY"),
            target_rustflags: env::var("RENGA_TARGET_RUSTFLAGS").unwrap_or_default(),
        })
    }

    /// The QEMU binary.
    ///
    /// # Errors
    /// If set-up has not looked for it.
    pub fn qemu(&self) -> Result<&Path> {
        self.qemu
            .as_deref()
            .context("RENGA_QEMU is not set: start this program as `./renga`, which finds or installs QEMU")
    }

    /// A program that makes raw images of ELF files.
    ///
    /// # Errors
    /// If set-up has not looked for it.
    pub fn objcopy(&self) -> Result<&Path> {
        self.objcopy.as_deref().context("RENGA_OBJCOPY is not set: start this program as `./renga`, which finds it")
    }

    /// Where cargo builds for this machine.
    pub fn target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.root.join("target"), PathBuf::from)
    }

    /// Where what is built and fetched stays.
    pub fn work(&self) -> PathBuf {
        self.root.join("target/renga")
    }
}

fn find_root() -> Result<PathBuf> {
    let here = env::current_dir()?;
    match here.ancestors().find(|folder| folder.join("sysprocs/systems").is_dir()) {
        Some(root) => Ok(root.to_path_buf()),
        None => bail!("this is not inside Renga's folder; start it as `./renga` there, or set RENGA_ROOT"),
    }
}
