//! What cargo says of the workspace's packages.
//!
//! No `cargo-deny`: it fetches a database of advisories from the network.

use crate::source::root;
use serde_json::Value;
use std::process::Command;

/// A package of the workspace.
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: String,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
    /// Whether its library or programs are built; the files that these begin with.
    pub roots: Vec<String>,
}

/// A dependency.
pub struct Dependency {
    /// The other package.
    pub name: String,
    /// For what: `None` is the package itself, else "dev" or "build".
    pub kind: Option<String>,
}

/// All packages of the workspace.
pub fn packages() -> Vec<Package> {
    let root = root();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let output = Command::new(cargo).args(arguments).current_dir(&root).output().expect("cargo starts");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let prefix = format!("{}/", root.display());
    let relative = |path: &Value| path.as_str().unwrap_or("").trim_start_matches(&prefix).to_string();
    let package = |package: &Value| Package {
        name: package["name"].as_str().unwrap_or("").into(),
        folder: relative(&package["manifest_path"]).trim_end_matches("/Cargo.toml").into(),
        dependencies: list(&package["dependencies"]).iter().map(dependency).collect(),
        roots: list(&package["targets"]).iter().filter(|t| is_built(t)).map(|t| relative(&t["src_path"])).collect(),
    };
    list(&value["packages"]).iter().map(package).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

fn dependency(value: &Value) -> Dependency {
    let text = |key: &str| value[key].as_str().map(String::from);
    Dependency { name: text("name").unwrap_or_default(), kind: text("kind") }
}

fn is_built(target: &Value) -> bool {
    list(&target["kind"]).iter().any(|kind| ["lib", "cdylib", "bin"].contains(&kind.as_str().unwrap_or("")))
}
