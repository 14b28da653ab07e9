//! Writes the text of `kernel/cores/src` as modules over loom's atomics: as it is, and with each mistake.

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
    let mut out = variant(&here, &cores, "right", None);
    for mistake in mistakes::MISTAKES.into_iter().flatten() {
        out += &variant(&here, &cores, mistake.name, Some(mistake));
    }
    let names = mistakes::MISTAKES.into_iter().flatten().map(|mistake| mistake.name);
    let plays = names.map(|name| format!("(\"{name}\", {name}::scenarios::play as fn(Scenario)),\n"));
    out += &format!("pub const WRONG: &[(&str, fn(Scenario))] = &[\n{}];\n", plays.collect::<String>());
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join("variants.rs"), out).expect("the output folder can be written");
}

/// A module with the files, the scenarios, and at most one mistake.
fn variant(here: &Path, cores: &Path, name: &str, mistake: Option<&mistakes::Mistake>) -> String {
    let mut out = format!("pub mod {name} {{\n");
    for file in FILES {
        let mut text = fs::read_to_string(cores.join(file).with_extension("rs")).expect("the crate has this file");
        if let Some(mistake) = mistake.filter(|mistake| mistake.file == file) {
            let found = text.matches(mistake.right).count();
            assert!(found == 1, "{name}: `{}` stands {found} times in {file}.rs", mistake.right);
            text = text.replace(mistake.right, mistake.wrong);
        }
        let text = text.replace("core::sync::atomic", "loom::sync::atomic").replace("const fn", "fn");
        let text = text.replace("crate::", "super::");
        write!(out, "mod {file} {{\n{text}\n}}\n").expect("a String takes all text");
    }
    let scenarios = here.join("tests/races/scenarios.rs");
    let uses = "pub use inbox::{Bell, Inbox};\npub use letter::{Held, Letter};\npub use signal::Signal;\npub use whereabouts::Whereabouts;";
    out + &format!("{uses}\n#[path = {scenarios:?}]\npub mod scenarios;\n}}\n")
}
