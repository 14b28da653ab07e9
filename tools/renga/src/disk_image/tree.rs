//! The tree of files that an image will hold, by path.
//!
//! Invariant: every path is absolute and canonical, and the folder of each entry is in the tree too. The order of paths
//! puts a folder before what is in it, and is the order in which the file system is filled. Everything belongs to root.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::ImageError;
use super::error::at;

const FOLDER_MODE: u32 = 0o755;
const PERMISSION_BITS: u32 = 0o7777;
/// ext2's limit on a name, in bytes.
const NAME_MAX_BYTES: usize = 255;
/// Folders of packages are not deeper.
const DEPTH_MAX: usize = 32;

/// What a file contains.
#[derive(Debug, Clone)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What this file of the host contains.
    HostFile(PathBuf),
}

impl Content {
    /// The bytes, read from the host if they lie there.
    ///
    /// # Errors
    /// When the host file cannot be read.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, ImageError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.clone()),
            Self::HostFile(path) => fs::read(path).map_err(at(path)),
        }
    }
}

/// One thing in the tree.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Folder,
    File(Content),
    Symlink { target: String },
    CharDevice { major: u32, minor: u32 },
}

/// A thing and its permission bits.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) node: Node,
    pub(super) mode: u32,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    entries: BTreeMap<String, Entry>,
}

impl Tree {
    /// All entries, each folder before what is in it. The root folder is not among them.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Adds an entry, replacing one of the same path, and the folders that lead to it.
    pub(super) fn insert(&mut self, path: &str, node: Node, mode: u32) -> Result<(), ImageError> {
        check_path(path)?;
        if let Node::Symlink { target } = &node {
            check_text(target)?;
        }
        let mut parent = path;
        while let Some((folder, _)) = parent.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) {
            let made =
                self.entries.entry(folder.to_string()).or_insert(Entry { node: Node::Folder, mode: FOLDER_MODE });
            if !matches!(made.node, Node::Folder) {
                return Err(ImageError::BadPath { path: path.into(), reason: "what leads to it is not a folder" });
            }
            parent = folder;
        }
        self.entries.insert(path.to_string(), Entry { node, mode: mode & PERMISSION_BITS });
        Ok(())
    }

    /// Adds a file, link or folder of the host, with all that is in it, as `path`.
    pub(super) fn insert_from_host(&mut self, path: &str, host: &Path) -> Result<(), ImageError> {
        self.insert_from_host_at_depth(path, host, 0)
    }

    fn insert_from_host_at_depth(&mut self, path: &str, host: &Path, depth: usize) -> Result<(), ImageError> {
        if depth > DEPTH_MAX {
            return Err(ImageError::BadPath { path: path.into(), reason: "too many folders in each other" });
        }
        let found = fs::symlink_metadata(host).map_err(at(host))?;
        let mode = found.permissions().mode();
        if found.is_symlink() {
            let target = fs::read_link(host).map_err(at(host))?.to_string_lossy().into_owned();
            return self.insert(path, Node::Symlink { target }, mode);
        }
        if found.is_file() {
            return self.insert(path, Node::File(Content::HostFile(host.to_path_buf())), mode);
        }
        self.insert(path, Node::Folder, mode)?;
        for child in fs::read_dir(host).map_err(at(host))? {
            let child = child.map_err(at(host))?;
            let name = child.file_name().to_string_lossy().into_owned();
            self.insert_from_host_at_depth(&format!("{path}/{name}"), &child.path(), depth + 1)?;
        }
        Ok(())
    }
}

fn check_path(path: &str) -> Result<(), ImageError> {
    let bad = |reason| Err(ImageError::BadPath { path: path.into(), reason });
    let Some(names) = path.strip_prefix('/') else {
        return bad("it must begin with a slash");
    };
    check_text(path)?;
    for name in names.split('/') {
        match name {
            "" => return bad("a name in it is empty"),
            "." | ".." => return bad("it must not contain . or .."),
            long if long.len() > NAME_MAX_BYTES => return bad("a name in it is longer than 255 bytes"),
            _ => {}
        }
    }
    Ok(())
}

/// Names pass through the command language of debugfs, which has no way to write these.
fn check_text(text: &str) -> Result<(), ImageError> {
    if text.is_empty() || text.chars().any(|c| c.is_control() || c == '"') {
        return Err(ImageError::BadPath {
            path: text.into(),
            reason: "it is empty or has quotes or control characters",
        });
    }
    Ok(())
}
