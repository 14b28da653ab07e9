//! The licences of what a release contains beside Renga's own: crates linked into it, Debian's packages on its image.

use crate::archive::ArchiveTree;
use anyhow::{Context, Result, bail};
use renga_workspace::cargo;
use renga_workspace::environment::Environment;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where they are.
const FOLDER: &str = "licences";
/// How the names of files with licences begin.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// What the boards are, for cargo.
const BOARDS_TARGET: &str = "aarch64-unknown-none-softfloat";
const HEAD: &str =
    "Renga's own code is under MIT or Apache-2.0, at your choice (../LICENSE); the emulator's plugin is under \
GPL-2.0-or-later, and its sources are in ../tools/emu.

The disk image is made of the Debian packages that target/renga/packages-arm64 has, each with its copyright file under
usr/share/doc; `apt-get source` fetches their sources from Debian.

The programs contain these crates and Rust's standard library (MIT or Apache-2.0). Texts are in the folders here where a
crate brings any; others are the usual texts of ../LICENSE-MIT and ../LICENSE-APACHE.

";

/// What `cargo metadata` says.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<CratePackage>,
    resolve: Resolve,
}

/// A package of some crate.
#[derive(Deserialize)]
struct CratePackage {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    /// The registry, of those that are not ours.
    source: Option<String>,
}

/// Who depends on whom.
#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<ResolvedNode>,
}

#[derive(Deserialize)]
struct ResolvedNode {
    id: String,
    deps: Vec<ResolvedDependency>,
}

#[derive(Deserialize)]
struct ResolvedDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

/// `dev`, `build`, or nothing for what is linked.
#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// Adds the licences of all crates that `packages` are linked from.
///
/// # Errors
/// If cargo fails, or a crate names no licence.
pub(crate) fn add(tree: &mut ArchiveTree, environment: &Environment, packages: &[&str]) -> Result<()> {
    let metadata = read(environment)?;
    let mut text = HEAD.to_string();
    let linked = linked(&metadata, packages);
    let mut foreign: Vec<&CratePackage> =
        metadata.packages.iter().filter(|package| package.source.is_some() && linked.contains(&package.id)).collect();
    foreign.sort_by_key(|package| (&package.name, &package.version));
    for package in foreign {
        let name = format!("{} {}", package.name, package.version);
        let Some(licence) = &package.license else { bail!("the crate {name} names no licence") };
        text += &format!("{name}: {licence}\n");
        let folder = package.manifest_path.parent().unwrap_or(Path::new("/"));
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let is_text = NAMES.iter().any(|begin| file.to_ascii_uppercase().starts_with(begin));
            if is_text && entry.path().is_file() {
                tree.file(&format!("{FOLDER}/{}-{}/{file}", package.name, package.version), &entry.path())?;
            }
        }
    }
    tree.text(&format!("{FOLDER}/README.txt"), &text);
    Ok(())
}

fn read(environment: &Environment) -> Result<Metadata> {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut command = Command::new(cargo::program());
    command.current_dir(&environment.root).args(["metadata", "--format-version", "1", "--locked"]);
    command.args(["--filter-platform", &host, "--filter-platform", BOARDS_TARGET]);
    let output = command.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo metadata fails:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata is not as it was")
}

/// The packages that these are linked from, by their identities.
fn linked(metadata: &Metadata, packages: &[&str]) -> BTreeSet<String> {
    let nodes: BTreeMap<&str, &ResolvedNode> =
        metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let begin = metadata.packages.iter().filter(|package| packages.contains(&package.name.as_str()));
    let mut left: Vec<&str> = begin.map(|package| package.id.as_str()).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = left.pop() {
        let Some(node) = nodes.get(id).filter(|_| found.insert(id.to_string())) else { continue };
        let is_linked = |dependency: &&ResolvedDependency| dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
        left.extend(node.deps.iter().filter(is_linked).map(|dependency| dependency.pkg.as_str()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Metadata, linked};

    #[test]
    fn licences_are_of_what_is_linked_and_of_nothing_else() {
        let node = |id: &str, deps: &str| format!(r#"{{"id":"{id}","deps":[{deps}]}}"#);
        let dep = |id: &str, kind: &str| format!(r#"{{"pkg":"{id}","dep_kinds":[{{"kind":{kind}}}]}}"#);
        let package = |id: &str| {
            format!(
                r#"{{"id":"{id}","name":"{id}","version":"1.0.0","license":null,"manifest_path":"/x","source":null}}"#
            )
        };
        let ours = [dep("far", "null"), dep("test", "\"dev\""), dep("script", "\"build\"")].join(",");
        let nodes = [node("ours", &ours), node("far", &dep("ours", "null")), node("test", ""), node("alone", "")];
        let packages = ["ours", "far", "test", "alone"].map(package);
        let text = format!(r#"{{"packages":[{}],"resolve":{{"nodes":[{}]}}}}"#, packages.join(","), nodes.join(","));
        let metadata: Metadata = serde_json::from_str(&text).expect("as cargo writes it");
        assert_eq!(linked(&metadata, &["ours"]).into_iter().collect::<Vec<_>>(), ["far", "ours"]);
    }
}
