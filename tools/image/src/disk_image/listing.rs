//! What a cached image holds, as text beside it: so that files can be added to a copy without reading the file system.
//!
//! One line each, of fields between tabs: kind, permission bits, what belongs to the kind (size, target, numbers of a
//! device), path. Contents are not there.

use super::ImageError;
use super::tree::{FileContent, ImageTree, TreeNode};

/// The listing of a tree.
pub(super) fn write(tree: &ImageTree) -> Result<String, ImageError> {
    let mut text = String::new();
    for (path, entry) in tree.entries() {
        let (kind, detail) = match &entry.node {
            TreeNode::Folder => ("folder", String::new()),
            TreeNode::File(content) => ("file", content.len()?.to_string()),
            TreeNode::Symlink { target } => ("link", target.clone()),
            TreeNode::CharDevice { major, minor } => ("device", format!("{major} {minor}")),
            TreeNode::BlockDevice { major, minor } => ("disk", format!("{major} {minor}")),
        };
        text.push_str(&format!("{kind}\t{:o}\t{detail}\t{path}\n", entry.mode));
    }
    Ok(text)
}

/// The tree of a listing, its files empty; none if it is not one.
pub(super) fn read(text: &str) -> Option<ImageTree> {
    let mut tree = ImageTree::default();
    for line in text.lines() {
        let [kind, mode, detail, path] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let node = match kind {
            "folder" => TreeNode::Folder,
            "file" => TreeNode::File(FileContent::Bytes(Vec::new())),
            "link" => TreeNode::Symlink { target: detail.into() },
            "device" => {
                let (major, minor) = detail.split_once(' ')?;
                TreeNode::CharDevice { major: major.parse().ok()?, minor: minor.parse().ok()? }
            }
            "disk" => {
                let (major, minor) = detail.split_once(' ')?;
                TreeNode::BlockDevice { major: major.parse().ok()?, minor: minor.parse().ok()? }
            }
            _ => return None,
        };
        tree.insert(path, node, u32::from_str_radix(mode, 8).ok()?).ok()?;
    }
    tree.take_inserted();
    Some(tree)
}

/// How many files a listing names, and their bytes.
pub(super) fn contents(text: &str) -> (usize, u64) {
    let sizes = text.lines().filter_map(|line| line.strip_prefix("file\t")?.split('\t').nth(1)?.parse::<u64>().ok());
    sizes.fold((0, 0), |(files, bytes), size| (files + 1, bytes + size))
}

#[cfg(test)]
mod tests {
    use super::super::tree::{FileContent, ImageTree, TreeNode};
    use super::{contents, read, write};

    #[test]
    fn listing_round_trip_keeps_tree() {
        let mut tree = ImageTree::default();
        tree.insert("/bin", TreeNode::Symlink { target: "usr/bin".into() }, 0o777).unwrap();
        tree.insert("/bin/a b", TreeNode::File(FileContent::Bytes(vec![1, 2, 3])), 0o4755).unwrap();
        tree.insert("/dev/null", TreeNode::CharDevice { major: 1, minor: 3 }, 0o666).unwrap();
        tree.insert("/dev/sd", TreeNode::BlockDevice { major: 179, minor: 0 }, 0o600).unwrap();
        let text = write(&tree).unwrap();
        assert_eq!(contents(&text), (1, 3));
        let again = write(&read(&text).unwrap()).unwrap();
        assert_eq!(again, text.replace("\t3\t", "\t0\t"));
        assert!(read("nonsense\n").is_none());
    }
}
