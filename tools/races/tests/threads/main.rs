//! `kernel/sync` with real threads; under ThreadSanitizer also mutants in it, each of which must be reported.
//!
//! Invariant: every variant runs in a process of its own, which ThreadSanitizer ends with its status if it saw a race.
//! Without it there is nothing that would see one, and only the right code runs. This is its own harness: that of
//! Rust has threads whose library is not instrumented, and what they do to each other looks like races.

use std::env;
use std::process::{Command, ExitCode};

/// Made by the build script: modules over the processor's atomics.
#[allow(clippy::duplicate_mod, dead_code, missing_docs, unused)]
mod variants {
    include!(concat!(env!("OUT_DIR"), "/threads.rs"));
}

/// Set: the variant that this process plays.
const PLAYED: &str = "RENGA_VARIANT";
/// What ThreadSanitizer ends a program with.
const RACE: i32 = 66;

/// Plays a variant in another process; whether that ended as it must.
fn ends_well(name: &str, is_right: bool) -> bool {
    let own = env::current_exe().expect("this program is somewhere");
    let output = Command::new(own).env(PLAYED, name).output().expect("it starts again");
    let (status, report) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
    let well = if is_right { status == Some(0) } else { status == Some(RACE) && report.contains("data race") };
    if !well {
        println!("{name}: {status:?}\n{report}");
    }
    well
}

fn main() -> ExitCode {
    if let Ok(name) = env::var(PLAYED) {
        let (_, play) = variants::ALL.iter().find(|(known, _)| *known == name).expect("there is such a variant");
        play();
        return ExitCode::SUCCESS;
    }
    // As Rust's harness has it: words that names contain, and flags.
    let wanted: Vec<String> = env::args().skip(1).take_while(|word| !word.starts_with('-')).collect();
    let (mut passed, mut failed) = (0, 0);
    for (number, (name, _)) in variants::ALL.iter().enumerate() {
        let (is_right, test) = (number == 0, format!("threads::{name}"));
        let chosen = wanted.is_empty() || wanted.iter().any(|word| test.contains(word.as_str()));
        if !chosen || !is_right && !cfg!(renga_thread_sanitizer) {
            continue;
        }
        let well = ends_well(name, is_right);
        println!("test {test} ... {}", if well { "ok" } else { "FAILED" });
        (passed, failed) = if well { (passed + 1, failed) } else { (passed, failed + 1) };
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out\n");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
