//! `renga check`: what it lists, draws and refuses. No boards boot here.

use crate::support::{Renga, Scratch, root};
use std::fs;
use std::process::Command;

/// Processes that boards of the pair have at least.
const ON_A_MIN: usize = 88;
const ON_B_MIN: usize = 60;
/// Kinds of which there is one for each resource.
const KINDS: [&str; 18] = [
    "buffer",
    "buffer_directory",
    "clock",
    "console",
    "disk",
    "file",
    "file_table",
    "inode",
    "inode_directory",
    "memory",
    "pipe",
    "procs",
    "router",
    "page_cache",
    "references",
    "user",
    "path_lookup",
    "lookup_worker",
];

/// Holds: placement-proved.
#[test]
fn check_pair_is_listed_and_proved() {
    let text = Renga::command(&["check", "pair"]).end().expect_status(0).text();
    let row = |name: &str| text.lines().find(|line| line.split_whitespace().next() == Some(name));
    for kind in KINDS {
        assert!(row(kind).is_some(), "no row for {kind} in\n{text}");
    }
    let total: Vec<usize> =
        row("total").into_iter().flat_map(str::split_whitespace).filter_map(|word| word.parse().ok()).collect();
    let [on_a, on_b, all] = total[..] else { panic!("no totals of two boards in\n{text}") };
    assert!(on_a >= ON_A_MIN && on_b >= ON_B_MIN && on_a + on_b == all, "{on_a} on a, {on_b} on b, {all} in all");
    assert!(text.contains("No process can deadlock") && text.contains("no cycle"), "{text}");
    assert!(text.contains("Memory that messages between boards can need at most:"), "{text}");
}

/// Holds: placement-drawn.
#[test]
fn check_graph_is_valid_dot() {
    let scratch = Scratch::new("dot");
    let file = scratch.join("pair.dot");
    Renga::command(&["check", "pair", "--dot"]).with([file.as_os_str()]).end().expect_status(0);
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(text.starts_with("digraph") && text.trim_end().ends_with('}'), "{text}");
    let Ok(plotted) = Command::new("dot").arg("-Tsvg").arg(&file).output() else {
        return renga_skip::skipped("there is no dot (package graphviz) to draw with");
    };
    assert!(plotted.status.success(), "{}", String::from_utf8_lossy(&plotted.stderr));
    assert!(String::from_utf8_lossy(&plotted.stdout).contains("<svg"));
}

#[test]
fn check_solo_is_accepted() {
    let text = Renga::command(&["check", "solo"]).end().expect_status(0).text();
    assert!(!text.contains("router"), "{text}");
}

/// Holds: placement-refused.
#[test]
fn check_bad_file_is_refused_with_line_and_reason() {
    let bad = root().join("tools/placement/tests/bad");
    for name in ["count-zero", "core-out-of-range", "bad-mode"] {
        let message = fs::read_to_string(bad.join(format!("{name}.message"))).expect("each bad file has a message");
        let file = bad.join(format!("{name}.toml"));
        let ended = Renga::command(&["check"]).with([file.as_os_str()]).end().expect_status(125);
        let reason = message.trim();
        assert!(ended.stderr.contains(reason), "expected: {reason}\n{}", ended.report());
        assert!(ended.stderr.contains(&format!("{name}.toml")), "{}", ended.report());
    }
}

#[test]
fn check_unknown_system_lists_known_ones() {
    for arguments in [&["check", "ring99"][..], &["run", "--system", "ring99", "-c", "true"]] {
        let ended = Renga::command(arguments).end().expect_status(125);
        for expected in ["ring99", "pair", "solo", ".toml"] {
            assert!(ended.stderr.contains(expected), "no {expected:?}\n{}", ended.report());
        }
    }
    let ended = Renga::command(&["check", "no/such.toml"]).end().expect_status(125);
    assert!(ended.stderr.contains("no/such.toml"), "{}", ended.report());
}

#[test]
fn help_of_each_command_exists() {
    let text = Renga::command(&["--help"]).end().expect_status(0).text();
    for command in ["run", "test", "bench", "check", "image", "env"] {
        assert!(text.contains(&format!("\n  {command}")), "no {command} in\n{text}");
        let help = Renga::command(&[command, "--help"]).end().expect_status(0).text();
        assert!(help.contains("Usage:"), "{help}");
    }
}

#[test]
fn docs_without_mdbook_and_network_names_a_way_out() {
    let scratch = Scratch::new("docs");
    let [folder, no_cargo] = [scratch.join("root"), scratch.join("no-cargo")];
    fs::create_dir_all(&folder).expect("target/ can be written");
    std::os::unix::fs::symlink("/bin/false", &no_cargo).expect("target/ can be written");
    let [folder, no_cargo] = [folder, no_cargo].map(|path| path.to_str().expect("a plain name").to_string());
    let docs = Renga::command(&["docs"]).setting("RENGA_ROOT", &folder).setting("CARGO", &no_cargo);
    let ended = docs.setting("PATH", &folder).end().expect_status(125);
    for expected in ["cargo install mdbook", "PATH", "docs/SUMMARY.md"] {
        assert!(ended.stderr.contains(expected), "no {expected:?}\n{}", ended.report());
    }
}
