//! The rules of the code that a machine can check, one test each.
//!
//! Invariant: a message names the file, the line and the rule, so that it can be mended without reading this. Not here:
//! the code's behaviour (the other tests); rules that only a person can check (`docs/testing.md` lists them).

mod arrows;
mod book;
mod circles;
mod claims;
mod documents;
mod draws;
mod formatting;
mod layout;
mod lexer;
mod machine_paths;
mod metadata;
mod names;
mod prose;
mod quotations;
mod size;
mod source;
mod unsafe_code;
mod vocabulary;

/// Fails the test with one line for each violation.
fn expect_none(rule: &str, violations: Vec<String>) {
    let count = violations.len();
    assert!(count == 0, "{count} violations of the rule: {rule}\n  {}\n", violations.join("\n  "));
}
