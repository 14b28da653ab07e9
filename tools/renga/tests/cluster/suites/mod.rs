//! Other projects' own tests of their programs, from Debian's source packages: those of busybox' shell, with that and
//! with dash, and those of coreutils. They run on Linux on the same emulated board, on board a and on board b, with the
//! same programs from the same image, by the scripts of `userland/suites`.
//!
//! Invariant: `docs/reference/conformance.md` has how many cases end how, and each case that does not end as on Linux,
//! with its reason; what is there and not so is a failure, too. Each takes a quarter of an hour, so
//! `renga test --long=suites` runs them.

mod coreutils;

use crate::images::{dev, packages_can_be_had, sources_of};
use crate::support::{Disk, Renga, clusters_can_run, root, system};
use coreutils::Chosen;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the host may take for one program in one place.
const LIMIT: Duration = Duration::from_secs(3600);
/// Where the tests are on a disk.
const PLACE: &str = "/host/suite";
const REPORT: &str = "docs/reference/conformance.md";

/// What is placed on a disk: where, and what.
type Files = Vec<(String, Vec<u8>)>;

/// What Linux is called in the report, and the boards.
const PLACES: [&str; 3] = ["Linux", "a", "b"];

/// Tests of a project.
struct ConformanceSuite {
    /// The source package that has them.
    package: &'static str,
    /// What of it is needed: from where, to where.
    parts: &'static [(&'static str, &'static str)],
    /// What runs them, of `userland/suites`.
    script: &'static str,
}

/// The last part says which of busybox' features Debian builds, as cases ask.
const ASH: ConformanceSuite = ConformanceSuite {
    package: "busybox",
    parts: &[("shell/ash_test", "ash_test"), ("debian/config/pkg/static", "config")],
    script: "ash.sh",
};

/// Some tests search for lines in sources.
const COREUTILS: ConformanceSuite = ConformanceSuite {
    package: "coreutils",
    parts: &[
        ("tests", "coreutils/tests"),
        ("init.cfg", "coreutils/init.cfg"),
        ("build-aux/gen-lists-of-programs.sh", "coreutils/build-aux/gen-lists-of-programs.sh"),
        ("src/remove.c", "coreutils/src/remove.c"),
        ("src/stty.c", "coreutils/src/stty.c"),
        ("src/tail.c", "coreutils/src/tail.c"),
    ],
    script: "coreutils.sh",
};

/// Holds: conformance.
#[test]
#[ignore = "a quarter of an hour: renga test --long=suites"]
fn conformance_dash_with_ash_suite_matches_linux() {
    ash("dash");
}

/// Holds: conformance.
#[test]
#[ignore = "a quarter of an hour: renga test --long=suites"]
fn conformance_busybox_shell_suite_matches_linux() {
    ash("busybox");
}

/// Holds: conformance.
#[test]
#[ignore = "a quarter of an hour: renga test --long=suites"]
fn conformance_coreutils_names_match_linux() {
    coreutils("mv", "chmod dd ln mkdir mv readlink rmdir touch");
}

/// Holds: conformance.
#[test]
#[ignore = "a quarter of an hour: renga test --long=suites"]
fn conformance_coreutils_copy_and_remove_match_linux() {
    coreutils("cp", "chgrp chown cp df fmt id install rm");
}

/// Holds: conformance.
#[test]
#[ignore = "a quarter of an hour: renga test --long=suites"]
fn conformance_coreutils_list_and_cut_match_linux() {
    coreutils("ls", "du ls split tail-2");
}

/// Holds: conformance.
#[test]
#[ignore = "a quarter of an hour: renga test --long=suites"]
fn conformance_coreutils_others_match_linux() {
    coreutils("misc", "misc");
}

/// Runs those of coreutils' tests in the folders that need no more than the boards have; the report calls them by
/// `name`.
fn coreutils(name: &str, folders: &str) {
    let Some((sources, files)) = what_is_needed(&COREUTILS) else { return };
    let chosen = Chosen::of(&sources, folders);
    let asked: Vec<&str> = chosen.asked.iter().map(String::as_str).collect();
    let files = [files, vec![(format!("{PLACE}/asked"), asked.join("\n").into_bytes())]].concat();
    let name = format!("coreutils-{name}");
    let left_out = chosen.left_out.iter().map(|(what, count)| format!("| `{name}` | {what} | {count} |"));
    suite(&COREUTILS, &name, "", &files, left_out.collect());
}

/// The sources of a suite, and the files that it needs on a disk; `None` if it cannot run here.
fn what_is_needed(suite: &ConformanceSuite) -> Option<(PathBuf, Files)> {
    if !clusters_can_run() || !packages_can_be_had() {
        return None;
    }
    let sources = sources_of(suite.package)?;
    let mut files = Vec::new();
    add(&root().join("userland/suites"), PLACE, &mut files);
    for (from, to) in suite.parts {
        add(&sources.join(from), &format!("{PLACE}/{to}"), &mut files);
    }
    Some((sources, files))
}

