//! What documents quote of the code is what the code says.
//!
//! A reference is `path:line` in backticks, and behind it in brackets an identifier of that line. A code block below a
//! line that ends in "From `path`:" is part of that file; a line of three dots stands for lines left out.

use crate::expect_none;
use crate::source::{place, root, texts};

/// Ends the line above a quoted block, behind the path.
const COLON: &str = "`:";
/// Begins what names a block's source.
const FROM: &str = "From `";
/// Stands for lines left out, behind a comment sign or none.
const LEFT_OUT: &str = "...";
/// The page all of whose code is compiled and tested.
const TUTORIAL: &str = "docs/tutorial.md";

/// Whether `word` is in `line`, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word)
        .any(|(at, _)| !inside(line[..at].chars().next_back()) && !inside(line[at + word.len()..].chars().next()))
}

/// What is wrong with the reference to line `number` of `path`, behind which `rest` follows.
fn wrong_reference(path: &str, number: usize, rest: &str) -> Option<String> {
    let rest = rest.trim_start().strip_prefix("(`").and_then(|rest| rest.split_once("`)"));
    let Some((identifier, _)) = rest else { return Some(format!("no (`identifier`) behind {path}:{number}")) };
    let Ok(code) = std::fs::read_to_string(root().join(path)) else { return Some(format!("no file {path}")) };
    let named = |line: &str| has_word(line, identifier);
    if number > 0 && code.lines().nth(number - 1).is_some_and(named) {
        return None;
    }
    let places: Vec<String> =
        (1..).zip(code.lines()).filter(|(_, line)| named(line)).map(|(n, _)| n.to_string()).collect();
    Some(format!("{path}:{number} has no `{identifier}`, which is in lines: {}", places.join(" ")))
}

/// A code block of a document.
struct Block<'t> {
    /// Where it begins.
    at: usize,
    language: &'t str,
    /// The file that it is from, if the line above says so.
    from: Option<&'t str>,
    body: Vec<&'t str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open, mut above, mut at): (Vec<Block<'_>>, bool, &str, usize) = (Vec::new(), false, "", 0);
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        match words.strip_prefix("```") {
            Some(_) if open => (open, above) = (false, ""),
            Some(language) => {
                let from = above.strip_suffix(COLON).and_then(|above| Some(above.rsplit_once(FROM)?.1));
                blocks.push(Block { at, language, from, body: Vec::new() });
                open = true;
            }
            None if open => blocks.last_mut().into_iter().for_each(|block| block.body.push(words)),
            None if words.is_empty() => {}
            None => above = words,
        }
        at += line.len();
    }
    blocks
}

/// Whether the parts of `body`, between lines left out, stand in `code` in this order.
fn is_quoted(body: &[&str], code: &str) -> bool {
    let code: Vec<&str> = code.lines().map(str::trim_end).collect();
    let mut from = 0;
    let is_left_out = |line: &&str| line.trim().trim_start_matches(['/', '#', ' ']) == LEFT_OUT;
    for part in body.split(is_left_out) {
        let lines = part.iter().skip_while(|line| line.is_empty()).copied().collect::<Vec<&str>>();
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let lines = &lines[..end];
        if lines.is_empty() {
            continue;
        }
        let found = code[from..].windows(lines.len()).position(|window| window == lines);
        let Some(found) = found else { return false };
        from += found + lines.len();
    }
    true
}

#[test]
fn reference_to_a_line_of_code_names_what_is_there() {
    let mut violations = Vec::new();
    for source in texts().into_iter().filter(|source| source.path.ends_with(".md")) {
        let mut at = 0;
        for (number, part) in source.text.split('`').enumerate() {
            let behind = at + part.len() + 1;
            let named = part.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
            if let (1, Some((path, line))) = (number % 2, named)
                && path.contains('/')
                && let Some(fault) = wrong_reference(path, line, &source.text[behind.min(source.text.len())..])
            {
                violations.push(format!("{}: {fault}", place(&source.path, &source.text, at)));
            }
            at = behind;
        }
    }
    expect_none("a reference of a document names what is in that line", violations);
}

#[test]
fn quoted_code_is_as_in_its_file() {
    let mut violations = Vec::new();
    for source in texts().into_iter().filter(|source| source.path.ends_with(".md")) {
        for block in blocks(&source.text) {
            let code = block.from.map(|from| (from, std::fs::read_to_string(root().join(from)).unwrap_or_default()));
            let fault = match code {
                Some((from, code)) if !is_quoted(&block.body, &code) => format!("{from} says something else"),
                None if source.path == TUTORIAL && ["rust", "toml"].contains(&block.language) => {
                    "the code names no file".to_string()
                }
                _ => continue,
            };
            violations.push(format!("{}: {fault}", place(&source.path, &source.text, block.at)));
        }
    }
    expect_none("a quoted block is part of the file that it names", violations);
}

#[test]
fn quotation_that_differs_is_seen() {
    let code = "fn one() {\n    two();\n    three();\n}\nfn four() {}\n";
    assert!(is_quoted(&["fn one() {", "    // ...", "    three();", "}", "", "..."], code));
    assert!(!is_quoted(&["    three();", "    ...", "    two();"], code), "in another order");
    assert!(!is_quoted(&["    two(1);"], code));
    assert!(has_word("pub fn read(&self)", "read") && !has_word("fn read_one()", "read"));
    let page = "Text. From `a/b.rs`:\n\n```rust\nx\n\ny\n```\n\nNo source:\n\n```sh\nz\n```\n";
    let found: Vec<_> = blocks(page).iter().map(|block| (block.language, block.from, block.body.len())).collect();
    assert_eq!(found, [("rust", Some("a/b.rs"), 3), ("sh", None, 1)]);
    assert!(wrong_reference("Cargo.toml", 1, " (`workspace`)").is_none());
    assert!(wrong_reference("Cargo.toml", 2, " (`workspace`)").is_some_and(|fault| fault.contains("lines: 1 ")));
    assert!(wrong_reference("Cargo.toml", 1, ", and so on").is_some());
    assert!(wrong_reference("no/such.rs", 1, " (`x`)").is_some());
}
