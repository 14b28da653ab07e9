//! Whether an image is still what its inputs would give: a hash of all inputs beside the image.
//!
//! The hash guards against needless work, not against malice, and may differ between versions of the compiler.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::ImageError;
use super::error::at;
use super::tree::{Node, Tree};

/// Raised when the same tree would be laid out otherwise.
const LAYOUT_VERSION: u32 = 1;

/// The stamp of an image with this tree and size.
pub(super) fn of(tree: &Tree, size_mib: u32) -> Result<String, ImageError> {
    let mut hasher = DefaultHasher::new();
    (LAYOUT_VERSION, size_mib).hash(&mut hasher);
    for (path, entry) in tree.entries() {
        (path, entry.mode).hash(&mut hasher);
        match &entry.node {
            Node::Folder => 0_u8.hash(&mut hasher),
            Node::File(content) => (1_u8, content.bytes()?).hash(&mut hasher),
            Node::Symlink { target } => (2_u8, target).hash(&mut hasher),
            Node::CharDevice { major, minor } => (3_u8, major, minor).hash(&mut hasher),
        }
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

/// Whether `image` exists and was built from inputs of this stamp.
pub(super) fn matches(image: &Path, stamp: &str) -> bool {
    image.exists() && fs::read_to_string(beside(image)).is_ok_and(|found| found == stamp)
}

pub(super) fn write(image: &Path, stamp: &str) -> Result<(), ImageError> {
    let path = beside(image);
    fs::write(&path, stamp).map_err(at(&path))
}

/// Forgets the stamp; an image without one is built anew.
pub(super) fn remove(image: &Path) {
    let _ = fs::remove_file(beside(image));
}

fn beside(image: &Path) -> PathBuf {
    let mut name = image.file_name().unwrap_or_default().to_os_string();
    name.push(".stamp");
    image.with_file_name(name)
}
