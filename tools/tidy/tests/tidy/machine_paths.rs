//! No file names the folder of the repository on a particular machine.

use crate::expect_none;
use crate::source::{place, root, texts};

/// Folders that every Linux has, so that only what lies in them is one machine's.
const STANDARD: [&str; 12] = ["dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "srv", "tmp", "usr", "var"];

/// The least part of the absolute path `root` that no other machine needs to have.
fn machine_folder(root: &str) -> String {
    let parts: Vec<&str> = root.trim_start_matches('/').split('/').collect();
    let count = if STANDARD.contains(&parts[0]) { 2 } else { 1 };
    format!("/{}/", parts[..count.min(parts.len())].join("/"))
}

#[test]
fn machine_paths_are_in_no_file() {
    let folder = machine_folder(&root().to_string_lossy());
    let mut violations = Vec::new();
    for source in texts() {
        // Behind another folder it is a folder of that name elsewhere.
        let inside = |at: &usize| source.text[..*at].ends_with(|c: char| c.is_alphanumeric() || "._-}$~)".contains(c));
        let found = source.text.match_indices(&folder).map(|(at, _)| at).filter(|at| !inside(at));
        violations.extend(found.map(|at| format!("{}: {folder}", place(&source.path, &source.text, at))));
    }
    expect_none("no file names the folder of this machine on which the repository lies", violations);
}

#[test]
fn machine_folder_is_that_of_its_owner() {
    assert_eq!(machine_folder("/home/anna/src/renga"), "/home/anna/");
    assert_eq!(machine_folder("/builds/renga"), "/builds/");
}
