//! How long things may be.

use crate::expect_none;
use crate::lexer::{closing, words};
use crate::source::{RustSource, place, root, rust};
use std::fs;

const FILE_LINES_MAX: usize = 400;
/// As `too-many-lines-threshold` of clippy.toml, which counts in the same way: lines with code.
const FUNCTION_LINES_MAX: usize = 70;
const LINE_CHARACTERS_MAX: usize = 120;
/// The kernel without hardware, without tests and what only host programs have.
const CORE_LINES_MAX: usize = 4000;
/// What cores share.
const SYNC_LINES_MAX: usize = 900;

#[test]
fn files_are_short() {
    let length = |source: &RustSource| source.text.lines().count();
    let long = rust().into_iter().filter(|source| length(source) > FILE_LINES_MAX);
    expect_none(
        "a file has at most 400 lines",
        long.map(|source| format!("{}: {} lines", source.path, length(&source))).collect(),
    );
}

#[test]
fn functions_are_short() {
    let mut violations = Vec::new();
    for source in rust() {
        for (at, lines) in functions(&source).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES_MAX) {
            violations.push(format!("{}: {lines} lines", place(&source.path, &source.text, at)));
        }
    }
    expect_none("a function has at most 70 lines of code", violations);
}

/// Where functions begin, and how many lines of code their bodies have.
fn functions(source: &RustSource) -> Vec<(usize, usize)> {
    let code = &source.code;
    let body = |at: usize| {
        let name = code[at + 2..].trim_start();
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None; // a type, or a macro's variable
        }
        let open = body_start(code, at)?;
        let lines = code[open..closing(code, open)].lines().filter(|line| !line.trim().is_empty()).count();
        Some((at, lines.saturating_sub(1)))
    };
    words(code, "fn").into_iter().filter_map(body).collect()
}

/// The brace that opens the body of the function at `at`; none for a declaration.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        match code.as_bytes().get(at)? {
            b'{' => return Some(at),
            b';' => return None,
            b'(' | b'[' => at = closing(code, at),
            _ => {}
        }
        at += 1;
    }
}

/// `max_width` of rustfmt.toml, which leaves comments as they are. Rows of tables may be longer.
#[test]
fn comment_lines_are_as_short_as_code() {
    let text = fs::read_to_string(root().join("rustfmt.toml")).expect("rustfmt.toml is there");
    assert!(text.contains(&format!("max_width = {LINE_CHARACTERS_MAX}")), "rustfmt.toml: {text}");
    let is_long = |line: &str| {
        let comment = line.trim_start();
        let words = comment.trim_start_matches(['/', '!', ' ']);
        comment.starts_with("//") && !words.starts_with('|') && line.chars().count() > LINE_CHARACTERS_MAX
    };
    let mut violations = Vec::new();
    for source in rust() {
        let long = source.text.lines().enumerate().filter(|(_, line)| is_long(line));
        violations.extend(long.map(|(number, _)| format!("{}:{}", source.path, number + 1)));
    }
    expect_none("a line of a comment has at most 120 characters", violations);
}

#[test]
fn clippy_knows_the_limit() {
    let text = fs::read_to_string(root().join("clippy.toml")).expect("clippy.toml is there");
    assert!(text.contains(&format!("too-many-lines-threshold = {FUNCTION_LINES_MAX}")), "clippy.toml: {text}");
}

#[test]
fn core_lines_stay_under_limit() {
    for (folder, lines_max) in [("kernel/core", CORE_LINES_MAX), ("kernel/sync", SYNC_LINES_MAX)] {
        let lines = board_lines(&format!("{folder}/src/"));
        println!("{folder}: {lines} lines");
        assert!(lines < lines_max, "{folder}/src has {lines} lines; it stays under {lines_max}");
    }
}

/// Lines of the files of a folder that have something for boards.
fn board_lines(folder: &str) -> usize {
    let on_boards = |source: &RustSource| !source.board_code.trim().is_empty();
    let own = rust().into_iter().filter(|source| source.path.starts_with(folder) && on_boards(source));
    own.map(|source| source.text.lines().count()).sum()
}
