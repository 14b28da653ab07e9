//! Whether the disk has room for what the tests build and write.
//!
//! Invariant: it only reports; a full disk fails tests by itself, in ways that say little of the reason.

use renga_workspace::environment::Environment;
use std::ffi::{OsStr, OsString};
use std::fs;

/// What a first run writes under `target/`, bytes: measured 7.2 GB.
const FIRST_RUN_BYTES: u64 = 8 << 30;
/// With less even tests that are built fail, bytes.
const RUN_BYTES: u64 = 1 << 30;

/// The time of the check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Nothing is built yet.
    Before,
    /// Something failed.
    Failed,
}

/// Says so if there may be too little.
pub fn warn(environment: &Environment, when: When) {
    let Ok(found) = rustix::fs::statvfs(&environment.root) else { return };
    let programs = fs::read_dir(environment.root.join("target/debug/deps"));
    let files: Vec<OsString> = programs.into_iter().flatten().flatten().map(|file| file.file_name()).collect();
    let is_built = has_tests(files.iter().map(OsString::as_os_str));
    let free_bytes = found.f_bavail.saturating_mul(found.f_frsize);
    if let Some(warning) = warning(free_bytes, is_built, when) {
        println!("== {warning}");
    }
}

/// Whether the last test program to be built is among these files: this program itself always is.
fn has_tests<'a>(mut files: impl Iterator<Item = &'a OsStr>) -> bool {
    files.any(|file| file.to_string_lossy().starts_with("cluster-"))
}

fn warning(free_bytes: u64, is_built: bool, when: When) -> Option<String> {
    let free = format!("{:.1} GB are free on the disk", free_bytes as f64 / f64::from(1 << 30));
    match when {
        When::Failed if free_bytes < RUN_BYTES => {
            Some(format!("{free}: tests fail for that alone; make room and run them again"))
        }
        When::Before if free_bytes < RUN_BYTES || (!is_built && free_bytes < FIRST_RUN_BYTES) => {
            Some(format!("{free}: a first run of the tests writes 8 GB under target/"))
        }
        When::Before | When::Failed => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{When, has_tests, warning};
    use std::ffi::OsStr;

    #[test]
    fn room_tool_alone_does_not_count_as_built() {
        let files = ["renga-0123", "renga_sim-0123.d", "cluster-0123"].map(OsStr::new);
        assert!(!has_tests([].into_iter()) && !has_tests(files[..2].iter().copied()));
        assert!(has_tests(files.into_iter()));
    }

    #[test]
    fn room_warning_depends_on_build_state() {
        let gb = |count: u64| count << 30;
        assert_eq!(warning(gb(9), false, When::Before), None);
        assert_eq!(warning(gb(7), true, When::Before), None);
        assert!(warning(gb(7), false, When::Before).is_some_and(|said| said.starts_with("7.0 GB are free")));
        assert!(warning(gb(1) - 1, true, When::Before).is_some());
        assert_eq!(warning(gb(1), true, When::Failed), None);
        assert!(warning(gb(1) / 2, true, When::Failed).is_some_and(|said| said.contains("0.5 GB")));
    }
}
