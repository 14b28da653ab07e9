//! Other projects' own tests of their programs, from Debian's source packages: busybox's, those of its shell with busybox
//! and with dash, and coreutils'. They run on Linux on the same emulated board, on board a and on board b, with the same
//! programs from the same image, by the scripts of `userland/judges`.
//!
//! Invariant: `docs/reference/judges.md` has how many cases end how, and each case that does not end as on Linux, with its
//! reason; what is there and not so is a failure, too. They take hours, so `renga test --long=judges` runs them.

use crate::images::{dev, packages_can_be_had};
use crate::support::{Disk, Renga, clusters_can_run, root, system, work};
use renga::disk_image::{Choice, ImageError, fetch_source};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long the host may take for one judge in one place.
const LIMIT: Duration = Duration::from_secs(3 * 3600);
const FILESYSTEM_MIB: u32 = 900;
/// Where a judge is on a disk.
const PLACE: &str = "/host/judge";
const REPORT: &str = "docs/reference/judges.md";

/// What Linux is called in the report, and the boards.
const PLACES: [&str; 3] = ["Linux", "a", "b"];

/// One of them: its script's name with an argument, its source package, and what of that it needs: from where, to where.
struct Judge {
    name: &'static str,
    package: &'static str,
    parts: &'static [(&'static str, &'static str)],
}

/// Which of busybox's features Debian builds.
const CONFIG: (&str, &str) = ("debian/config/pkg/static", "config");
const SHELL: &[(&str, &str)] = &[("shell/ash_test", "ash_test"), CONFIG];

#[test]
#[ignore = "hours: renga test --long=judges"]
fn dash_does_with_the_tests_of_ash_what_it_does_on_linux() {
    judge(&Judge { name: "ash-dash", package: "busybox", parts: SHELL });
}

#[test]
#[ignore = "hours: renga test --long=judges"]
fn busyboxs_shell_does_with_its_tests_what_it_does_on_linux() {
    judge(&Judge { name: "ash-busybox", package: "busybox", parts: SHELL });
}

#[test]
#[ignore = "hours: renga test --long=judges"]
fn busybox_does_with_its_tests_what_it_does_on_linux() {
    let parts = &[("testsuite", "testsuite"), ("scripts/echo.c", "scripts/echo.c"), CONFIG];
    judge(&Judge { name: "busybox", package: "busybox", parts });
}

#[test]
#[ignore = "hours: renga test --long=judges"]
fn coreutils_do_with_their_tests_what_they_do_on_linux() {
    let parts = &[("tests", "tests"), ("init.cfg", "init.cfg")];
    judge(&Judge { name: "coreutils", package: "coreutils", parts });
}

/// Runs a judge in all places, and compares what it says with the report.
fn judge(judge: &Judge) {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let Some(files) = files(judge) else { return };
    let verdicts = PLACES.map(|place| judge.verdicts(place, &files));
    let report = fs::read_to_string(root().join(REPORT)).expect("the report is there");
    let (found, told) = (lines(judge.name, &verdicts), told(&report, judge.name));
    let missing: Vec<&String> = found.iter().filter(|line| !told.contains(*line)).collect();
    let untrue: Vec<&String> = told.iter().filter(|line| !found.contains(*line)).collect();
    assert!(missing.is_empty() && untrue.is_empty(), "{REPORT}\nlacks {missing:#?}\nsays {untrue:#?}");
}

