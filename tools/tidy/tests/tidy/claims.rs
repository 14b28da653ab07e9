//! A test verifies each claim of the book, and each `Holds:` of a test names an existing claim.
//!
//! A test says `/// Holds: ID, ID.` in its doc comment, a test script `# Holds: ID.`; the claims are the rows of
//! `docs/reference/claims.md`. A row says `(long test)` exactly if every test of its claim is `#[ignore]`d. Not here:
//! whether a test really checks its claim; a reviewer decides that.

use crate::expect_none;
use crate::source::{Source, place, root, texts};
use std::collections::BTreeMap;

const PAGE: &str = "docs/reference/claims.md";
const LONG: &str = "(long test)";

/// The claims of the page: the first cell of each row, in backticks; and whether the row says that its tests are long.
fn claims(page: &str) -> BTreeMap<String, bool> {
    let cell = |line: &str| Some((line.strip_prefix("| `")?.split_once('`')?.0.to_string(), line.contains(LONG)));
    page.lines().filter_map(cell).collect()
}

/// A claim that a test names, where, and whether the test is a long one.
struct Mark {
    id: String,
    place: String,
    is_long: bool,
}

/// The marks of a file; an error for a mark that is at no test.
fn marks(source: &Source) -> Vec<Result<Mark, String>> {
    let (mark, is_rust) = if source.path.ends_with(".rs") { ("/// Holds: ", true) } else { ("# Holds: ", false) };
    let mut marks = Vec::new();
    for (at, _) in source.text.match_indices(mark) {
        if !source.text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty()) {
            continue; // in the middle of a line
        }
        let place = place(&source.path, &source.text, at);
        let mut lines = source.text[at..].lines();
        let ids = lines.next().unwrap_or_default()[mark.len()..].trim_end_matches('.');
        let above = lines.map(str::trim).take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        let attributes: Vec<&str> = above.collect();
        if is_rust && !attributes.contains(&"#[test]") {
            marks.push(Err(format!("{place}: no test follows")));
        }
        let is_long = attributes.iter().any(|line| line.starts_with("#[ignore"));
        marks.extend(ids.split(", ").map(|id| Ok(Mark { id: id.to_string(), place: place.clone(), is_long })));
    }
    marks
}

/// What is wrong between the claims and the tests.
fn faults(claims: &BTreeMap<String, bool>, sources: &[Source]) -> Vec<String> {
    // Whether all tests of a claim are long.
    let (mut faults, mut tested) = (Vec::new(), BTreeMap::<String, bool>::new());
    for found in sources.iter().flat_map(marks) {
        match found {
            Err(fault) => faults.push(fault),
            Ok(Mark { id, is_long, .. }) if claims.contains_key(&id) => *tested.entry(id).or_insert(true) &= is_long,
            Ok(Mark { id, place, .. }) => faults.push(format!("{place}: {PAGE} has no claim `{id}`")),
        }
    }
    faults.extend(claims.iter().filter_map(|(id, says_long)| match tested.get(id) {
        None => Some(format!("{PAGE}: no test holds `{id}`")),
        Some(is_long) if is_long != says_long => Some(format!("{PAGE}: `{id}` is to say {LONG}: {is_long}")),
        Some(_) => None,
    }));
    faults
}

#[test]
fn claims_and_tests_name_each_other() {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("the page of claims is there");
    let is_test = |source: &Source| source.path.ends_with(".rs") || source.path.ends_with(".sh");
    // This file has marks that stand for no claim.
    let sources: Vec<Source> =
        texts().into_iter().filter(|source| is_test(source) && !source.path.ends_with("tidy/claims.rs")).collect();
    expect_none("a claim has a test, and a test holds claims that are there", faults(&claims(&page), &sources));
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
    let ignored = "/// Holds: one.\n#[test]\n#[ignore = \"long\"]\nfn a() {}\n/// Holds: two.\n#[test]\nfn b() {}\n";
    assert_eq!(faults(&known, &file(ignored)), [format!("{PAGE}: `one` is to say {LONG}: true")]);
    let both = claims("| `one` | One (long test). |\n| `two` | Two. |\n");
    assert!(faults(&both, &file(ignored)).is_empty());
    let short = faults(&both, &file("/// Holds: one, two.\n#[test]\nfn a() {}\n"));
    assert_eq!(short, [format!("{PAGE}: `one` is to say {LONG}: false")]);
}
