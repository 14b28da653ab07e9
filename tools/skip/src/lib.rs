//! A test that cannot run on this machine says so, and counts as skipped, not as passed.
//!
//! The test harness knows only passed, failed and ignored, and ignored is decided when it is compiled. So
//! `./renga test` names a file in [`SKIPPED`]; a skipped test adds a line to it and returns. Without that file the
//! reason goes to standard error, past the harness, which hides what passing tests print: once for each reason. Not
//! here: the count (`renga test`).

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The variable of the environment with the file's path.
pub const SKIPPED: &str = "RENGA_SKIPPED";

/// The test of this thread is skipped, for this reason; it is to return at once.
pub fn skipped(reason: &str) {
    let reason = reason.trim().replace('\n', " ");
    let thread = std::thread::current();
    let line = format!("{}{}: {reason}\n", program(), thread.name().unwrap_or("a test"));
    match std::env::var_os(SKIPPED) {
        Some(path) => {
            let file = OpenOptions::new().append(true).create(true).open(&path);
            // One write, so that tests at the same time do not mix their lines.
            let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
            written.unwrap_or_else(|error| panic!("cannot note a skipped test in {path:?}: {error}"));
        }
        None => say_once(reason),
    }
}

/// The test program, as a prefix: cargo adds a number to its name.
fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(String::new(), |(name, _)| format!("{name} "))
}

fn say_once(reason: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&reason) {
        // A test must not fail because the reason of a skip is unreadable.
        let _ = std::io::stderr().write_all(format!("skipped: {reason}\n").as_bytes());
        said.insert(reason);
    }
}
