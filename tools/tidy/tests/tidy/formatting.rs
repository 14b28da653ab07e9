//! What rustfmt and clippy say, where they are installed.

use crate::source::root;
use std::process::{Command, Output};

/// Packages that are built for boards, for user programs or inside QEMU only.
const NOT_FOR_HOST: [&str; 4] = ["renga-image", "renga-arch-aarch64", "renga-userland", "renga-emu-garbage"];

fn cargo(arguments: &[&str]) -> Output {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo starts")
}

fn installed(tool: &str) -> bool {
    let found = cargo(&[tool, "--version"]).status.success();
    if !found {
        renga_skip::skipped(&format!("cargo {tool} is not installed"));
    }
    found
}

#[test]
fn rustfmt_changes_nothing() {
    if !installed("fmt") {
        return;
    }
    let output = cargo(&["fmt", "--all", "--", "--check", "-l"]);
    let files = String::from_utf8_lossy(&output.stdout).replace(&format!("{}/", root().display()), "  ");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "run `cargo fmt --all`; it would change:\n{files}{errors}");
}

#[test]
fn clippy_is_content() {
    if !installed("clippy") {
        return;
    }
    let mut arguments = vec!["clippy", "--workspace", "--all-targets", "--quiet", "--message-format=short"];
    for package in NOT_FOR_HOST {
        arguments.extend(["--exclude", package]);
    }
    // Not `-D warnings`: the first package with one would hide those of the packages above it.
    let output = cargo(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    let complaint = |line: &&str| line.contains(": warning: ") || line.contains(": error");
    let complaints: Vec<&str> = said.lines().filter(complaint).collect();
    assert!(output.status.success() && complaints.is_empty(), "clippy says:\n{}\n{said}", complaints.join("\n"));
}