/// Runs busybox' tests of a shell.
fn ash(shell: &str) {
    if let Some((_, files)) = what_is_needed(&ASH) {
        suite(&ASH, shell, shell, &files, BTreeSet::new());
    }
}

/// Runs the suite, with the arguments `what`, against a program in all places, and compares its results with the
/// report, which is to have the lines `beside`, too.
fn suite(suite: &ConformanceSuite, program: &str, what: &str, files: &[(String, Vec<u8>)], beside: BTreeSet<String>) {
    let command = format!("sh ./driver.sh {} {what}", suite.script);
    let verdicts = PLACES.map(|place| verdicts(&command, program, place, files));
    let report = fs::read_to_string(root().join(REPORT)).expect("the report is there");
    let (mut found, in_report) = (lines(program, &verdicts), in_report(&report, program));
    found.extend(beside);
    let missing: Vec<&String> = found.iter().filter(|line| !in_report.contains(*line)).collect();
    let untrue: Vec<&String> = in_report.iter().filter(|line| !found.contains(*line)).collect();
    assert!(missing.is_empty() && untrue.is_empty(), "{REPORT}\nlacks {missing:#?}\nsays {untrue:#?}");
}

/// A file, or all files in a folder.
fn add(from: &Path, to: &str, files: &mut Files) {
    if !from.is_dir() {
        return files.push((to.to_string(), fs::read(from).expect("the sources have it")));
    }
    for entry in fs::read_dir(from).expect("the sources have it").flatten() {
        add(&entry.path(), &format!("{to}/{}", entry.file_name().to_string_lossy()), files);
    }
}

/// How each case ended, by its name.
type Verdicts = BTreeMap<String, String>;

/// How the cases end with a program in this place.
fn verdicts(command: &str, program: &str, place: &str, files: &[(String, Vec<u8>)]) -> Verdicts {
    let how = if place == "b" { "remote -b b" } else { "" };
    let script = format!("cd {PLACE} && {how} {command}");
    let disk = Disk::of(&format!("suite-{program}-{place}"), dev(), &script, files);
    if place == "Linux" {
        let image = disk.image();
        Renga::linux().with(["--disk".as_ref(), image.as_os_str()]).within(LIMIT).end().expect_status(0);
    } else {
        let ended = disk.on(&system::name()).within(LIMIT).end().expect_status(0);
        disk.expect_clean(&ended);
    }
    let said = String::from_utf8_lossy(&disk.file(&format!("{PLACE}/verdicts"))).into_owned();
    let words = said.lines().filter_map(|line| line.split_once(' '));
    let verdicts: Verdicts = words.map(|(verdict, name)| (name.to_string(), verdict.to_string())).collect();
    assert!(!verdicts.is_empty(), "{program} said nothing on {place}");
    verdicts
}

/// What the report is to say of a program: how many cases end how in each place, and each that does not end as on
/// Linux.
fn lines(program: &str, verdicts: &[Verdicts; PLACES.len()]) -> BTreeSet<String> {
    let [linux, boards @ ..] = verdicts;
    let counts = verdicts.each_ref().map(counts);
    let mut lines = BTreeSet::from([format!("| `{program}` | {} |", counts.join(" | "))]);
    let names: BTreeSet<&String> = verdicts.iter().flat_map(BTreeMap::keys).collect();
    for name in names {
        let of = |verdicts: &Verdicts| verdicts.get(name).map_or("-", String::as_str).to_string();
        if boards.iter().any(|board| of(board) != of(linux)) {
            let ends = verdicts.each_ref().map(of).join(" | ");
            lines.insert(format!("| `{program}` | `{}` | {ends} |", name.replace('|', "/")));
        }
    }
    lines
}

/// How many cases end how: `120 ok, 3 fail`.
fn counts(verdicts: &Verdicts) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in verdicts.values() {
        *counts.entry(verdict).or_default() += 1;
    }
    counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect::<Vec<_>>().join(", ")
}

/// The report's rows about a program, without the reasons: as `lines` has them.
fn in_report(report: &str, program: &str) -> BTreeSet<String> {
    let of_program = format!("| `{program}` |");
    let rows = report.lines().filter(|line| line.starts_with(&of_program));
    rows.map(|row| match row.trim_end_matches('|').split(" | ").collect::<Vec<_>>().as_slice() {
        [program, name, linux, a, b, reason] if !reason.trim().is_empty() => {
            [program, name, linux, a, b].map(|cell| *cell).join(" | ") + " |"
        }
        _ => row.to_string(),
    })
    .collect()
}
