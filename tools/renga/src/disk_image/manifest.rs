//! `userland/packages.toml`: which packages, links, folders, devices and files every image has.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::ImageError;
use super::error::at;
use super::tree::{Content, Node, Tree};

const MANIFEST: &str = "userland/packages.toml";
const LINK_MODE: u32 = 0o777;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) architecture: String,
    #[serde(rename = "package")]
    packages: Vec<Package>,
    applets: Applets,
    #[serde(rename = "link", default)]
    links: Vec<Link>,
    #[serde(rename = "directory", default)]
    directories: Vec<Directory>,
    #[serde(rename = "device", default)]
    devices: Vec<Device>,
    #[serde(rename = "file", default)]
    files: Vec<TextFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    name: String,
    take: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Applets {
    program: String,
    list: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    path: String,
    target: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Directory {
    path: String,
    mode: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Device {
    path: String,
    major: u32,
    minor: u32,
    mode: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextFile {
    path: String,
    mode: u32,
    text: String,
}

impl Manifest {
    /// Reads the description in the project's folder.
    pub(super) fn load(root: &Path) -> Result<Self, ImageError> {
        let path = root.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        toml::from_str(&text).map_err(|fault| ImageError::Manifest { path, reason: fault.to_string() })
    }

    pub(super) fn package_names(&self) -> Vec<String> {
        self.packages.iter().map(|package| package.name.clone()).collect()
    }

    /// The tree that the description and the unpacked packages (one folder each, by name) make.
    pub(super) fn tree(&self, root: &Path, unpacked: &HashMap<String, PathBuf>) -> Result<Tree, ImageError> {
        let mut tree = Tree::default();
        for package in &self.packages {
            for taken in &package.take {
                tree.insert_from_host(&format!("/{taken}"), &unpacked[&package.name].join(taken))?;
            }
        }
        self.insert_applets(root, &mut tree)?;
        for link in &self.links {
            tree.insert(&link.path, Node::Symlink { target: link.target.clone() }, LINK_MODE)?;
        }
        for directory in &self.directories {
            tree.insert(&directory.path, Node::Folder, directory.mode)?;
        }
        for device in &self.devices {
            let node = Node::CharDevice { major: device.major, minor: device.minor };
            tree.insert(&device.path, node, device.mode)?;
        }
        for file in &self.files {
            tree.insert(&file.path, Node::File(Content::Bytes(file.text.clone().into_bytes())), file.mode)?;
        }
        Ok(tree)
    }

    fn insert_applets(&self, root: &Path, tree: &mut Tree) -> Result<(), ImageError> {
        let list = root.join(&self.applets.list);
        let text = fs::read_to_string(&list).map_err(at(&list))?;
        for name in text.lines() {
            let path = format!("/{name}");
            // busybox lists itself too.
            if path == self.applets.program {
                continue;
            }
            let target = relative(&path, &self.applets.program);
            tree.insert(&path, Node::Symlink { target }, LINK_MODE)?;
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn links_are_relative() {
        assert_eq!(relative("/bin/ls", "/bin/busybox"), "busybox");
        assert_eq!(relative("/usr/bin/tr", "/bin/busybox"), "../../bin/busybox");
        assert_eq!(relative("/sbin/init", "/bin/busybox"), "../bin/busybox");
    }
}
