//! Whether an image is still what its inputs would give: a sum of all inputs beside the image.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::at;
use super::{FileContent, ImageError, Placed};
use crate::card::{Checksum, sha256};

/// The stamp of an image of this base with these files.
pub(super) fn of(base: Checksum, placed: &[Placed]) -> Result<String, ImageError> {
    let mut text = format!("{base}\n");
    for placed in placed {
        let sum = sha256(&placed.content.bytes()?);
        let kind = if matches!(placed.content, FileContent::Link(_)) { "link " } else { "" };
        text.push_str(&format!("{kind}{:o} {sum} {}\n", placed.mode, placed.dest));
    }
    Ok(format!("{}\n", sha256(text.as_bytes())))
}

/// Whether `image` exists and was built from inputs of this stamp.
pub(super) fn matches(image: &Path, stamp: &str) -> bool {
    image.exists() && fs::read_to_string(beside(image)).is_ok_and(|found| found == stamp)
}

pub(super) fn write(image: &Path, stamp: &str) -> Result<(), ImageError> {
    let path = beside(image);
    fs::write(&path, stamp).map_err(at(&path))
}

/// Removes the stamp; an image without one is rebuilt.
pub(super) fn remove(image: &Path) {
    let _ = fs::remove_file(beside(image));
}

fn beside(image: &Path) -> PathBuf {
    let mut name = image.file_name().unwrap_or_default().to_os_string();
    name.push(".stamp");
    image.with_file_name(name)
}
