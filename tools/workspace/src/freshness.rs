//! Whether something built is newer than all that it was built from: whether its building began after
//! the last change of a source.
//!
//! Invariant: it errs on the side of building: a source that is missing or newer, an unreadable list, or one of a
//! project that was in another folder (a copy of a checkout, with all that was built), means building again. Not here:
//! building.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Before building: what was built before no longer counts, and changes from now on do.
///
/// # Errors
/// If the mark cannot be written.
pub fn begin(begun: &Path, sources: &Path) -> Result<()> {
    // It is not there before the first build.
    let _ = fs::remove_file(sources);
    fs::write(begun, "").with_context(|| format!("cannot write {}", begun.display()))
}

/// Writes down what something in the project `root` was built from: what cargo listed, and `further` files.
///
/// # Errors
/// If cargo's list cannot be read or the record cannot be written.
pub fn record(root: &Path, dep_info: &Path, further: &[PathBuf], sources: &Path) -> Result<()> {
    let text = fs::read_to_string(dep_info).with_context(|| format!("cannot read {}", dep_info.display()))?;
    let mut lines = vec![root.display().to_string()];
    lines.extend(listed(&text).iter().map(|path| path.display().to_string()));
    lines.extend(further.iter().map(|path| path.display().to_string()));
    fs::write(sources, lines.join("\n")).with_context(|| format!("cannot write {}", sources.display()))
}

/// Whether `begun` is newer than every file that `sources` names, which were those of the project `root`.
pub fn is_newer(root: &Path, begun: &Path, sources: &Path) -> bool {
    let Ok(list) = fs::read_to_string(sources) else { return false };
    let Some(begun) = modified(begun) else { return false };
    let mut lines = list.lines();
    let of_this_project = lines.next() == root.to_str() && lines.clone().next().is_some();
    of_this_project && lines.all(|source| modified(Path::new(source)).is_some_and(|source| source < begun))
}

/// What cargo's lists leave out: which packages and features a build has.
pub fn manifests(root: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders: Vec<PathBuf> = below(root).collect();
    let deeper = folders.iter().filter(|folder| !folder.ends_with("target")).flat_map(|folder| below(folder));
    let mut manifests: Vec<PathBuf> =
        folders.iter().cloned().chain(deeper).map(|folder| folder.join("Cargo.toml")).collect();
    manifests.retain(|manifest| manifest.exists());
    manifests.extend(["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"].map(|file| root.join(file)));
    manifests
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).and_then(|facts| facts.modified()).ok()
}

/// The prerequisites of a rule as cargo writes it: `target: source source`, spaces in names escaped.
fn listed(text: &str) -> Vec<PathBuf> {
    let Some((_, sources)) = text.split_once(": ") else { return Vec::new() };
    let mut names = vec![String::new()];
    let mut characters = sources.trim_end().chars();
    while let Some(character) = characters.next() {
        let last = names.len() - 1;
        match character {
            '\\' => names[last].extend(characters.next()),
            ' ' | '\n' => names.push(String::new()),
            other => names[last].push(other),
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_newer, listed, record};
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn freshness_cargo_list_with_escaped_spaces_is_parsed() {
        let paths = listed("/t/kernel: /a/b.rs /c\\ d/e.rs\n");
        assert_eq!(paths, [PathBuf::from("/a/b.rs"), PathBuf::from("/c d/e.rs")]);
    }

    #[test]
    fn freshness_build_of_another_checkout_is_stale() {
        let folder = std::env::temp_dir().join(format!("renga-freshness-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [source, rule, sources, begun] = ["a.rs", "kernel.d", "sources", "begun"].map(|name| folder.join(name));
        fs::write(&source, "").unwrap();
        fs::write(&rule, format!("kernel: {}\n", source.display())).unwrap();
        record(Path::new("/one"), &rule, &[], &sources).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20)); // times of files are no finer than that
        fs::write(&begun, "").unwrap();
        let found = [Path::new("/one"), Path::new("/copy")].map(|root| is_newer(root, &begun, &sources));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [true, false]);
    }
}
