//! Asking apt, and understanding why it refuses.
//!
//! Not here: its private configuration (`tools/setup/fetch-packages.sh`), and what is kept (`packages`).

use std::path::PathBuf;
use std::process::Output;

use super::ImageError;
use super::command::{report, run};
use super::package_store::{Closure, PackageStore};

/// Status of the script when the mirror's lists cannot be had.
const UNREACHABLE_STATUS: i32 = 3;
/// What apt says before the name of a package that is not there, and after it.
const UNKNOWN: [(&str, char); 2] = [("E: Unable to locate package ", '\n'), ("E: Package '", '\'')];
/// What it says when a file cannot be had.
const FAILED_TO_FETCH: &str = "E: Failed to fetch";
/// Names that are suggested for one that does not exist.
const NEAREST_MAX: usize = 5;
/// How different they may be, in letters.
const DISTANCE_MAX: usize = 3;

/// Fetches packages; their files.
pub(super) fn fetch_files(
    store: &PackageStore<'_>,
    names: &[String],
    closure: Closure,
) -> Result<Vec<PathBuf>, ImageError> {
    if let Some(bad) = names.iter().find(|name| !is_package_name(name)) {
        return Err(ImageError::BadPackageName { name: bad.clone() });
    }
    let what = match closure {
        Closure::Alone => "alone",
        Closure::WithDependencies => "closed",
        Closure::Source => "source",
    };
    let output = script(store, what, names)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect());
    }
    let said = report(&output);
    if output.status.code() == Some(UNREACHABLE_STATUS) || said.contains(FAILED_TO_FETCH) {
        return Err(ImageError::Unreachable { report: complaints(&said) });
    }
    if let Some(name) = unknown(&said) {
        let all = script(store, "names", &[])?;
        let nearest = nearest(name, &String::from_utf8_lossy(&all.stdout));
        return Err(ImageError::NoSuchPackage { name: name.into(), nearest });
    }
    Err(error(store, names, said))
}

/// apt was content, but what was asked for is not there.
pub(super) fn incomplete(store: &PackageStore<'_>, names: &[String], fetched: &[String]) -> ImageError {
    error(store, names, format!("apt fetched only {}", fetched.join(", ")))
}

fn error(store: &PackageStore<'_>, names: &[String], report: String) -> ImageError {
    ImageError::Fetch { packages: names.join(", "), architecture: store.architecture.into(), report }
}

fn script(store: &PackageStore<'_>, what: &str, names: &[String]) -> Result<Output, ImageError> {
    let script = store.root.join("tools/setup/fetch-packages.sh");
    // Lists of sources would push out those of packages.
    let home = store.work.join(format!("apt-{}", if what == "source" { what } else { store.architecture }));
    run("bash", "bash", |command| {
        command.arg(&script).arg(home).arg(store.architecture).arg(what).args(names);
    })
}

/// Debian's rule for names; others might be options of apt, or patterns.
fn is_package_name(name: &str) -> bool {
    let mut letters = name.chars();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    letters.next().is_some_and(plain) && name.len() > 1 && letters.all(|c| plain(c) || "+-.".contains(c))
}

/// The lines in which apt complains.
fn complaints(said: &str) -> String {
    let lines: Vec<_> = said.lines().filter(|line| line.starts_with("E: ")).collect();
    if lines.is_empty() { said.into() } else { lines.join("\n") }
}

/// The package that apt does not know.
fn unknown(said: &str) -> Option<&str> {
    UNKNOWN.iter().find_map(|(before, end)| {
        let (_, rest) = said.split_once(before)?;
        rest.split(*end).next().map(str::trim)
    })
}

/// The names most like `name`, the best first, separated by commas.
fn nearest(name: &str, all: &str) -> String {
    let mut ranked: Vec<(usize, &str)> = Vec::new();
    for other in all.lines() {
        let distance = distance(name, other);
        // `lua` means lua5.4: a missing version is no typing error.
        let begun = name.len() > 2 && other.starts_with(name) && other.len() <= name.len() + 2 * DISTANCE_MAX;
        if distance <= DISTANCE_MAX.min(name.len() / 2) || begun {
            ranked.push((distance, other));
        }
    }
    ranked.sort_unstable();
    ranked.dedup();
    let names: Vec<_> = ranked.iter().take(NEAREST_MAX).map(|(_, name)| *name).collect();
    names.join(", ")
}

/// Letters to insert, remove or replace (Levenshtein), as far as it matters here.
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len().abs_diff(other.len()) > 2 * DISTANCE_MAX {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (to, against) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != against);
            diagonal = row[to + 1];
            row[to + 1] = replaced.min(diagonal + 1).min(row[to] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{is_package_name, nearest, unknown};

    #[test]
    fn apt_package_names_follow_debian_policy() {
        for good in ["gcc-12", "g++", "lua5.4", "libstdc++6", "7zip"] {
            assert!(is_package_name(good), "{good}");
        }
        for bad in ["", "a", "-oDir=x", "Gcc", "a b", "gcc*", "+x", "libc6=2.36"] {
            assert!(!is_package_name(bad), "{bad}");
        }
    }

    #[test]
    fn apt_unknown_package_message_is_parsed() {
        assert_eq!(unknown("Reading...\nE: Unable to locate package gawkk\nE: more"), Some("gawkk"));
        assert_eq!(unknown("E: Package 'awk' has no installation candidate\n"), Some("awk"));
        assert_eq!(unknown("E: Unmet dependencies.\n"), None);
    }

    /// Holds: images-names.
    #[test]
    fn apt_nearest_names_come_first() {
        let all = "gawk\nmawk\nhawk-eye\nlua5.4\nlua5.3\nluarocks\nliblua5.4-0\nzsh\n";
        assert_eq!(nearest("gawkk", all), "gawk, mawk");
        assert_eq!(nearest("lua", all), "lua5.3, lua5.4, luarocks");
        assert_eq!(nearest("nosuchthing", all), "");
    }
}
