//! The disk image: what the SD card of the board that owns the disk holds.
//!
//! An image is a file whose size is a power of two (the SD card model of QEMU insists), with one MBR partition that
//! holds an ext2 file system, revision 1, 4 KiB blocks. It is made in two steps: a flavour of `userland/images` and
//! packages that a user names, with all that they depend on, become a cached image; a copy of it gets our own programs
//! and the files of a session. Invariant: equal inputs give equal bytes, on any host and for any user; times, owners,
//! device nodes and directory order come from the description and never from the host.
//!
//! Not here: which programs of our own go on it and how they are built (the caller says), and reading ext2 on a board
//! (`sysprocs/fs`).

mod alternatives;
mod apt;
mod assemble;
mod base;
mod catalogue;
mod command;
mod error;
mod ext2;
mod flavour;
mod inspect;
mod listing;
mod mountable;
mod package_store;
mod packages;
pub mod partition;
mod sources;
mod stamp;
#[cfg(test)]
mod tests;
mod tree;
mod wanted;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub use catalogue::{CatalogueEntry, catalogue};
pub use error::ImageError;
pub use inspect::{
    FsckVerdict, add_file, copy_filesystem, extract_folder, extract_tree, filesystem_start_bytes, fsck,
    fsck_filesystem, read_file, repair, repair_filesystem,
};
pub use mountable::{expect_disk_file, expect_mountable};
pub use packages::{fetch as fetch_packages, fetch_dependency};
pub use sources::fetch as fetch_source;
pub use tree::FileContent;

/// Where an image names the packages that it has whole, with their versions.
const PACKAGES_LIST: &str = "/etc/renga/packages";
/// The partition of a fresh image.
const PARTITION_START_BYTES: u64 = partition::PARTITION_START_BYTES;

/// Which image the caller wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskChoice {
    /// The name of a flavour of `userland/images`, or a file like those.
    pub flavour: String,
    /// Further packages, which come with all that they depend on.
    pub packages: Vec<String>,
    /// The size of the file system; without it, the content's and some room.
    pub filesystem_mib: Option<u32>,
}

impl Default for DiskChoice {
    fn default() -> Self {
        Self { flavour: "small".into(), packages: Vec::new(), filesystem_mib: None }
    }
}

impl DiskChoice {
    /// What a person calls it.
    pub fn label(&self) -> String {
        base::label(self)
    }

    /// The image's default file name.
    pub fn file_name(&self) -> String {
        if *self == Self::default() { "disk.img".into() } else { format!("disk-{}.img", self.label()) }
    }
}

/// What a caller wants on an image.
#[derive(Debug, Clone)]
pub struct ImageSpec {
    /// The project's folder, with `userland/images`.
    pub root: PathBuf,
    /// Where fetched packages and scratch files live: `target/renga`.
    pub work: PathBuf,
    /// What comes from Debian.
    pub choice: DiskChoice,
    /// Our own programs and files for tests. Later ones replace earlier ones and those of packages.
    pub placed: Vec<Placed>,
}

impl ImageSpec {
    /// The plain image of a project's folder, without anything of our own.
    pub fn new(root: &Path) -> Self {
        let root = root.to_path_buf();
        let work = root.join("target/renga");
        Self { root, work, choice: DiskChoice::default(), placed: Vec::new() }
    }
}

/// One file that the caller puts on the image.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Absolute path on the image.
    pub dest: String,
    /// What it contains.
    pub content: FileContent,
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
    // Before anything is fetched for an image that cannot be.
    let mut placed = tree::ImageTree::default();
    for file in &spec.placed {
        placed.insert(&file.dest, (&file.content).into(), file.mode)?;
    }
    let plan = base::BasePlan::make(spec, progress)?;
    let stamp = stamp::of(plan.sum, &spec.placed)?;
    if stamp::matches(out, &stamp) {
        return Ok(());
    }
    let base = plan.base(spec, progress)?;
    progress("building the disk image");
    let scratch = scratch_folder(&spec.work)?;
    let built = build_in(&scratch, &base, &spec.placed, out);
    // The scratch folder is only worth keeping when something went wrong in it.
    if built.is_ok() {
        let _ = fs::remove_dir_all(&scratch);
    }
    built?;
    stamp::write(out, &stamp)
}

/// A word that changes with the content of the image that [`build`] would build; nothing is built.
///
/// # Errors
/// See [`ImageError`].
pub fn fingerprint(spec: &ImageSpec, progress: &mut dyn FnMut(&str)) -> Result<String, ImageError> {
    let plan = base::BasePlan::make(spec, progress)?;
    Ok(stamp::of(plan.sum, &spec.placed)?.trim().to_string())
}

/// Fetches what an image is made of, if it was not fetched before.
///
/// # Errors
/// See [`ImageError`].
pub fn prepare(spec: &ImageSpec, progress: &mut dyn FnMut(&str)) -> Result<(), ImageError> {
    base::BasePlan::make(spec, progress).map(|_| ())
}

/// Files and folders below the `work` of `spec` of which another machine makes the image without a network; fetched and
/// made if they are not there.
///
/// # Errors
/// See [`ImageError`].
pub fn kept(spec: &ImageSpec, progress: &mut dyn FnMut(&str)) -> Result<Vec<PathBuf>, ImageError> {
    let plan = base::BasePlan::make(spec, progress)?;
    plan.base(spec, progress)?;
    Ok(plan.kept(spec))
}

/// Adds files, and the folders that they need and that are not there yet, to the file system that begins at
/// `start_bytes` of a file.
///
/// # Errors
/// See [`ImageError`]: also if one of them is there.
pub fn place(disk: &Path, start_bytes: u64, placed: &[Placed]) -> Result<(), ImageError> {
    let mut tree = tree::ImageTree::default();
    for file in placed {
        tree.insert(&file.dest, (&file.content).into(), file.mode)?;
    }
    let changed = tree.take_inserted();
    let (folder, name) = (disk.parent().unwrap_or(Path::new(".")), disk.file_name().unwrap_or_default());
    ext2::add(&tree::ImageTree::default(), &tree, &changed, folder, &name.to_string_lossy(), start_bytes)
}

fn build_in(scratch: &Path, base: &base::Base, placed: &[Placed], out: &Path) -> Result<(), ImageError> {
    let mut tree = base.tree.clone();
    for placed in placed {
        tree.insert(&placed.dest, (&placed.content).into(), placed.mode)?;
    }
    let changed = tree.take_inserted();
    let disk = scratch.join("disk");
    base::copy(&base.image, &disk)?;
    if !changed.is_empty() {
        ext2::add(&base.tree, &tree, &changed, scratch, "disk", PARTITION_START_BYTES)?;
    }
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).map_err(error::at(folder))?;
    }
    stamp::remove(out);
    if fs::rename(&disk, out).is_ok() {
        return Ok(());
    }
    // Another file system, which may have no room for it: a copy, sparse again.
    let mut partial = out.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let copied = base::copy(&disk, &partial).and_then(|()| fs::rename(&partial, out).map_err(error::at(out)));
    if copied.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&partial);
    }
    copied
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