/// The scripts and the sources, as files of a disk; nothing if they cannot be fetched.
fn files(judge: &Judge) -> Option<Vec<(String, Vec<u8>)>> {
    let sources = match fetch_source(&root(), &work(), judge.package, &mut |_| {}) {
        Ok(sources) => sources,
        Err(ImageError::Unreachable { .. }) => {
            renga_skip::skipped("the Debian mirror cannot be reached for the sources of programs");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let mut files = Vec::new();
    add(&root().join("userland/judges"), PLACE, &mut files);
    for (from, to) in judge.parts {
        add(&sources.join(from), &format!("{PLACE}/{to}"), &mut files);
    }
    Some(files)
}

/// A file, or all files in a folder.
fn add(from: &Path, to: &str, files: &mut Vec<(String, Vec<u8>)>) {
    if !from.is_dir() {
        return files.push((to.to_string(), fs::read(from).expect("the sources have it")));
    }
    for entry in fs::read_dir(from).expect("the sources have it").flatten() {
        add(&entry.path(), &format!("{to}/{}", entry.file_name().to_string_lossy()), files);
    }
}

/// How each case ended, by its name; cases of one name in their order.
type Verdicts = BTreeMap<String, String>;

impl Judge {
    /// What it says in this place.
    fn verdicts(&self, place: &str, files: &[(String, Vec<u8>)]) -> Verdicts {
        let how = if place == "b" { "remote -b b" } else { "" };
        let script = format!("cd {PLACE} && {how} sh ./driver.sh {}", self.name);
        let choice = Choice { filesystem_mib: Some(FILESYSTEM_MIB), ..dev() };
        let disk = Disk::of(&format!("judge-{}-{place}", self.name), choice, &script, files);
        if place == "Linux" {
            let image = disk.image();
            let options =
                ["--limit-s".into(), LIMIT.as_secs().to_string().into(), "--disk".into(), image.into_os_string()];
            Renga::linux().with(options).within(LIMIT).end().expect_status(0);
        } else {
            let ended = disk.on(&system::name()).within(LIMIT).end().expect_status(0);
            disk.expect_clean(&ended);
        }
        let said = String::from_utf8_lossy(&disk.file(&format!("{PLACE}/verdicts"))).into_owned();
        let mut verdicts = Verdicts::new();
        for (verdict, name) in said.lines().filter_map(|line| line.split_once(' ')) {
            let all = verdicts.entry(name.to_string()).or_default();
            *all = [all.as_str(), verdict].join(" ").trim_start().to_string();
        }
        assert!(!verdicts.is_empty(), "{} said nothing on {place}", self.name);
        verdicts
    }
}

/// What the report is to say of a judge: how many cases end how in each place, and each that does not end as on Linux.
fn lines(judge: &str, verdicts: &[Verdicts; PLACES.len()]) -> BTreeSet<String> {
    let [linux, boards @ ..] = verdicts;
    let counts = verdicts.each_ref().map(counts);
    let mut lines = BTreeSet::from([format!("| `{judge}` | {} |", counts.join(" | "))]);
    let names: BTreeSet<&String> = verdicts.iter().flat_map(BTreeMap::keys).collect();
    for name in names {
        let of = |verdicts: &Verdicts| verdicts.get(name).map_or("-", String::as_str).to_string();
        if boards.iter().any(|board| of(board) != of(linux)) {
            let ends = verdicts.each_ref().map(of).join(" | ");
            lines.insert(format!("| `{judge}` | `{}` | {ends} |", name.replace('|', "/")));
        }
    }
    lines
}

/// How many cases end how: `120 ok, 3 fail`.
fn counts(verdicts: &Verdicts) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in verdicts.values().flat_map(|all| all.split(' ')) {
        *counts.entry(verdict).or_default() += 1;
    }
    counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect::<Vec<_>>().join(", ")
}

/// The report's rows about a judge, without the reasons: as `lines` has them.
fn told(report: &str, judge: &str) -> BTreeSet<String> {
    let of_judge = format!("| `{judge}` |");
    let rows = report.lines().filter(|line| line.starts_with(&of_judge));
    rows.map(|row| match row.trim_end_matches('|').split(" | ").collect::<Vec<_>>().as_slice() {
        [judge, name, linux, a, b, reason] if !reason.trim().is_empty() => {
            [judge, name, linux, a, b].map(|cell| *cell).join(" | ") + " |"
        }
        _ => row.to_string(),
    })
    .collect()
}
