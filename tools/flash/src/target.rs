//! What the person named: a device, or a file.
//!
//! Invariant: an ordinary file is a target only if it was named as one, so that a mistyped device or a slip of the
//! shell's completion costs nobody a file. Not here: the confirmation (`person`).

use super::device::{BlockDevice, DeviceBus};
use super::error::FlashError;
use super::host::Host;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where to write.
#[derive(Clone, Debug)]
pub enum FlashTarget {
    /// A device of the host.
    BlockDevice(BlockDevice),
    /// An ordinary file.
    File(OrdinaryFile),
}

/// A file.
#[derive(Clone, Debug)]
pub struct OrdinaryFile {
    /// Its path, without links if it exists.
    pub path: PathBuf,
    /// Its file system and inode, and its length; none if it is to be made.
    pub found: Option<FoundFile>,
}

/// A file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Its file system and inode.
    pub identity: (u64, u64),
    /// Its length.
    pub len_bytes: u64,
}

impl FoundFile {
    /// The file of these facts.
    pub fn of(facts: &Metadata) -> FoundFile {
        FoundFile { identity: (facts.dev(), facts.ino()), len_bytes: facts.len() }
    }
}

impl FlashTarget {
    /// The device that `path` is. Nothing outside of `/dev` is one.
    ///
    /// # Errors
    /// If it is none.
    pub fn device(host: &Host, path: &Path) -> Result<FlashTarget, FlashError> {
        let whole = absolute(path)?;
        if whole.starts_with("/dev") {
            let device = host.find(&whole);
            return device
                .map(FlashTarget::BlockDevice)
                .ok_or_else(|| no_target(path, "there is no such device (./renga flash lists those that are there)"));
        }
        match std::fs::metadata(path) {
            Ok(facts) if facts.is_file() => {
                Err(no_target(path, "it is an ordinary file, which --to-file has to name: nothing was written"))
            }
            Ok(_) => Err(no_target(path, "it is no device in /dev")),
            Err(_) => Err(no_target(path, "there is no such device (./renga flash lists those that are there)")),
        }
    }

    /// The ordinary file that `path` is, or may become.
    ///
    /// # Errors
    /// If it is something else, or its folder does not exist.
    pub fn file(path: &Path) -> Result<FlashTarget, FlashError> {
        let whole = match std::fs::canonicalize(path) {
            Ok(whole) => whole,
            Err(_) => absolute(path)?,
        };
        if whole.starts_with("/dev") {
            return Err(no_target(path, "paths in /dev are devices: name it without --to-file"));
        }
        let found = match std::fs::metadata(&whole) {
            Ok(facts) if facts.is_file() => Some(FoundFile::of(&facts)),
            Ok(_) => return Err(no_target(path, "it is no ordinary file")),
            Err(_) if whole.parent().is_some_and(Path::is_dir) => None,
            Err(_) => return Err(no_target(path, "there is no such folder")),
        };
        Ok(FlashTarget::File(OrdinaryFile { path: whole, found }))
    }

    /// Refuses the `image` itself, as a file or as what a loop device writes to: it would be spoilt before it is read.
    ///
    /// # Errors
    /// [`FlashError::NoTarget`].
    pub fn differs_from(&self, image: &Path) -> Result<(), FlashError> {
        let identity = |path: &Path| std::fs::metadata(path).ok().map(|facts| FoundFile::of(&facts).identity);
        let written = match self {
            FlashTarget::File(OrdinaryFile { found: Some(found), .. }) => found.identity,
            FlashTarget::BlockDevice(device) if device.bus == DeviceBus::Loop && !device.model.is_empty() => {
                let unknown = "its file cannot be found, and may be the image itself";
                identity(Path::new(&device.model)).ok_or_else(|| no_target(Path::new(&self.name()), unknown))?
            }
            FlashTarget::File(_) | FlashTarget::BlockDevice(_) => return Ok(()),
        };
        if identity(image) == Some(written) {
            return Err(no_target(Path::new(&self.name()), "it is the image itself"));
        }
        Ok(())
    }

    /// Its name for messages.
    pub fn name(&self) -> String {
        match self {
            FlashTarget::BlockDevice(device) => device.path(),
            FlashTarget::File(file) => file.path.display().to_string(),
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, FlashError> {
    std::path::absolute(path).map_err(|_| no_target(path, "this is no path"))
}

fn no_target(path: &Path, reason: &str) -> FlashError {
    FlashError::NoTarget { target: path.display().to_string(), reason: reason.into() }
}
