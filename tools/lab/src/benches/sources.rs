//! The revision of the sources that results depend on: a result of another revision is stale.
//!
//! Called by: the rows' command, which notes it, and the report, which compares. Not here: the keys of runs (`runner`).

use super::result::RowResult;
use renga_workspace::environment::Environment;
use std::path::Path;
use std::process::Command;

/// What decides what the machine does and what rows ask of it: all that runs on boards, the emulator, the rows; without
/// tests, pages, and the scripts that other commands run.
const PATHS: [&str; 12] = [
    "--",
    "kernel",
    "sysprocs",
    "netlink-hw",
    "userland",
    "tools/emu",
    "bench/src",
    ":(exclude,glob)**/tests/**",
    ":(exclude,glob)**/*.md",
    ":(exclude)userland/crash",
    ":(exclude)userland/packages",
    ":(exclude)userland/suites",
];

/// The last revision that changed these sources, unless they were changed since.
pub fn revision(environment: &Environment) -> Option<String> {
    revision_in(&environment.root)
}

fn revision_in(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
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

#[cfg(test)]
mod tests {
    use super::revision_in;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    /// Writes a file and commits it; returns the revision.
    fn commit(root: &Path, path: &str, text: &str) -> String {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
        let git = |arguments: &[&str]| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
            let output = Command::new("git").current_dir(root).args(identity).args(arguments).output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).trim().to_string()
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["commit", "-q", "-m", path]);
        git(&["rev-parse", "HEAD"])
    }

    /// Holds: bench-report.
    #[test]
    fn sources_tests_and_pages_make_no_result_stale() {
        let folder = std::env::temp_dir().join(format!("renga-sources-{}", std::process::id()));
        let root = folder.as_path();
        let first = commit(root, "sysprocs/fs/src/lib.rs", "1");
        for path in ["sysprocs/fs/tests/fs/main.rs", "kernel/README.md", "userland/crash/git.sh", "docs/faq.md"] {
            commit(root, path, "1");
            assert_eq!(revision_in(root).as_deref(), Some(first.as_str()), "{path}");
        }
        for path in ["userland/src/bin/p1/calls.rs", "bench/src/rows/p3/stencil.c", "tools/emu/plugin/src/lib.rs"] {
            let changed = commit(root, path, "1");
            assert_eq!(revision_in(root), Some(changed), "{path}");
        }
        fs::write(root.join("kernel/README.md"), "2").unwrap();
        assert!(revision_in(root).is_some());
        fs::write(root.join("sysprocs/fs/src/lib.rs"), "2").unwrap();
        assert_eq!(revision_in(root), None);
        fs::remove_dir_all(root).unwrap();
    }
}
