//! Writes the text of [`FILES`] as modules over loom's atomics: as it is, and with each mutant; and over the
//! processor's, with those mutants that ThreadSanitizer can see. Of a variant with a mutant only the scenario that
//! finds it is called, so that nothing else of it is compiled.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[allow(dead_code)]
#[path = "src/mutants.rs"]
mod mutants;

/// Folders of sources, and files there.
const FILES: [(&str, &str); 6] = [
    ("kernel/sync/src", "message"),
    ("kernel/sync/src", "mailbox"),
    ("kernel/sync/src", "event_flags"),
    ("kernel/sync/src", "call_location"),
    ("kernel/sync/src", "frame_state"),
    ("sysprocs/memory/src", "frame_counts"),
];

/// What is taken from other crates, and what stands for it.
const STAND_INS: [(&str, &str); 2] = [
    ("renga_hal::memory::Frame", "renga_races::stand_ins::Frame"),
    ("renga_rt::Arena", "renga_races::stand_ins::Arena"),
];

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = here.join("../..");
    for (sources, file) in FILES {
        println!("cargo::rerun-if-changed={}", source(&root, sources, file).display());
    }
    println!("cargo::rerun-if-changed=src/mutants.rs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(renga_thread_sanitizer)");
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join("variants.rs"), searched(&here, &root)).expect("the output folder can be written");
    fs::write(folder.join("threads.rs"), threaded(&here, &root)).expect("the output folder can be written");
}

fn source(root: &Path, sources: &str, file: &str) -> PathBuf {
    root.join(sources).join(file).with_extension("rs")
}

/// All variants over loom's atomics.
fn searched(here: &Path, root: &Path) -> String {
    let scenarios = |name: &str| here.join("tests/races").join(name).with_extension("rs");
    let (messages, frames) = (scenarios("scenarios"), scenarios("frames"));
    let end = format!("#[path = {messages:?}]\npub mod scenarios;\n#[path = {frames:?}]\npub mod frames;\n");
    let over_loom = |text: String| text.replace("core::sync::atomic", "loom::sync::atomic").replace("const fn", "fn");
    let mut out = variant(root, "right", None, &end, over_loom);
    let plays = mutants::Scenario::ALL.map(|scenario| play("right", scenario));
    out += &format!("pub const RIGHT: [fn(); {}] = [\n{}];\n", plays.len(), plays.concat());
    for mutant in mutants::MUTANTS.into_iter().flatten() {
        out += &variant(root, mutant.name, Some(mutant), &end, over_loom);
    }
    let plays: Vec<_> =
        mutants::MUTANTS.into_iter().flatten().map(|mutant| play(mutant.name, mutant.found_by)).collect();
    out + &format!("pub const WRONG: [fn(); {}] = [\n{}];\n", plays.len(), plays.concat())
}

/// An item of a list: what plays `scenario` over a variant.
fn play(variant: &str, scenario: mutants::Scenario) -> String {
    format!("{variant}::{},\n", scenario.function())
}

/// The right code, and the mutants of [`mutants::UNORDERED`], over the processor's atomics.
fn threaded(here: &Path, root: &Path) -> String {
    let end = format!("#[path = {:?}]\npub mod play;\n", here.join("tests/threads/play.rs"));
    let unordered = |mutant: &&mutants::RaceMutant| mutants::UNORDERED.contains(&mutant.name);
    let wrong: Vec<_> = mutants::MUTANTS.into_iter().flatten().filter(unordered).collect();
    assert_eq!(wrong.len(), mutants::UNORDERED.len(), "each of these is a mutant");
    let mut out = variant(root, "right", None, &end, |text| text);
    let mut plays = "(\"right\", right::play::play as fn()),\n".to_string();
    for mutant in wrong {
        out += &variant(root, mutant.name, Some(mutant), &end, |text| text);
        plays += &format!("(\"{0}\", {0}::play::play as fn()),\n", mutant.name);
    }
    out + &format!("pub const ALL: &[(&str, fn())] = &[\n{plays}];\n")
}

/// A module with the files, at most one mutant, and what `end` says.
fn variant(
    root: &Path,
    name: &str,
    mutant: Option<&mutants::RaceMutant>,
    end: &str,
    atomics: impl Fn(String) -> String,
) -> String {
    let mut out = format!("pub mod {name} {{\n");
    for (sources, file) in FILES {
        let mut text = fs::read_to_string(source(root, sources, file)).expect("the crate has this file");
        if let Some(mutant) = mutant.filter(|mutant| mutant.file == file) {
            let found = text.matches(mutant.right).count();
            assert!(found == 1, "{name}: `{}` stands {found} times in {file}.rs", mutant.right);
            text = text.replace(mutant.right, mutant.wrong);
        }
        let mut text = atomics(text).replace("crate::", "super::");
        for (elsewhere, stand_in) in STAND_INS {
            text = text.replace(elsewhere, stand_in);
        }
        write!(out, "mod {file} {{\n{text}\n}}\n").expect("a String takes all text");
    }
    let uses = "pub use mailbox::{Ipi, Mailbox};\npub use message::{OwnedMessage, CoreMessage};\npub use event_flags::EventFlags;\npub use call_location::CallLocation;\npub use frame_state::{FrameState, PageFrameKind, FrameRefusal};
        pub(crate) use frame_counts::{FrameCounts, TAKEN};";
    out + &format!("{uses}\n{end}}}\n")
}
