//! Cached images of what comes from Debian: made once for each request, copied for each session.
//!
//! Invariant: an image's name has the sum of all that went into it (versions of packages, texts of flavours, size), so
//! one that is there is right. A lock protects an image from removal while another process copies it.

use renga_workspace::lock::Lock;
use std::fs;
use std::path::{Path, PathBuf};

use super::assemble::{self, Unpacked};
use super::error::at;
use super::flavour::FlavourChain;
use super::package_store::{Closure, PackageStore};
use super::tree::ImageTree;
use super::{DiskChoice, FsckVerdict, ImageError, ImageSpec, command, ext2, fsck, listing, partition, scratch_folder};
use crate::card::{Checksum, sha256};

/// Raised when the same tree would be laid out otherwise.
const LAYOUT_VERSION: u32 = 2;
/// All packages are of this kind.
const ARCHITECTURE: &str = "arm64";
/// Names of packages in the name of an image.
const NAMED_MAX: usize = 3;

/// What a request comes to.
pub(super) struct BasePlan {
    chain: FlavourChain,
    unpacked: Unpacked,
    label: String,
    filesystem_mib: Option<u32>,
    /// The sum of everything that decides about the image.
    pub(super) sum: Checksum,
}

/// A cached image, locked against removal.
pub(super) struct Base {
    pub(super) image: PathBuf,
    pub(super) tree: ImageTree,
    _lock: Lock,
}

impl BasePlan {
    /// Reads the flavours and fetches packages, if they are not there.
    pub(super) fn make(spec: &ImageSpec, progress: &mut dyn FnMut(&str)) -> Result<Self, ImageError> {
        let chain = FlavourChain::load(&spec.root, &spec.choice.flavour)?;
        let store = PackageStore { root: &spec.root, work: &spec.work, architecture: ARCHITECTURE };
        let parts = store.get(&part_names(&chain), Closure::Alone, progress)?;
        let whole = store.get(&whole_names(&chain, &spec.choice), Closure::WithDependencies, progress)?;
        let unpacked =
            Unpacked { parts: parts.into_iter().map(|package| (package.name.clone(), package)).collect(), whole };
        Ok(Self::of(spec, chain, unpacked))
    }

    /// The same, if nothing has to be fetched for it.
    pub(super) fn make_if_fetched(spec: &ImageSpec) -> Result<Option<Self>, ImageError> {
        let chain = FlavourChain::load(&spec.root, &spec.choice.flavour)?;
        let store = PackageStore { root: &spec.root, work: &spec.work, architecture: ARCHITECTURE };
        let names = whole_names(&chain, &spec.choice);
        let whole =
            if names.is_empty() { Some(Vec::new()) } else { store.get_if_there(&names, Closure::WithDependencies) };
        let Some((parts, whole)) = store.get_if_there(&part_names(&chain), Closure::Alone).zip(whole) else {
            return Ok(None);
        };
        let parts = parts.into_iter().map(|package| (package.name.clone(), package)).collect();
        Ok(Some(Self::of(spec, chain, Unpacked { parts, whole })))
    }

    fn of(spec: &ImageSpec, chain: FlavourChain, unpacked: Unpacked) -> Self {
        let mut text = format!("{LAYOUT_VERSION} {:?}\n{}", spec.choice.filesystem_mib, chain.texts.join("\n"));
        let mut identities: Vec<&str> = unpacked.parts.values().map(|package| package.identity.as_str()).collect();
        identities.sort_unstable();
        text.push_str(&identities.join("\n"));
        for package in &unpacked.whole {
            text.push_str(&format!("\n+{}", package.identity));
        }
        let (label, sum) = (label(&spec.choice), sha256(text.as_bytes()));
        Self { chain, unpacked, label, filesystem_mib: spec.choice.filesystem_mib, sum }
    }

    /// How many packages there are.
    pub(super) fn packages(&self) -> usize {
        self.unpacked.parts.len() + self.unpacked.whole.len()
    }

    /// The cached image, if it is there, and its listing.
    pub(super) fn cached(&self, work: &Path) -> Option<(PathBuf, String)> {
        let image = self.image(work);
        let list = fs::read_to_string(image.with_extension("list")).ok()?;
        image.exists().then_some((image, list))
    }

    /// Files and folders below `spec.work` of which another machine makes the image without a network.
    pub(super) fn kept(&self, spec: &ImageSpec) -> Vec<PathBuf> {
        let store = PackageStore { root: &spec.root, work: &spec.work, architecture: ARCHITECTURE };
        let packages = self.unpacked.parts.values().chain(&self.unpacked.whole);
        let mut kept: Vec<PathBuf> = packages.map(|package| package.folder().to_path_buf()).collect();
        kept.push(store.request(&part_names(&self.chain), Closure::Alone));
        let whole = whole_names(&self.chain, &spec.choice);
        if !whole.is_empty() {
            kept.push(store.request(&whole, Closure::WithDependencies));
        }
        let image = self.image(&spec.work);
        kept.extend([image.with_extension("list"), image]);
        kept
    }

