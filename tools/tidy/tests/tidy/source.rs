//! The files of the repository, and what in them is for tests only.
//!
//! Invariant: paths are relative to the root, with `/`. Generated and fetched files (`target`, `.git`)
//! are not sources.

use crate::lexer::{closing, code_only};
use std::fs;
use std::path::{Path, PathBuf};

/// A text file.
pub struct Source {
    /// Where.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// A Rust file.
pub struct RustSource {
    /// Where.
    pub path: String,
    /// What it says.
    pub text: String,
    /// The same, comments and strings blanked.
    pub code: String,
    /// The same, and items that only tests or host programs have blanked too.
    pub board_code: String,
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// `path:line` of byte `at` of `text`.
pub fn place(path: &str, text: &str, at: usize) -> String {
    format!("{path}:{}", text[..at].matches('\n').count() + 1)
}

/// All text files.
pub fn texts() -> Vec<Source> {
    let (root, mut found) = (root(), Vec::new());
    walk(&root, &root, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let entry = entry.expect("a folder can be read to its end");
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().expect("an entry has a type");
        if kind.is_dir() && name != "target" && name != ".git" {
            walk(root, &path, found);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            let path = path.strip_prefix(root).expect("inside the root").to_string_lossy().replace('\\', "/");
            found.push(Source { path, text });
        }
    }
}

/// All Rust files that are not generated.
pub fn rust() -> Vec<RustSource> {
    let written = |source: &Source| source.path.ends_with(".rs") && !source.path.contains("/tests/golden/");
    let mut sources: Vec<RustSource> = texts().into_iter().filter(written).map(read).collect();
    let gated: Vec<String> = sources.iter().flat_map(gated_modules).collect();
    for source in &mut sources {
        let is_gated =
            |module: &String| source.path == format!("{module}.rs") || source.path.starts_with(&format!("{module}/"));
        if source.path.contains("/tests/") || gated.iter().any(is_gated) {
            source.board_code = source.code.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        }
    }
    sources
}

fn read(source: Source) -> RustSource {
    let code = code_only(&source.text);
    let mut board_code = code.clone().into_bytes();
    for (start, end) in gated_items(&source.text, &code) {
        board_code[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    let board_code = String::from_utf8(board_code).expect("only ASCII was changed");
    RustSource { path: source.path, text: source.text, code, board_code }
}

/// Items under a condition that no board meets: from the attribute to the item's end.
fn gated_items(text: &str, code: &str) -> Vec<(usize, usize)> {
    let host_only = |attribute: &str| {
        let named =
            ["(test", " test", "\"host\"", "\"loopback\"", "\"facts\""].iter().any(|name| attribute.contains(name));
        named && !attribute.contains("not(")
    };
    let mut items = Vec::new();
    for (start, _) in code.match_indices("#[cfg(") {
        let attribute_end = closing(code, start + 1) + 1;
        if host_only(&text[start..attribute_end]) {
            items.push((start, item_end(code, attribute_end)));
        }
    }
    items
}

/// The end of the item that begins at `from`: its `;`, or the end of its braces.
fn item_end(code: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = code.as_bytes().get(at) {
        match byte {
            b';' => return at + 1,
            b'{' => return (closing(code, at) + 1).min(code.len()),
            b'(' | b'[' => at = closing(code, at),
            _ => {}
        }
        at += 1;
    }
    code.len()
}

/// The files, without `.rs`, of modules that are declared under such a condition.
fn gated_modules(source: &RustSource) -> Vec<String> {
    let mut modules = Vec::new();
    for (start, end) in gated_items(&source.text, &source.code) {
        let item = source.code[start..end].trim_end_matches(';');
        if let Some((_, name)) = item.rsplit_once("mod ")
            && !name.contains('{')
        {
            modules.push(format!("{}/{}", module_folder(&source.path), name.trim()));
        }
    }
    modules
}

/// Where the submodules of a file are.
fn module_folder(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_string(),
        _ => path.trim_end_matches(".rs").to_string(),
    }
}
