//! Flavours and unpacked packages become a tree.
//!
//! What the packages' own scripts would do is not done by running them, for they are made for a running Debian machine
//! of the right architecture: docs/reference/images.md lists what is done instead. Not here: which packages
//! (`packages`), and the file system (`ext2`).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::alternatives::{self, Alternative};
use super::error::at;
use super::flavour::{Applets, FlavourChain, ImageFlavour};
use super::packages::Package;
use super::tree::{FileContent, ImageTree, TreeNode};
use super::{ImageError, PACKAGES_LIST};

/// Folders that are links where whole packages are: Debian merged them with those in `/usr`.
const MERGED: [&str; 3] = ["bin", "sbin", "lib"];
const LINK_MODE: u32 = 0o777;
const TEXT_MODE: u32 = 0o644;
/// A file of this name stays whatever is left out.
const LICENCE: &str = "/copyright";
/// Folders of packages are not deeper.
const DEPTH_MAX: usize = 32;

/// The packages of an image.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    /// Those of which parts are taken, by name.
    pub(super) parts: HashMap<String, Package>,
    /// Those that come whole.
    pub(super) whole: Vec<Package>,
}

/// Everything in its place. What comes later replaces what was there.
pub(super) fn tree(root: &Path, chain: &FlavourChain, unpacked: &Unpacked) -> Result<ImageTree, ImageError> {
    let mut tree = ImageTree::default();
    if !unpacked.whole.is_empty() {
        for folder in MERGED {
            tree.insert(&format!("/usr/{folder}"), TreeNode::Folder, 0o755)?;
            tree.insert(&format!("/{folder}"), TreeNode::Symlink { target: format!("usr/{folder}") }, LINK_MODE)?;
        }
    }
    let mut whole = Some(&unpacked.whole);
    for flavour in &chain.flavours {
        // What a flavour says itself replaces what its packages bring, and they what its base says.
        if !flavour.packages.is_empty()
            && let Some(packages) = whole.take()
        {
            insert_whole(chain, packages, &mut tree)?;
        }
        take_parts(flavour, unpacked, &mut tree)?;
        if let Some(applets) = &flavour.applets {
            insert_applets(root, applets, &mut tree)?;
        }
        insert_written(flavour, &mut tree)?;
    }
    if let Some(packages) = whole {
        insert_whole(chain, packages, &mut tree)?;
    }
    copy(chain, &mut tree)?;
    let mut list = String::new();
    for package in &unpacked.whole {
        list.push_str(&format!("{}\n", package.identity));
    }
    if !list.is_empty() {
        tree.insert(PACKAGES_LIST, TreeNode::File(FileContent::Bytes(list.into_bytes())), TEXT_MODE)?;
    }
    Ok(tree)
}

fn take_parts(flavour: &ImageFlavour, unpacked: &Unpacked, tree: &mut ImageTree) -> Result<(), ImageError> {
    for part in &flavour.parts {
        for taken in &part.take {
            let from = unpacked.parts[&part.name].data().join(taken);
            insert_from_host(tree, &format!("/{taken}"), &from, &|_| true, 0)?;
        }
    }
    Ok(())
}

fn insert_applets(root: &Path, applets: &Applets, tree: &mut ImageTree) -> Result<(), ImageError> {
    let list = root.join(&applets.list);
    let text = fs::read_to_string(&list).map_err(at(&list))?;
    for name in text.lines() {
        // busybox lists itself too.
        tree.insert_link_to(&format!("/{name}"), &applets.program)?;
    }
    Ok(())
}

fn insert_whole(chain: &FlavourChain, packages: &[Package], tree: &mut ImageTree) -> Result<(), ImageError> {
    let left_out: Vec<&str> =
        chain.flavours.iter().flat_map(|flavour| &flavour.leave_out).map(String::as_str).collect();
    let wanted = |path: &str| {
        let inside = |folder: &&str| path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/'));
        path.ends_with(LICENCE) || !left_out.iter().any(|folder| path == *folder || inside(folder))
    };
    let mut registered: Vec<Alternative> = Vec::new();
    for package in packages {
        for name in sorted(&package.data())? {
            let path = format!("/{}", name.file_name().unwrap_or_default().to_string_lossy());
            insert_from_host(tree, &path, &name, &wanted, 0)?;
        }
        registered.extend(package.postinst().iter().flat_map(|script| alternatives::read(script)));
    }
    alternatives::choose(&registered, tree)
}

/// Files that packages bring as models for others.
fn copy(chain: &FlavourChain, tree: &mut ImageTree) -> Result<(), ImageError> {
    for copied in chain.flavours.iter().flat_map(|flavour| &flavour.copies) {
        if let Some(entry) = tree.get(&copied.from).cloned() {
            tree.insert(&copied.to, entry.node, entry.mode)?;
        }
    }
    Ok(())
}

/// Links, folders, devices and files that the flavour itself describes.
fn insert_written(flavour: &ImageFlavour, tree: &mut ImageTree) -> Result<(), ImageError> {
    for link in &flavour.links {
        tree.insert(&link.path, TreeNode::Symlink { target: link.target.clone() }, LINK_MODE)?;
    }
    for directory in &flavour.directories {
        tree.insert(&directory.path, TreeNode::Folder, directory.mode)?;
    }
    for device in &flavour.devices {
        let (major, minor) = (device.major, device.minor);
        let node =
            if device.block { TreeNode::BlockDevice { major, minor } } else { TreeNode::CharDevice { major, minor } };
        tree.insert(&device.path, node, device.mode)?;
    }
    for file in &flavour.files {
        tree.insert(&file.path, TreeNode::File(FileContent::Bytes(file.text.clone().into_bytes())), file.mode)?;
    }
    Ok(())
}

/// Adds a file, link or folder of the host, with all that is in it and wanted, as `path`.
fn insert_from_host(
    tree: &mut ImageTree,
    path: &str,
    host: &Path,
    wanted: &dyn Fn(&str) -> bool,
    depth: usize,
) -> Result<(), ImageError> {
    if depth > DEPTH_MAX {
        return Err(ImageError::BadPath { path: path.into(), reason: "too many folders in each other" });
    }
    let found = fs::symlink_metadata(host).map_err(at(host))?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
    if found.is_dir() {
        // Folders come with what is in them, so that none is empty because of what was left out.
        if wanted(path) {
            tree.insert(path, TreeNode::Folder, mode)?;
        }
        for child in sorted(host)? {
            let name = child.file_name().unwrap_or_default().to_string_lossy().into_owned();
            insert_from_host(tree, &format!("{path}/{name}"), &child, wanted, depth + 1)?;
        }
        return Ok(());
    }
    // Folders of licences may be links to each other.
    let licences = found.is_symlink() && path.starts_with("/usr/share/doc/") && path.matches('/').count() == 4;
    if !(wanted(path) || licences) {
        return Ok(());
    }
    if found.is_symlink() {
        let target = fs::read_link(host).map_err(at(host))?.to_string_lossy().into_owned();
        return tree.insert(path, TreeNode::Symlink { target }, mode);
    }
    tree.insert(path, TreeNode::File(FileContent::HostFile(host.to_path_buf())), mode)
}

/// What is in a folder, in the order of names.
fn sorted(folder: &Path) -> Result<Vec<PathBuf>, ImageError> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    let mut paths = entries.map(|entry| Ok(entry.map_err(at(folder))?.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}