    /// The cached image, made if it is not there.
    pub(super) fn base(&self, spec: &ImageSpec, progress: &mut dyn FnMut(&str)) -> Result<Base, ImageError> {
        let folder = spec.work.join("images");
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let lock_path = folder.join(".lock");
        let mut lock = Lock::shared(&lock_path, progress).map_err(at(&lock_path))?;
        if self.cached(&spec.work).is_none() {
            lock.make_exclusive(progress).map_err(at(&lock_path))?;
            if self.cached(&spec.work).is_none() {
                self.build(spec, progress)?;
            }
            // As long as it is only read, others may read as well.
            lock.make_shared(progress).map_err(at(&lock_path))?;
        }
        let bad =
            || ImageError::Failed { program: "the cache".into(), report: "an image is gone or unreadable".into() };
        let (image, list) = self.cached(&spec.work).ok_or_else(bad)?;
        Ok(Base { image, tree: listing::read(&list).ok_or_else(bad)?, _lock: lock })
    }

    fn image(&self, work: &Path) -> PathBuf {
        work.join("images").join(format!("{}-{}.img", self.label, self.sum.short()))
    }

    fn build(&self, spec: &ImageSpec, progress: &mut dyn FnMut(&str)) -> Result<(), ImageError> {
        let tree = assemble::tree(&spec.root, &self.chain, &self.unpacked)?;
        let size_mib = ext2::size_mib(&tree, self.filesystem_mib)?;
        let list = listing::write(&tree)?;
        let (files, bytes) = listing::contents(&list);
        progress(&format!(
            "making the image {} of {} packages, {files} files, {} MB",
            self.label,
            self.packages(),
            bytes / 1_000_000
        ));
        let scratch = scratch_folder(&spec.work)?;
        let image = self.image(&spec.work);
        let built = build_in(&scratch, &tree, size_mib, &image);
        // The scratch folder is only worth keeping when something went wrong in it.
        if built.is_ok() {
            let _ = fs::remove_dir_all(&scratch);
        }
        built?;
        self.remove_older(&spec.work);
        let path = image.with_extension("list");
        fs::write(&path, list).map_err(at(&path))
    }

    /// Removes what the same request once came to.
    fn remove_older(&self, work: &Path) {
        let image = self.image(work);
        for entry in fs::read_dir(work.join("images")).into_iter().flatten().flatten() {
            let path = entry.path();
            let of_label = |stem: &str| stem.rsplit_once('-').is_some_and(|(label, _)| label == self.label);
            if path.file_stem() != image.file_stem()
                && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(of_label)
            {
                // What cannot be removed is in target/, which is anybody's to remove.
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn build_in(scratch: &Path, tree: &ImageTree, size_mib: u32, image: &Path) -> Result<(), ImageError> {
    let filesystem = scratch.join("filesystem");
    ext2::make(tree, scratch, size_mib, &filesystem)?;
    let disk = scratch.join("disk");
    partition::wrap(&filesystem, &disk)?;
    if let FsckVerdict::Damaged(report) = fsck(&disk)? {
        return Err(ImageError::Damaged { image: image.to_path_buf(), report });
    }
    fs::rename(&disk, image).map_err(at(image))
}

/// A copy of `from` at `to`, with holes where it has holes.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), ImageError> {
    command::run_well("cp", "coreutils", |command| {
        command.args(["--sparse=always", "--reflink=auto", "--no-preserve=all"]).arg(from).arg(to);
    })?;
    Ok(())
}

fn part_names(chain: &FlavourChain) -> Vec<String> {
    chain.flavours.iter().flat_map(|flavour| &flavour.parts).map(|part| part.name.clone()).collect()
}

fn whole_names(chain: &FlavourChain, choice: &DiskChoice) -> Vec<String> {
    let named = chain.flavours.iter().flat_map(|flavour| &flavour.packages);
    let mut names: Vec<String> = named.chain(&choice.packages).cloned().collect();
    names.sort();
    names.dedup();
    names
}

/// What a person calls the request; it is in the name of the cached image.
pub(super) fn label(choice: &DiskChoice) -> String {
    let flavour = Path::new(&choice.flavour).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut label = flavour;
    for name in choice.packages.iter().take(NAMED_MAX) {
        label.push_str(&format!("+{name}"));
    }
    if choice.packages.len() > NAMED_MAX {
        label.push_str(&format!("+{}more", choice.packages.len() - NAMED_MAX));
    }
    if let Some(mib) = choice.filesystem_mib {
        label.push_str(&format!("-{mib}M"));
    }
    label
}
