//! Each claim of the book is held by a test, and each test that holds a claim names one that is there.
//!
//! A test says `/// Holds: ID, ID.` in its doc comment, a test script `# Holds: ID.`; the claims are the rows of
//! `docs/reference/claims.md`. Not here: whether a test really looks at what it says to hold; a reviewer judges that.

use crate::judge;
use crate::source::{Source, place, root, texts};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = "docs/reference/claims.md";

/// The claims of the page: the first cell of each row, in backticks.
fn claims(page: &str) -> BTreeSet<String> {
    let cell = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_string());
    page.lines().filter_map(cell).collect()
}

/// The claims that a file's tests hold, with their places; an error for a mark that is at no test.
fn held(source: &Source) -> Vec<Result<(String, String), String>> {
    let (mark, is_rust) = if source.path.ends_with(".rs") { ("/// Holds: ", true) } else { ("# Holds: ", false) };
    let mut held = Vec::new();
    for (at, _) in source.text.match_indices(mark) {
        if !source.text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty()) {
            continue; // in the middle of a line
        }
        let where_ = place(&source.path, &source.text, at);
        let mut lines = source.text[at..].lines();
        let ids = lines.next().unwrap_or_default()[mark.len()..].trim_end_matches('.');
        let is_test = lines.map(str::trim).take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        if is_rust && !is_test.into_iter().any(|line| line == "#[test]") {
            held.push(Err(format!("{where_}: no test follows")));
        }
        held.extend(ids.split(", ").map(|id| Ok((id.to_string(), where_.clone()))));
    }
    held
}

/// What is wrong between the claims and the tests.
fn faults(claims: &BTreeSet<String>, sources: &[Source]) -> Vec<String> {
    let (mut faults, mut tests) = (Vec::new(), BTreeMap::<String, usize>::new());
    for found in sources.iter().flat_map(held) {
        match found {
            Err(fault) => faults.push(fault),
            Ok((id, _)) if claims.contains(&id) => *tests.entry(id).or_default() += 1,
            Ok((id, where_)) => faults.push(format!("{where_}: {PAGE} has no claim `{id}`")),
        }
    }
    let bare = claims.iter().filter(|id| !tests.contains_key(*id));
    faults.extend(bare.map(|id| format!("{PAGE}: no test holds `{id}`")));
    faults
}

#[test]
fn claims_and_tests_name_each_other() {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("the page of claims is there");
    let is_test = |source: &Source| source.path.ends_with(".rs") || source.path.ends_with(".sh");
    // This file has marks that stand for no claim.
    let sources: Vec<Source> =
        texts().into_iter().filter(|source| is_test(source) && !source.path.ends_with("tidy/claims.rs")).collect();
    judge("a claim has a test, and a test holds claims that are there", faults(&claims(&page), &sources));
}

#[test]
fn claims_without_a_test_or_the_reverse_are_found() {
    let known = claims("# Claims\n\n| Claim | |\n|---|---|\n| `one` | One. |\n| `two` | Two. |\n");
    let file = |text: &str| vec![Source { path: "a.rs".into(), text: text.into() }];
    assert!(faults(&known, &file("/// Holds: one, two.\n#[cfg(x)]\n#[test]\nfn a() {}\n")).is_empty());
    assert_eq!(
        faults(&known, &file("/// Holds: one.\n#[test]\nfn a() {}\n")),
        [format!("{PAGE}: no test holds `two`")]
    );
    let unknown = faults(&known, &file("/// Holds: one, two, three.\n#[test]\nfn a() {}\n"));
    assert_eq!(unknown, [format!("a.rs:1: {PAGE} has no claim `three`")]);
    assert_eq!(faults(&known, &file("/// Holds: one, two.\nfn a() {}\n")), ["a.rs:1: no test follows"]);
}
