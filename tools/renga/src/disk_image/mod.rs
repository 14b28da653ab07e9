//! The disk image: what the SD card of the board that owns the disk holds.
//!
//! An image is a file whose size is a power of two (the SD card model of QEMU insists), with one MBR partition that
//! holds an ext2 file system, revision 1, 4 KiB blocks. It is made of Debian packages fetched by name, the entries of
//! `userland/packages.toml` and what the caller adds. Invariant: equal inputs give equal bytes, on any host and for any
//! user; times, owners, device nodes and directory order come from the description and never from the host.
//!
//! Not here: which programs of our own go on it and how they are built (the caller says), and reading ext2 on a board
//! (`sysprocs/fs`).

mod command;
mod error;
mod ext2;
mod inspect;
mod manifest;
mod packages;
pub(crate) mod partition;
mod stamp;
#[cfg(test)]
mod tests;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub use error::ImageError;
pub use inspect::{
    Verdict, add_file, check_is_ext2, extract_folder, extract_tree, fsck, fsck_filesystem, read_file, repair,
};
pub use packages::fetch as fetch_packages;
pub use tree::Content;

/// What a caller wants on an image.
#[derive(Debug, Clone)]
pub struct ImageSpec {
    /// The project's folder, with `userland/packages.toml`.
    pub root: PathBuf,
    /// Where fetched packages and scratch files live: `target/renga`.
    pub work: PathBuf,
    /// Our own programs and files for tests. Later ones replace earlier ones and those of packages.
    pub placed: Vec<Placed>,
    /// The size of the file system.
    pub filesystem_mib: u32,
}

impl ImageSpec {
    /// The usual size of the file system.
    pub const DEFAULT_MIB: u32 = 64;

    /// The plain image of a project's folder, without anything of our own.
    pub fn new(root: &Path) -> Self {
        let root = root.to_path_buf();
        let work = root.join("target/renga");
        Self { root, work, placed: Vec::new(), filesystem_mib: Self::DEFAULT_MIB }
    }
}

/// One file that the caller puts on the image.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Absolute path on the image.
    pub dest: String,
    /// What it contains.
    pub content: Content,
    /// Permission bits, such as `0o755`.
    pub mode: u32,
}

/// Builds the image at `out`, unless what is there was built from the same inputs.
///
/// `progress` hears one line before each step that takes time. The first build fetches packages from the machine's
/// Debian mirror; later ones need no network.
///
/// # Errors
/// See [`ImageError`]; `out` is untouched then.
pub fn build(spec: &ImageSpec, out: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), ImageError> {
    let manifest = manifest::Manifest::load(&spec.root)?;
    let unpacked =
        packages::fetch(&spec.root, &spec.work, &manifest.architecture, &manifest.package_names(), progress)?;
    let mut tree = manifest.tree(&spec.root, &unpacked)?;
    for placed in &spec.placed {
        tree.insert(&placed.dest, tree::Node::File(placed.content.clone()), placed.mode)?;
    }
    let stamp = stamp::of(&tree, spec.filesystem_mib)?;
    if stamp::matches(out, &stamp) {
        return Ok(());
    }
    progress("building the disk image");
    let scratch = scratch_folder(&spec.work)?;
    let built = build_in(&scratch, &tree, spec.filesystem_mib, out);
    // The scratch folder is only worth keeping when something went wrong in it.
    if built.is_ok() {
        let _ = fs::remove_dir_all(&scratch);
    }
    built?;
    stamp::write(out, &stamp)
}

fn build_in(scratch: &Path, tree: &tree::Tree, size_mib: u32, out: &Path) -> Result<(), ImageError> {
    let filesystem = scratch.join("filesystem");
    ext2::make(tree, scratch, size_mib, &filesystem)?;
    let disk = scratch.join("disk");
    partition::wrap(&filesystem, &disk)?;
    if let Verdict::Damaged(report) = fsck(&disk)? {
        return Err(ImageError::Damaged { image: out.to_path_buf(), report });
    }
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).map_err(error::at(folder))?;
    }
    stamp::remove(out);
    if fs::rename(&disk, out).is_err() {
        // Another file system: a copy, sparse again.
        partition::copy_sparse(&disk, out)?;
    }
    Ok(())
}

/// A folder of this build's own, so that two tests can build at once.
fn scratch_folder(work: &Path) -> Result<PathBuf, ImageError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = work.join(format!("image-scratch-{}-{number}", std::process::id()));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(error::at(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(error::at(&folder))?;
    Ok(folder)
}
