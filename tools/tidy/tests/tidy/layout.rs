//! What the code of boards may not contain, and what every file begins with.

use crate::expect_none;
use crate::lexer::words;
use crate::metadata::packages;
use crate::source::{RustSource, place, root, rust};
use std::fs;

/// Code that runs on boards, where there is neither `std` nor a heap.
const BOARD_FOLDERS: [&str; 3] = ["kernel/", "netlink-hw/", "sysprocs/"];
/// Fakes of hardware for tests and the simulator, which no board has.
const HOST_ONLY: &str = "kernel/hal-host";
/// Names that say nothing.
const EMPTY_NAMES: [&str; 8] = ["util", "utils", "common", "helper", "helpers", "manager", "misc", "stuff"];
/// Types that make a static changeable.
const CHANGEABLE: [&str; 9] =
    ["Cell", "RefCell", "UnsafeCell", "OnceCell", "Once", "OnceLock", "Mutex", "RwLock", "Atomic"];

/// Cells in the header of a process that one file has for itself (docs/design/rendezvous-and-cores.md).
const CELLS_OF_ONE_FILE: [(&str, &[&str]); 3] = [
    ("timer.rs", &["alarm_ns", "alarm_link"]),
    ("time_slice.rs", &["user_space", "trap"]),
    ("process.rs", &["remote"]),
];

fn board_sources() -> impl Iterator<Item = RustSource> {
    let on_board = |source: &RustSource| {
        BOARD_FOLDERS.iter().any(|folder| source.path.starts_with(folder))
            && !source.path.starts_with(HOST_ONLY)
            && source.path.contains("/src/")
            && !source.path.ends_with("/tests.rs")
    };
    rust().into_iter().filter(on_board)
}

/// Holds: no-allocation.
#[test]
fn boards_code_uses_no_heap_nor_std() {
    let mut violations = Vec::new();
    for source in board_sources() {
        for word in ["std", "alloc"] {
            let path = |at: &usize| source.board_code[at + word.len()..].starts_with("::");
            let external = |at: &usize| source.board_code[..*at].trim_end().ends_with("extern crate");
            let used = words(&source.board_code, word).into_iter().filter(|at| path(at) || external(at));
            violations.extend(used.map(|at| format!("{}: {word}", place(&source.path, &source.text, at))));
        }
    }
    let on_board = |folder: &str| BOARD_FOLDERS.iter().any(|board| folder.starts_with(board)) && folder != HOST_ONLY;
    for package in packages().iter().filter(|package| on_board(&package.folder)) {
        for path in &package.roots {
            let text = fs::read_to_string(root().join(path)).unwrap_or_default();
            if !text.contains("no_std") {
                violations.push(format!("{path}:1: not no_std"));
            }
        }
    }
    expect_none(
        "kernel, link and system processes are no_std without alloc, outside tests and the host harness",
        violations,
    );
}

#[test]
fn parts_of_a_header_have_one_owner() {
    let mut violations = Vec::new();
    for source in rust().into_iter().filter(|source| source.path.starts_with("kernel/core/src/")) {
        for (owner, cells) in CELLS_OF_ONE_FILE {
            let reached = |cell: &&str| words(&source.code, cell).iter().any(|at| source.code[..*at].ends_with('.'));
            let owns = source.path.ends_with(&format!("/{owner}"));
            let wrong = cells.iter().filter(|cell| reached(cell) != owns);
            violations.extend(wrong.map(|cell| format!("{}: `{cell}` is for {owner}", source.path)));
        }
    }
    expect_none("one file reaches the cells of a header that are its own", violations);
}

#[test]
fn statics_outside_image_are_constant() {
    let mut violations = Vec::new();
    for source in rust() {
        let board = BOARD_FOLDERS.iter().any(|folder| source.path.starts_with(folder));
        if source.path.starts_with("kernel/image/") {
            continue;
        }
        for at in words(&source.board_code, "static") {
            // `&'static` and `T: 'static` are lifetimes.
            if source.board_code[..at].ends_with('\'') {
                continue;
            }
            let rest = &source.board_code[at..];
            let declaration = &rest[..rest.find(['=', ';']).unwrap_or(rest.len())];
            let mut named = declaration.split(|c: char| !c.is_alphanumeric());
            let changeable = board && named.any(|word| CHANGEABLE.iter().any(|name| word.starts_with(name)));
            if changeable || declaration.starts_with("static mut ") {
                violations.push(place(&source.path, &source.text, at));
            }
        }
    }
    expect_none(
        "statics that change are in kernel/image only (tools may use atomics and locks, never `static mut`)",
        violations,
    );
}

#[test]
fn target_arch_conditions_stay_in_arch_crates() {
    let mut violations = Vec::new();
    for source in rust() {
        if source.path.starts_with("kernel/arch-") || source.path.starts_with("kernel/image/") {
            continue;
        }
        let places = words(&source.code, "target_arch");
        violations.extend(places.into_iter().map(|at| place(&source.path, &source.text, at)));
    }
    expect_none("`cfg(target_arch)` is for arch-* and image", violations);
}

#[test]
fn names_say_something() {
    let mut violations = Vec::new();
    for source in rust() {
        let parts = source.path.trim_end_matches(".rs").split(['/', '_', '-']);
        if parts.into_iter().any(|part| EMPTY_NAMES.contains(&part)) {
            violations.push(source.path.clone());
        }
        for at in words(&source.code, "mod") {
            let name = source.code[at + 3..].trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
            if name.is_some_and(|name| name.split('_').any(|part| EMPTY_NAMES.contains(&part))) {
                violations.push(place(&source.path, &source.text, at));
            }
        }
    }
    expect_none("no file or module is called util, common, helper, manager or misc", violations);
}

#[test]
fn every_file_says_what_it_is() {
    let documented = |source: &RustSource| source.text.trim_start().starts_with("//!");
    let silent = rust().into_iter().filter(|source| !documented(source));
    expect_none(
        "a Rust file begins with `//!`: what it is, its invariant, what is not there",
        silent.map(|s| s.path + ":1").collect(),
    );
}
