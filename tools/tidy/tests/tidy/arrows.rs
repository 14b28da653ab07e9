//! Allowed imports: the arrows of `docs/design/overview.md`.

use crate::expect_none;
use crate::metadata::{Package, packages};
use crate::source::{place, root};
use std::fs;

/// What every system process may import.
const PROCESS: &[&str] = &["renga-rt", "renga-proto", "renga-abi", "renga-random"];

/// What a package below `tools` and `image` may import, beside `PROCESS` for a system process.
fn allowed(package: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    const NOTHING: &[&str] = &[];
    const DEVICE: &[&str] = &["renga-hal"];
    Some(match package {
        "renga-abi" | "renga-sync" | "renga-random" | "renga-wire" => (NOTHING, NOTHING),
        // How a page's content is borrowed.
        "renga-hal" => (NOTHING, &["renga-sync"]),
        "renga-hal-host" => (NOTHING, DEVICE),
        // Writes new kernels to cards by the code that is tried on the host.
        "renga-userland" => (NOTHING, &["renga-boot-card", "renga-hal"]),
        "renga-sched" => (NOTHING, &["renga-abi"]),
        "renga-core" => (NOTHING, &["renga-abi", "renga-sched", "renga-sync"]),
        "renga-boot-card" => (NOTHING, DEVICE),
        "renga-arch-aarch64" => (NOTHING, &["renga-hal", "renga-abi", "renga-sync"]),
        "renga-board-rpi" => (NOTHING, &["renga-hal", "renga-abi"]),
        "renga-mac" => (NOTHING, &["renga-wire"]),
        "renga-phy" => (NOTHING, &["renga-hal", "renga-random", "renga-wire"]),
        "renga-rt" | "renga-proto" => (NOTHING, &["renga-abi", "renga-core"]),
        "renga-clock" | "renga-counter" | "renga-futex" | "renga-governor" | "renga-pipe" | "renga-reclaimer"
        | "renga-regulator" => (PROCESS, NOTHING),
        // Bytes of a socket are in a ring as a pipe's.
        "renga-socket" => (PROCESS, &["renga-pipe"]),
        // A process that owns a device sees the device's trait; a driver process would cost one more rendezvous.
        "renga-console" | "renga-pages" => (PROCESS, DEVICE),
        // Paces as text, as its files have them.
        "renga-procfs" => (PROCESS, &["renga-governor", "renga-hal"]),
        // A process that reads files fills the page cache of its board.
        "renga-fs" => (PROCESS, &["renga-hal", "renga-pages"]),
        // Slots of several cores take tables one after the other.
        "renga-memory" => (PROCESS, &["renga-sync", "renga-hal", "renga-pages"]),
        // A user process works on an address space, which is the memory process's, and paces its program's I/O.
        "renga-process" => (PROCESS, &["renga-governor", "renga-hal", "renga-memory", "renga-pages"]),
        // The router carries calls whose types it does not know, so it sees the core's raw ones.
        "renga-router" => (PROCESS, &["renga-core", "renga-mac", "renga-phy", "renga-wire"]),
        // The list of kinds names every process's function; boot makes headers.
        "renga-systems" => (
            PROCESS,
            &[
                "renga-clock",
                "renga-console",
                "renga-counter",
                "renga-core",
                "renga-fs",
                "renga-hal",
                "renga-memory",
                "renga-pages",
                "renga-phy",
                "renga-futex",
                "renga-pipe",
                "renga-process",
                "renga-procfs",
                "renga-reclaimer",
                "renga-regulator",
                "renga-router",
                "renga-socket",
            ],
        ),
        // It takes the place of a board's processes, for tests.
        "renga-hostile" => (PROCESS, &["renga-core", "renga-router", "renga-systems"]),
        _ => return None,
    })
}

/// What runs on the host only, and may import anything.
fn is_in_tools(package: &Package) -> bool {
    package.folder.starts_with("tools/") || package.folder == "bench"
}

/// What nothing outside the tools may import, but for its tests.
fn is_tool(packages: &[Package], name: &str) -> bool {
    packages.iter().any(|package| package.name == name && is_in_tools(package))
}

/// Holds: import-rules.
#[test]
fn crates_dependencies_follow_arrows() {
    let packages = packages();
    let mut violations = Vec::new();
    for package in packages.iter().filter(|package| !is_in_tools(package)) {
        for dependency in &package.dependencies {
            if !packages.iter().any(|other| other.name == dependency.name) {
                continue;
            }
            let tool = is_tool(&packages, &dependency.name);
            let fine = match (dependency.kind.as_deref(), allowed(&package.name)) {
                // Tests may: those of the tables read what the placement tool writes.
                (None | Some("build"), _) if tool => false,
                (Some(_), _) => true,
                (None, Some((base, more))) => base.iter().chain(more).any(|name| *name == dependency.name),
                (None, None) => package.name == "renga-image",
            };
            if !fine {
                violations.push(format!(
                    "{}: {} imports {}",
                    manifest_line(package, &dependency.name),
                    package.name,
                    dependency.name
                ));
            }
        }
    }
    expect_none(
        "packages import along the arrows of docs/design/overview.md only; nothing imports the tools",
        violations,
    );
}

/// Holds: import-rules.
#[test]
fn plugin_gpl_has_no_dependents() {
    let imports = |package: &Package| package.dependencies.iter().any(|other| other.name == "renga-emu-plugin");
    let violations = packages().iter().filter(|package| imports(package)).map(|p| p.folder.clone()).collect();
    expect_none("the plugin is GPL-2.0-or-later and is loaded by QEMU only", violations);
}

fn manifest_line(package: &Package, dependency: &str) -> String {
    let path = format!("{}/Cargo.toml", package.folder);
    let text = fs::read_to_string(root().join(&path)).unwrap_or_default();
    let at = text.find(&format!("\n{dependency}")).map_or(0, |at| at + 1);
    place(&path, &text, at)
}
