//! Names of tests and of types: a test says subject, case and expectation; a type's name stands for one idea.
//!
//! Not here: names of files and modules (`layout.rs`); words of the prose (`vocabulary.rs`).

use crate::expect_none;
use crate::lexer::words;
use crate::source::{RustSource, place, rust};
use std::collections::BTreeMap;

/// The fewest words that can name a subject, a case and an expectation.
const TEST_WORDS_MIN: usize = 3;
/// Words that begin a sentence instead of naming a subject.
const NO_SUBJECT: [&str; 31] = [
    "a", "an", "the", "who", "whoever", "what", "whatever", "which", "where", "when", "while", "if", "of", "on", "in",
    "at", "to", "from", "with", "without", "between", "nothing", "nobody", "no", "not", "nor", "so", "it", "they",
    "there", "only",
];

/// Names that several types share since they are one idea, each with the idea.
const SHARED: [(&str, &str); 10] = [
    ("Error", "what can go wrong in that crate"),
    ("Errno", "an error number of Linux, as the kernel returns and a program takes it"),
    ("Arena", "the arena of a board, and its stand-in under loom"),
    ("Frame", "a page frame, and its stand-in under loom"),
    ("Message", "what one message says, as words of a rendezvous and as a frame of the link's measurement"),
    ("Outcome", "how a measuring program of userland ends"),
    ("Page", "the bytes of a page"),
    ("SettingText", "the text of a service's settings, as long as it may be there"),
    ("SignalSet", "a set of signals, as the kernel's side and the programs have it"),
    ("Task", "what takes its time on a core, or on the pins' model"),
];

/// The names that follow `keyword`, and where.
fn named<'a>(code: &'a str, keyword: &str) -> Vec<(usize, &'a str)> {
    let name = |at: usize| {
        let rest = code[at + keyword.len()..].trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        (at, &rest[..end])
    };
    words(code, keyword).into_iter().map(name).filter(|(_, name)| !name.is_empty()).collect()
}

fn says_what_it_tests(name: &str) -> bool {
    let mut words = name.split('_');
    let subject = words.next().is_some_and(|first| !NO_SUBJECT.contains(&first));
    subject && name.split('_').count() >= TEST_WORDS_MIN
}

/// The names of a file's tests, and where.
fn tests(source: &RustSource) -> Vec<(usize, &str)> {
    let marks = source.code.match_indices("#[test]").map(|(at, mark)| at + mark.len());
    let first = |at: usize| named(&source.code[at..], "fn").first().map(|(offset, name)| (at + offset, *name));
    marks.filter_map(first).collect()
}

#[test]
fn test_names_say_subject_case_and_expectation() {
    let mut violations = Vec::new();
    for source in rust() {
        let sentences = tests(&source).into_iter().filter(|(_, name)| !says_what_it_tests(name));
        violations.extend(sentences.map(|(at, name)| format!("{}: {name}", place(&source.path, &source.text, at))));
    }
    expect_none("tests are named subject_case_expectation", violations);
}

#[test]
fn type_names_stand_for_one_idea() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in rust().into_iter().filter(|source| !source.path.contains("/tests/")) {
        let code = without_test_modules(&source);
        let aliases = named(code, "type").into_iter().filter(|(at, _)| is_of_module(code, *at));
        let types = ["struct", "enum", "union", "trait"].iter().flat_map(|keyword| named(code, keyword));
        for (at, name) in types.chain(aliases) {
            let at = place(&source.path, &source.text, at);
            if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                places.entry(name.to_string()).or_default().push(at);
            }
        }
    }
    let shared = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    let several = places.into_iter().filter(|(name, places)| places.len() > 1 && !shared(name));
    let violations: Vec<String> = several.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    expect_none("no two types share a name", violations);
}

/// Whether an alias stands at the left margin: one inside a trait or an `impl` belongs to that.
fn is_of_module(code: &str, at: usize) -> bool {
    code[..at].rsplit('\n').next().is_some_and(|before| before.is_empty() || before.starts_with("pub"))
}

/// What precedes a file's own tests.
fn without_test_modules(source: &RustSource) -> &str {
    if source.path.ends_with("tests.rs") {
        return "";
    }
    &source.code[..source.code.find("#[cfg(test)]\nmod tests").unwrap_or(source.code.len())]
}

#[test]
fn test_names_that_are_sentences_are_found() {
    assert!(says_what_it_tests("name_cache_unlink_revokes_entry"));
    assert!(!says_what_it_tests("what_is_written_is_read"));
    assert!(!says_what_it_tests("known_values"));
}
