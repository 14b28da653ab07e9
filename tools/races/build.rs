//! Writes the text of `kernel/cores/src` and of `kernel/frames/src/state.rs` as modules over loom's atomics: as it is, and with each mistake; and over the
//! processor's, with those mistakes that ThreadSanitizer can see.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[allow(dead_code)]
#[path = "src/mistakes.rs"]
mod mistakes;

/// Crates of `kernel`, and files of theirs.
const FILES: [(&str, &str); 5] =
    [("cores", "letter"), ("cores", "inbox"), ("cores", "signal"), ("cores", "whereabouts"), ("frames", "state")];

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let kernel = here.join("../../kernel");
    for (package, file) in FILES {
        println!("cargo::rerun-if-changed={}", source(&kernel, package, file).display());
    }
    println!("cargo::rerun-if-changed=src/mistakes.rs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(renga_thread_sanitizer)");
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join("variants.rs"), searched(&here, &kernel)).expect("the output folder can be written");
    fs::write(folder.join("threads.rs"), threaded(&here, &kernel)).expect("the output folder can be written");
}

fn source(kernel: &Path, package: &str, file: &str) -> PathBuf {
    kernel.join(package).join("src").join(file).with_extension("rs")
}

/// All variants over loom's atomics.
fn searched(here: &Path, kernel: &Path) -> String {
    let scenarios = |name: &str| here.join("tests/races").join(name).with_extension("rs");
    let (letters, frames) = (scenarios("scenarios"), scenarios("frames"));
    let end = format!("#[path = {letters:?}]\npub mod scenarios;\n#[path = {frames:?}]\npub mod frames;\n");
    let over_loom = |text: String| text.replace("core::sync::atomic", "loom::sync::atomic").replace("const fn", "fn");
    let mut out = variant(kernel, "right", None, &end, over_loom);
    for mistake in mistakes::MISTAKES.into_iter().flatten() {
        out += &variant(kernel, mistake.name, Some(mistake), &end, over_loom);
    }
    let names = mistakes::MISTAKES.into_iter().flatten().map(|mistake| mistake.name);
    let plays = names.map(|name| format!("(\"{name}\", {name}::scenarios::play as fn(Scenario)),\n"));
    out += &format!("pub const WRONG: &[(&str, fn(Scenario))] = &[\n{}];\n", plays.collect::<String>());
    out
}

/// The right code, and the mistakes of [`mistakes::UNORDERED`], over the processor's atomics.
fn threaded(here: &Path, kernel: &Path) -> String {
    let end = format!("#[path = {:?}]\npub mod play;\n", here.join("tests/threads/play.rs"));
    let unordered = |mistake: &&mistakes::Mistake| mistakes::UNORDERED.contains(&mistake.name);
    let wrong: Vec<_> = mistakes::MISTAKES.into_iter().flatten().filter(unordered).collect();
    assert_eq!(wrong.len(), mistakes::UNORDERED.len(), "each of these is a mistake");
    let mut out = variant(kernel, "right", None, &end, |text| text);
    let mut plays = "(\"right\", right::play::play as fn()),\n".to_string();
    for mistake in wrong {
        out += &variant(kernel, mistake.name, Some(mistake), &end, |text| text);
        plays += &format!("(\"{0}\", {0}::play::play as fn()),\n", mistake.name);
    }
    out + &format!("pub const ALL: &[(&str, fn())] = &[\n{plays}];\n")
}

/// A module with the files, at most one mistake, and what `end` says.
fn variant(
    kernel: &Path,
    name: &str,
    mistake: Option<&mistakes::Mistake>,
    end: &str,
    atomics: impl Fn(String) -> String,
) -> String {
    let mut out = format!("pub mod {name} {{\n");
    for (package, file) in FILES {
        let mut text = fs::read_to_string(source(kernel, package, file)).expect("the crate has this file");
        if let Some(mistake) = mistake.filter(|mistake| mistake.file == file) {
            let found = text.matches(mistake.right).count();
            assert!(found == 1, "{name}: `{}` stands {found} times in {file}.rs", mistake.right);
            text = text.replace(mistake.right, mistake.wrong);
        }
        let text = atomics(text).replace("crate::", "super::");
        write!(out, "mod {file} {{\n{text}\n}}\n").expect("a String takes all text");
    }
    let uses = "pub use inbox::{Bell, Inbox};\npub use letter::{Held, Letter};\npub use signal::Signal;\npub use whereabouts::Whereabouts;\npub use state::{FrameState, Kind, Refused};";
    out + &format!("{uses}\n{end}}}\n")
}
