//! The tree of files for an image, by path.
//!
//! Invariant: every path is absolute and canonical, leads through folders and no links, and the folder of each entry is
//! in the tree too. The order of paths puts a folder before what is in it, and is the order in which the file system is
//! filled. Everything belongs to root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use super::ImageError;
use super::error::at;

const FOLDER_MODE: u32 = 0o755;
const PERMISSION_BITS: u32 = 0o7777;
/// ext2's limit on a name, in bytes.
const NAME_MAX_BYTES: usize = 255;
/// Links that one path may lead through.
const LINKS_MAX: usize = 8;
const LINK_MODE: u32 = 0o777;

/// What a file contains.
#[derive(Debug, Clone)]
pub enum FileContent {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What this file of the host contains.
    HostFile(PathBuf),
    /// Nothing: it is a symbolic link that leads there.
    Link(String),
}

impl FileContent {
    /// The bytes, read from the host if they lie there.
    ///
    /// # Errors
    /// When the host file cannot be read.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, ImageError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.clone()),
            Self::HostFile(path) => fs::read(path).map_err(at(path)),
            Self::Link(target) => Ok(target.clone().into_bytes()),
        }
    }

    /// How many bytes.
    ///
    /// # Errors
    /// When the host file is not there.
    pub(super) fn len(&self) -> Result<u64, ImageError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
            Self::HostFile(path) => Ok(fs::metadata(path).map_err(at(path))?.len()),
            Self::Link(_) => Ok(0),
        }
    }
}

impl From<&FileContent> for TreeNode {
    fn from(content: &FileContent) -> TreeNode {
        match content {
            FileContent::Link(target) => TreeNode::Symlink { target: target.clone() },
            content => TreeNode::File(content.clone()),
        }
    }
}

/// One thing in the tree.
#[derive(Debug, Clone)]
pub(super) enum TreeNode {
    Folder,
    File(FileContent),
    Symlink { target: String },
    CharDevice { major: u32, minor: u32 },
    BlockDevice { major: u32, minor: u32 },
}

/// A thing and its permission bits.
#[derive(Debug, Clone)]
pub(super) struct TreeEntry {
    pub(super) node: TreeNode,
    pub(super) mode: u32,
}

#[derive(Debug, Default, Clone)]
pub(super) struct ImageTree {
    entries: BTreeMap<String, TreeEntry>,
    /// What was inserted since this was asked for.
    inserted: BTreeSet<String>,
}

impl ImageTree {
    /// All entries, each folder before what is in it. The root folder is not among them.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &TreeEntry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The entry at a canonical path.
    pub(super) fn get(&self, path: &str) -> Option<&TreeEntry> {
        self.entries.get(path)
    }

    /// Whether there is something at a path, links in its folders followed.
    pub(super) fn holds(&self, path: &str) -> bool {
        check_path(path).and_then(|()| self.resolve(path)).is_ok_and(|path| self.entries.contains_key(&path))
    }

