//! Words that have no place in the repository.

use crate::judge;
use crate::source::{Source, place, texts};

/// Folders of the machines on which this was written; a disk image too has a home of root.
const MACHINE_PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/."), concat!("/ho", "me/")];
/// How the text came about is not part of it. Compared without case, as whole words.
const MAKING: [&str; 9] = [
    concat!("sub", "agent"),
    concat!("sub", "agents"),
    concat!("sub-", "agent"),
    concat!("helper ", "agent"),
    concat!("cl", "aude"),
    concat!("anth", "ropic"),
    concat!("chat", "gpt"),
    concat!("language ", "model"),
    concat!("ll", "m"),
];
/// As `MAKING`, with case.
const MAKING_EXACT: [&str; 1] = [concat!("A", "I")];
/// Whose addresses may be named.
const PUBLIC_SITES: [&str; 17] = [
    "apache.org",
    "arm.com",
    "crates.io",
    "debian.org",
    "docs.rs",
    "fsf.org",
    "github.com",
    "gnu.org",
    "kernel.org",
    "opensource.org",
    "perfetto.dev",
    "qemu.org",
    "raspberrypi.com",
    "rust-lang.org",
    "rustup.rs",
    "usenix.org",
    "w3.org",
];

fn written() -> impl Iterator<Item = Source> {
    texts().into_iter().filter(|source| source.path != "Cargo.lock")
}

fn whole(text: &str, at: usize, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !letter(text[..at].chars().next_back()) && !letter(text[at + word.len()..].chars().next())
}

#[test]
fn no_paths_of_one_machine() {
    let mut violations = Vec::new();
    for source in written() {
        for path in MACHINE_PATHS {
            let found = source.text.match_indices(path).map(|(at, _)| at);
            // Inside a longer path it is somebody's folder below another.
            let absolute = found
                .filter(|at| !source.text[..*at].ends_with(|c: char| c.is_alphanumeric() || "._-}$~)".contains(c)));
            violations.extend(absolute.map(|at| format!("{}: {path}", place(&source.path, &source.text, at))));
        }
    }
    judge("no absolute paths of one machine", violations);
}

#[test]
fn nothing_about_how_it_was_made() {
    let mut violations = Vec::new();
    for source in written() {
        let lower = source.text.to_ascii_lowercase();
        for (text, words) in [(&lower, &MAKING[..]), (&source.text, &MAKING_EXACT[..])] {
            for word in words {
                let found = text.match_indices(word).map(|(at, _)| at).filter(|at| whole(text, *at, word));
                violations.extend(found.map(|at| format!("{}: {word}", place(&source.path, &source.text, at))));
            }
        }
    }
    judge("the text is about the system, not about how it was made", violations);
}

#[test]
fn only_public_addresses() {
    let mut violations = Vec::new();
    for source in written() {
        for (at, scheme) in source.text.match_indices("://") {
            let rest = &source.text[at + scheme.len()..];
            let host = rest.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-').next().unwrap_or("");
            let public = |site: &str| host == site || host.ends_with(&format!(".{site}"));
            if host.contains('.') && !PUBLIC_SITES.iter().any(|site| public(site)) {
                violations.push(format!("{}: {host}", place(&source.path, &source.text, at)));
            }
        }
    }
    judge("addresses are those of public sites, not of one place's mirrors", violations);
}
