//! What the person named: a device, or a file.

use super::device::BlockDevice;
use super::error::FlashError;
use super::host::Host;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where to write.
#[derive(Clone, Debug)]
pub enum FlashTarget {
    /// A device of the host.
    BlockDevice(BlockDevice),
    /// A file, which may not be there yet.
    File(PathBuf),
}

impl FlashTarget {
    /// What `path` is. Paths in `/dev` are devices and nothing else: a mistyped one must not become a file there.
    ///
    /// # Errors
    /// If it is neither.
    pub fn of(host: &Host, path: &Path) -> Result<FlashTarget, FlashError> {
        let no_target =
            |reason: &str| FlashError::NoTarget { target: path.display().to_string(), reason: reason.into() };
        let whole = std::path::absolute(path).map_err(|_| no_target("this is no path"))?;
        if whole.starts_with("/dev") {
            let device = host.find(&whole);
            return device
                .map(FlashTarget::BlockDevice)
                .ok_or_else(|| no_target("there is no such device (./renga flash lists those that are there)"));
        }
        match std::fs::metadata(path) {
            Ok(facts) if facts.is_file() => Ok(FlashTarget::File(whole)),
            Ok(_) => Err(no_target("it is neither a device in /dev nor a file")),
            Err(_) if whole.parent().is_some_and(Path::is_dir) => Ok(FlashTarget::File(whole)),
            Err(_) => Err(no_target("there is no such folder")),
        }
    }

    /// Refuses a file that is the `image` itself: it would be spoilt before it is read.
    ///
    /// # Errors
    /// [`FlashError::NoTarget`].
    pub fn differs_from(&self, image: &Path) -> Result<(), FlashError> {
        let FlashTarget::File(path) = self else { return Ok(()) };
        let file = |path: &Path| std::fs::metadata(path).ok().map(|facts| (facts.dev(), facts.ino()));
        if file(path).is_some() && file(path) == file(image) {
            return Err(FlashError::NoTarget { target: self.name(), reason: "it is the image itself".into() });
        }
        Ok(())
    }

    /// Its name for messages.
    pub fn name(&self) -> String {
        match self {
            FlashTarget::BlockDevice(device) => device.path(),
            FlashTarget::File(path) => path.display().to_string(),
        }
    }
}