    /// The paths of what was inserted or had something inserted since the last call.
    pub(super) fn take_inserted(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.inserted)
    }

    /// Adds an entry, replacing one of the same path, and the folders that lead to it. A folder does not replace a link
    /// to a folder.
    pub(super) fn insert(&mut self, path: &str, node: TreeNode, mode: u32) -> Result<(), ImageError> {
        check_path(path)?;
        if let TreeNode::Symlink { target } = &node {
            check_text(target)?;
        }
        let mut path = self.resolve(path)?;
        if matches!(node, TreeNode::Folder) {
            path = self.resolve(&format!("{path}/"))?.trim_end_matches('/').to_string();
        }
        let mut parent = path.as_str();
        while let Some((folder, _)) = parent.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) {
            let known = self.entries.get(folder).map(|entry| matches!(entry.node, TreeNode::Folder));
            match known {
                Some(true) => {}
                Some(false) => {
                    return Err(ImageError::BadPath { path, reason: "what leads to it is not a folder" });
                }
                None => {
                    self.entries.insert(folder.to_string(), TreeEntry { node: TreeNode::Folder, mode: FOLDER_MODE });
                    self.inserted.insert(folder.to_string());
                }
            }
            parent = folder;
        }
        self.inserted.insert(path.clone());
        self.entries.insert(path, TreeEntry { node, mode: mode & PERMISSION_BITS });
        Ok(())
    }

    /// Adds a link at `path` to `target` (both absolute) that holds wherever the tree is unpacked.
    pub(super) fn insert_link_to(&mut self, path: &str, target: &str) -> Result<(), ImageError> {
        check_path(path)?;
        check_path(target)?;
        let (path, target) = (self.resolve(path)?, self.resolve(target)?);
        if path == target {
            return Ok(());
        }
        let target = relative(&path, &target);
        self.insert(&path, TreeNode::Symlink { target }, LINK_MODE)
    }

    /// The path with links in its folders, but not at its end, followed.
    fn resolve(&self, path: &str) -> Result<String, ImageError> {
        let mut path = path.to_string();
        for _ in 0..LINKS_MAX {
            let folders = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|folder| !folder.is_empty());
            let link = folders.map(|folder| (folder.len(), self.entries.get(folder)));
            let link = link.into_iter().find_map(|(len, entry)| match entry.map(|entry| &entry.node) {
                Some(TreeNode::Symlink { target }) => Some((len, target)),
                _ => None,
            });
            let Some((len, target)) = link else { return Ok(path) };
            path = format!("{}{}", followed(&path[..len], target), &path[len..]);
        }
        Err(ImageError::BadPath { path, reason: "it leads through too many links" })
    }
}

/// Where the link at `path` leads, as an absolute path.
fn followed(path: &str, target: &str) -> String {
    let mut names: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => path.split('/').filter(|name| !name.is_empty()).collect(),
    };
    names.pop();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.iter().flat_map(|name| ["/", name]).collect()
}

/// The target of a link at `from` that leads to `to` (both absolute), wherever the tree is unpacked.
fn relative(from: &str, to: &str) -> String {
    let (from_folder, _) = from.rsplit_once('/').unwrap_or_default();
    let (to_folder, name) = to.rsplit_once('/').unwrap_or_default();
    if from_folder == to_folder {
        return name.to_string();
    }
    let depth = from_folder.matches('/').count();
    format!("{}{}", "../".repeat(depth), to.trim_start_matches('/'))
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

#[cfg(test)]
mod tests {
    use super::{ImageTree, TreeNode, relative};

    fn link(target: &str) -> TreeNode {
        TreeNode::Symlink { target: target.into() }
    }

    #[test]
    fn tree_links_are_relative() {
        assert_eq!(relative("/bin/ls", "/bin/busybox"), "busybox");
        assert_eq!(relative("/usr/bin/tr", "/bin/busybox"), "../../bin/busybox");
        assert_eq!(relative("/sbin/init", "/bin/busybox"), "../bin/busybox");
    }

    #[test]
    fn tree_entries_follow_folder_links() {
        let mut tree = ImageTree::default();
        tree.insert("/bin", link("usr/bin"), 0o777).unwrap();
        tree.insert("/usr/lib/x", link("../../bin/y"), 0o777).unwrap();
        tree.insert("/bin", TreeNode::Folder, 0o755).unwrap();
        tree.insert("/bin/ls", link("busybox"), 0o777).unwrap();
        tree.insert("/usr/lib/x/z", TreeNode::Folder, 0o700).unwrap();
        let paths: Vec<_> = tree.entries().map(|(path, _)| path).collect();
        assert_eq!(
            paths,
            ["/bin", "/usr", "/usr/bin", "/usr/bin/ls", "/usr/bin/y", "/usr/bin/y/z", "/usr/lib", "/usr/lib/x"]
        );
        assert!(tree.holds("/bin/ls") && !tree.holds("/bin/cat"));
        tree.insert("/loop", link("loop"), 0o777).unwrap();
        assert!(tree.insert("/loop/x", TreeNode::Folder, 0o755).is_err());
    }
}
