//! What is in a folder, for comparison: names, types, permission bits, contents, link targets.
//!
//! Named pipes are left out: the program that reads images makes none. So are times, except those of files whose names
//! begin with `dated`: tests set them.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// How deep a tree may be.
const DEPTH_MAX: usize = 40;
const PERMISSION_BITS: u32 = 0o777;
const OWNER_READS: u32 = 0o400;

/// One thing in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A folder with its permission bits.
    Folder(u32),
    /// A file with its permission bits, content, and time if that matters.
    File(u32, Vec<u8>, Option<i64>),
    /// A link and where it leads.
    Link(String),
}

/// All that is in a folder, by path.
pub fn snapshot(folder: &Path) -> BTreeMap<String, Node> {
    let mut nodes = BTreeMap::new();
    add(folder, "", &mut nodes, 0);
    nodes
}

fn add(folder: &Path, prefix: &str, nodes: &mut BTreeMap<String, Node>, depth: usize) {
    assert!(depth < DEPTH_MAX, "{} is too deep", folder.display());
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let facts = entry.metadata().expect("it was listed");
        let mode = facts.permissions().mode() & PERMISSION_BITS;
        let place = format!("{prefix}{name}");
        if facts.is_symlink() {
            let target = fs::read_link(&path).expect("it is a link");
            nodes.insert(place, Node::Link(target.to_string_lossy().into_owned()));
        } else if facts.is_dir() {
            nodes.insert(place.clone(), Node::Folder(mode));
            add(&path, &format!("{place}/"), nodes, depth + 1);
        } else if facts.is_file() {
            if mode & OWNER_READS == 0 {
                fs::set_permissions(&path, Permissions::from_mode(mode | OWNER_READS)).expect("it is ours");
            }
            let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let time = name.starts_with("dated").then(|| facts.mtime());
            nodes.insert(place, Node::File(mode, content, time));
        }
    }
}

/// The differences of two trees, one line each.
pub fn compare(expected: &BTreeMap<String, Node>, found: &BTreeMap<String, Node>) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, node) in expected {
        match found.get(path) {
            None => lines.push(format!("{path} is missing; expected {}", describe(node))),
            Some(other) if other != node => {
                lines.push(format!("{path} is {}; expected {}", describe(other), describe(node)));
            }
            Some(_) => {}
        }
    }
    let surplus = found.iter().filter(|(path, _)| !expected.contains_key(*path));
    lines.extend(surplus.map(|(path, node)| format!("{path} is there ({}), but is not expected", describe(node))));
    lines
}

fn describe(node: &Node) -> String {
    const SHOWN_BYTES: usize = 60;
    match node {
        Node::Folder(mode) => format!("a folder {mode:o}"),
        Node::Link(target) => format!("a link to {target}"),
        Node::File(mode, content, time) => {
            let text = String::from_utf8_lossy(&content[..content.len().min(SHOWN_BYTES)]);
            let time = time.map(|time| format!(", time {time}")).unwrap_or_default();
            format!("a file {mode:o} of {} bytes {text:?}{time}", content.len())
        }
    }
}
