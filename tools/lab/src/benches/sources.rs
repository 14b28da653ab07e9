//! The revision of the sources that results depend on: a result of another revision is stale.
//!
//! Called by: the rows' command, which notes it, and the report, which compares. Not here: the keys of runs (`runner`).

use super::result::RowResult;
use renga_workspace::environment::Environment;
use std::process::Command;

/// What decides what the machine does and what rows ask of it: all that runs on boards, the emulator, the rows.
const PATHS: [&str; 7] = ["--", "kernel", "sysprocs", "netlink-hw", "userland", "tools/emu", "bench/src"];

/// The last revision that changed these sources, unless they were changed since.
pub fn revision(environment: &Environment) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(&environment.root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let of_paths = |command: &[&str]| git(&[command, &PATHS].concat());
    of_paths(&["status", "--porcelain"])?.is_empty().then(|| of_paths(&["log", "-1", "--format=%H"]))?
}

/// What a page says at its head if results are not of the revision `now`; without one, none is known to be.
pub(super) fn stale(results: &[RowResult], now: Option<&str>) -> Option<String> {
    let old = results.iter().filter(|result| now.is_none() || result.revision.as_deref() != now);
    let old: Vec<String> = old.map(|result| format!("{} {}", result.row, result.machine())).collect();
    match old.len() {
        0 => None,
        count if count == results.len() => Some("STALE: the sources have changed since these rows ran.".to_string()),
        _ => Some(format!("STALE: the sources have changed since these rows ran: {}.", old.join(", "))),
    }
}
