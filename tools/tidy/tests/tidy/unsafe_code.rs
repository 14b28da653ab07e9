//! Where `unsafe` may be, and that each use has a reason.

use crate::expect_none;
use crate::lexer::words;
use crate::metadata::packages;
use crate::source::{RustSource, place, root, rust};
use std::collections::BTreeMap;
use std::fs;

/// Folders in which any file may use it.
const FOLDERS: [&str; 3] = ["kernel/arch-aarch64/src/", "kernel/image/src/", "tools/emu/plugin/src/"];
/// Single files that may use it.
const FILES: [&str; 24] = [
    "kernel/core/src/types/probe.rs",
    "kernel/core/src/ipc/rendezvous.rs",
    "kernel/core/src/user/time_slice.rs",
    "kernel/core/src/types/arena.rs",
    "kernel/core/src/types/state.rs",
    "kernel/core/src/sched/ready.rs",
    "kernel/core/src/api/me.rs",
    "kernel/core/src/host/board.rs",
    "kernel/sync/src/message.rs",
    "kernel/sync/src/frame_borrow.rs",
    "kernel/sync/src/shared_ref.rs",
    "kernel/sync/src/spin_lock.rs",
    "userland/src/syscall.rs",
    "userland/src/start.rs",
    "userland/src/arguments.rs",
    "userland/src/schedule.rs",
    "userland/src/signals.rs",
    "userland/src/bin/floats.rs",
    "userland/src/bin/p5/computation.rs",
    "userland/src/bin/limits.rs",
    "userland/src/bin/wild.rs",
    "tools/emu/coordinator/tests/guest/cores.rs",
    "tools/emu/coordinator/tests/guest/guest.rs",
    "tools/sim_browser/src/exports.rs",
];
/// Packages that have such files, so cannot forbid it as a whole.
const PACKAGES: [&str; 8] = [
    "renga-arch-aarch64",
    "renga-core",
    "renga-emu-garbage",
    "renga-emu-plugin",
    "renga-image",
    "renga-sim-browser",
    "renga-sync",
    "renga-userland",
];
/// How far above a block its reason may begin.
const REASON_LINES_MAX: usize = 5;

fn may_use(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder)) || FILES.contains(&path)
}

/// Where blocks and impls begin.
fn blocks(source: &RustSource) -> Vec<usize> {
    let opens = |at: &usize| {
        let next = source.code[at + "unsafe".len()..].trim_start();
        next.starts_with('{') || next.starts_with("impl")
    };
    words(&source.code, "unsafe").into_iter().filter(opens).collect()
}

#[test]
fn unsafe_only_where_it_is_allowed() {
    let mut violations = Vec::new();
    for source in rust().iter().filter(|source| !may_use(&source.path)) {
        violations.extend(words(&source.code, "unsafe").into_iter().map(|at| place(&source.path, &source.text, at)));
    }
    expect_none("`unsafe` is for arch-aarch64, image, the rendezvous core, the plugin and system calls", violations);
}

#[test]
fn other_packages_forbid_unsafe() {
    let mut violations = Vec::new();
    for package in packages().iter().filter(|package| !PACKAGES.contains(&package.name.as_str())) {
        for path in &package.roots {
            let text = fs::read_to_string(root().join(path)).unwrap_or_default();
            if !text.contains("#![forbid(unsafe_code)]") {
                violations.push(format!("{path}:1"));
            }
        }
    }
    expect_none("a package without unsafe code says #![forbid(unsafe_code)]", violations);
}

#[test]
fn each_unsafe_block_has_a_reason() {
    let mut violations = Vec::new();
    for source in rust() {
        let lines: Vec<&str> = source.text.lines().collect();
        for at in blocks(&source) {
            let line = source.text[..at].matches('\n').count();
            let near = &lines[line.saturating_sub(REASON_LINES_MAX)..=line];
            if !near.iter().any(|line| line.contains("// SAFETY:")) {
                violations.push(place(&source.path, &source.text, at));
            }
        }
    }
    expect_none("a `// SAFETY:` comment within the 5 lines above each unsafe block or impl", violations);
}

#[test]
fn unsafe_list_names_every_file() {
    let used = rust().into_iter().filter(|source| !words(&source.code, "unsafe").is_empty());
    let used: BTreeMap<String, usize> = used.map(|source| (source.path.clone(), blocks(&source).len())).collect();
    let list = fs::read_to_string(root().join("docs/unsafe.md")).expect("docs/unsafe.md is there");
    let listed: BTreeMap<String, usize> = list.lines().filter_map(row).collect();
    let mut violations = Vec::new();
    for (path, count) in &used {
        match listed.get(path) {
            None => violations.push(format!("docs/unsafe.md: add `{path}` with {count} blocks")),
            Some(said) if said != count => {
                violations.push(format!("docs/unsafe.md: `{path}` has {count} blocks, not {said}"))
            }
            Some(_) => {}
        }
    }
    let gone = listed.keys().filter(|path| !used.contains_key(*path));
    violations.extend(gone.map(|path| format!("docs/unsafe.md: `{path}` has no unsafe code, remove it")));
    expect_none("docs/unsafe.md lists the files with unsafe code and how many blocks and impls each has", violations);
}

/// A row of the list: file in backticks, count, reason.
fn row(line: &str) -> Option<(String, usize)> {
    let mut cells = line.strip_prefix("| `")?.split('|');
    let path = cells.next()?.trim().trim_end_matches('`').to_string();
    Some((path, cells.next()?.trim().parse().ok()?))
}
