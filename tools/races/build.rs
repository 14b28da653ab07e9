//! Writes the text of `kernel/cores/src` as modules over loom's atomics: as it is, and with each mistake; and over the
//! processor's, with those mistakes that ThreadSanitizer can see.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[allow(dead_code)]
#[path = "src/mistakes.rs"]
mod mistakes;

const FILES: [&str; 4] = ["letter", "inbox", "signal", "whereabouts"];

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let cores = here.join("../../kernel/cores/src");
    println!("cargo::rerun-if-changed={}", cores.display());
    println!("cargo::rerun-if-changed=src/mistakes.rs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(renga_thread_sanitizer)");
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join("variants.rs"), searched(&here, &cores)).expect("the output folder can be written");
    fs::write(folder.join("threads.rs"), threaded(&here, &cores)).expect("the output folder can be written");
}

/// All variants over loom's atomics.
fn searched(here: &Path, cores: &Path) -> String {
    let scenarios = here.join("tests/races/scenarios.rs");
    let end = format!("#[path = {scenarios:?}]\npub mod scenarios;\n");
    let over_loom = |text: String| text.replace("core::sync::atomic", "loom::sync::atomic").replace("const fn", "fn");
    let mut out = variant(cores, "right", None, &end, over_loom);
    for mistake in mistakes::MISTAKES.into_iter().flatten() {
        out += &variant(cores, mistake.name, Some(mistake), &end, over_loom);
    }
    let names = mistakes::MISTAKES.into_iter().flatten().map(|mistake| mistake.name);
    let plays = names.map(|name| format!("(\"{name}\", {name}::scenarios::play as fn(Scenario)),\n"));
    out += &format!("pub const WRONG: &[(&str, fn(Scenario))] = &[\n{}];\n", plays.collect::<String>());
    out
}

/// The right code, and the mistakes of [`mistakes::UNORDERED`], over the processor's atomics.
fn threaded(here: &Path, cores: &Path) -> String {
    let end = format!("#[path = {:?}]\npub mod play;\n", here.join("tests/threads/play.rs"));
    let unordered = |mistake: &&mistakes::Mistake| mistakes::UNORDERED.contains(&mistake.name);
    let wrong: Vec<_> = mistakes::MISTAKES.into_iter().flatten().filter(unordered).collect();
    assert_eq!(wrong.len(), mistakes::UNORDERED.len(), "each of these is a mistake");
    let mut out = variant(cores, "right", None, &end, |text| text);
    let mut plays = "(\"right\", right::play::play as fn()),\n".to_string();
    for mistake in wrong {
        out += &variant(cores, mistake.name, Some(mistake), &end, |text| text);
        plays += &format!("(\"{0}\", {0}::play::play as fn()),\n", mistake.name);
    }
    out + &format!("pub const ALL: &[(&str, fn())] = &[\n{plays}];\n")
}

/// A module with the files, at most one mistake, and what `end` says.
fn variant(
    cores: &Path,
    name: &str,
    mistake: Option<&mistakes::Mistake>,
    end: &str,
    atomics: impl Fn(String) -> String,
) -> String {
    let mut out = format!("pub mod {name} {{\n");
    for file in FILES {
        let mut text = fs::read_to_string(cores.join(file).with_extension("rs")).expect("the crate has this file");
        if let Some(mistake) = mistake.filter(|mistake| mistake.file == file) {
            let found = text.matches(mistake.right).count();
            assert!(found == 1, "{name}: `{}` stands {found} times in {file}.rs", mistake.right);
            text = text.replace(mistake.right, mistake.wrong);
        }
        let text = atomics(text).replace("crate::", "super::");
        write!(out, "mod {file} {{\n{text}\n}}\n").expect("a String takes all text");
    }
    let uses = "pub use inbox::{Bell, Inbox};\npub use letter::{Held, Letter};\npub use signal::Signal;\npub use whereabouts::Whereabouts;";
    out + &format!("{uses}\n{end}}}\n")
}
