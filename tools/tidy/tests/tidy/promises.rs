//! What documents promise is held by tests: the table in `docs/testing.md` against both.
//!
//! Not here: whether a test really holds its promise, and promises that the table does not name.

use crate::judge;
use crate::source::{root, texts};
use std::collections::{BTreeSet, HashSet};

const TABLE: &str = "docs/testing.md";
const HEADING: &str = "## What is promised, and which test holds it";
/// Begins what stands in the place of a test.
const NO_TEST: &str = "no test: ";
/// Documents that explain or list, and promise nothing.
const PROMISE_NOTHING: [&str; 3] = ["docs/glossary.md", "docs/unsafe.md", "docs/testing.md"];

struct Row {
    document: String,
    words: String,
    tests: String,
}

/// The rows below each `### [document](link)`.
fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join(TABLE)).expect("the table is there");
    let (_, table) = text.split_once(HEADING).expect("the table has its heading");
    let (mut document, mut rows) = (String::new(), Vec::new());
    for line in table.lines() {
        if let Some(link) = line.strip_prefix("### ").and_then(|title| title.split_once("](")) {
            document = place_of(link.1.trim_end_matches(')'));
        }
        let cells = line.strip_prefix("| ").and_then(|cells| cells.trim_end_matches(" |").split_once(" | "));
        if let Some((words, tests)) = cells.filter(|&(words, _)| words != "Promise") {
            rows.push(Row { document: document.clone(), words: words.into(), tests: tests.into() });
        }
    }
    rows
}

/// The place in the repository of what a file in `docs` links to.
fn place_of(link: &str) -> String {
    link.strip_prefix("../").map_or_else(|| format!("docs/{link}"), String::from)
}

/// The functions that are tests.
fn tests() -> HashSet<String> {
    let mut tests = HashSet::new();
    for source in texts().iter().filter(|source| source.path.ends_with(".rs")) {
        for (at, mark) in source.text.match_indices("#[test]\n") {
            let rest = &source.text[at + mark.len()..];
            let name = rest.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
            tests.extend(name.map(|(name, _)| name.to_string()));
        }
    }
    tests
}

fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is wrong with a row.
fn faults(row: &Row, tests: &HashSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let text = std::fs::read_to_string(root().join(&row.document)).unwrap_or_default();
    if !flowing(&text).contains(&row.words) {
        faults.push(format!("{} does not say: {}", row.document, row.words));
    }
    if row.tests.strip_prefix(NO_TEST).is_some_and(|reason| !reason.is_empty()) {
        return faults;
    }
    let named: Vec<&str> = row.tests.split(", ").map(|name| name.trim_matches('`')).collect();
    let is_there = |name: &str| tests.contains(name) || (name.ends_with(".sh") && root().join(name).exists());
    let gone = named.iter().filter(|name| !is_there(name));
    faults.extend(gone.map(|name| format!("{}: there is no test {name}", row.words)));
    faults
}

#[test]
fn promises_are_kept() {
    let (rows, tests) = (rows(), tests());
    let mut violations: Vec<String> = rows.iter().flat_map(|row| faults(row, &tests)).collect();
    let promising: BTreeSet<&str> = rows.iter().map(|row| row.document.as_str()).collect();
    let documents = texts().into_iter().map(|source| source.path).filter(|path| path.ends_with(".md"));
    for path in documents.filter(|path| path == "README.md" || path.starts_with("docs/")) {
        let silent = path.starts_with("docs/decisions/") || PROMISE_NOTHING.contains(&path.as_str());
        if !silent && !promising.contains(path.as_str()) {
            violations.push(format!("{path} has no row in {TABLE}"));
        }
    }
    judge("what documents promise is held by tests that exist", violations);
}

#[test]
fn a_promise_without_its_words_or_its_test_is_seen() {
    let tests = tests();
    let row = |words: &str, tests: &str| Row { document: "README.md".into(), words: words.into(), tests: tests.into() };
    assert!(faults(&row("Renga is a distributed operating system", "`promises_are_kept`"), &tests).is_empty());
    assert!(faults(&row("Renga is a distributed operating system", "no test: tried by hand"), &tests).is_empty());
    assert_eq!(faults(&row("Renga makes coffee", "`promises_are_kept`"), &tests).len(), 1);
    assert_eq!(faults(&row("Renga is a distributed operating system", "`promises_are_made`"), &tests).len(), 1);
    assert_eq!(faults(&row("Renga makes coffee", "no test: "), &tests).len(), 2);
}
