//! Every rule refuses its bad file with its exact message.
//!
//! `RENGA_BLESS=1 cargo test -p renga-placement` rewrites the messages; read them before you commit them.

mod kinds;

use renga_placement::{SYSTEM_NAME_BYTES_MAX, check, parse};
use std::fs;
use std::path::{Path, PathBuf};

fn message(text: &str) -> String {
    let change = text.lines().next().and_then(|line| line.strip_prefix("# kinds: ")).unwrap_or("");
    let checked = parse(text).and_then(|system| check(&system, &kinds::changed(change)));
    match checked {
        Ok(_) => "accepted\n".into(),
        Err(error) => format!("{error}\n"),
    }
}

fn bad_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

/// Holds: placement-refused.
#[test]
fn bad_system_files_are_refused_with_message() {
    let mut wrong = Vec::new();
    for file in bad_files() {
        let found = message(&fs::read_to_string(&file).unwrap());
        let expected_file = file.with_extension("message");
        if std::env::var_os("RENGA_BLESS").is_some() {
            fs::write(&expected_file, &found).unwrap();
        }
        let expected = fs::read_to_string(&expected_file).unwrap_or_default();
        if found != expected || found == "accepted\n" {
            wrong.push(format!("{}:\nexpected: {expected}found: {found}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Its message does not repeat all of it; and the longest name that is accepted reaches the boards whole.
/// Holds: placement-refused.
#[test]
fn system_name_of_wrong_length_or_letters_is_refused_in_short() {
    let base =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad/bad-system-name.toml")).unwrap();
    let named = |name: &str| message(&base.replace(&"p".repeat(33), name));
    for name in
        ["x".repeat(5_000), "x".repeat(256), String::new(), "two words".into(), "caf\u{e9}".into(), "a/b".into()]
    {
        let found = named(&name);
        assert!(found.contains("cannot be the name of a system") && found.len() < 200, "{found}");
    }
    let longest = base.replace(&"p".repeat(33), &"p".repeat(SYSTEM_NAME_BYTES_MAX));
    let checked = parse(&longest).and_then(|system| check(&system, &kinds::changed(""))).unwrap();
    assert_eq!(checked.name.len(), SYSTEM_NAME_BYTES_MAX);
}

/// A variant of the error enum without a bad file is an untested rule.
/// Holds: placement-refused.
#[test]
fn bad_system_file_exists_for_each_error() {
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/error.rs")).unwrap();
    let variants = source.matches("#[error(").count();
    let mut seen: Vec<String> = Vec::new();
    for file in bad_files() {
        let text = fs::read_to_string(&file).unwrap();
        let change = text.lines().next().and_then(|line| line.strip_prefix("# kinds: ")).unwrap_or("");
        let error = parse(&text).and_then(|system| check(&system, &kinds::changed(change))).unwrap_err();
        let debug = format!("{error:?}");
        let variant = debug.split([' ', '{', '(']).next().unwrap().to_string();
        if !seen.contains(&variant) {
            seen.push(variant);
        }
    }
    assert_eq!(seen.len(), variants, "variants with a bad file: {seen:?}");
}
