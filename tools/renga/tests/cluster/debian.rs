//! The scripts of `userland/scripts/dev` on board a and on Debian's Linux on the same emulated board, with the same
//! programs from the same image: the same output, the same status, the same files. On board b, and those in the folder
//! `long` on both boards, they take minutes, so `renga test --long=debian` runs them there.

use crate::images::{dev, packages_can_be_had, sources_of};
use crate::support::suite::{self, Suite};
use crate::support::{Disk, Renga, clusters_can_run, system};
use renga_images::disk_image::{FsckVerdict, fsck};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// How long the host may take for all scripts on one board.
const LIMIT: Duration = Duration::from_secs(3600);

/// Where the scripts are.
const SCRIPTS: &str = "userland/scripts/dev";
const LONG_SCRIPTS: &str = "userland/scripts/dev/long";
/// The scripts, and what Linux prints in each that did its work: two that fail alike are no success.
type WorkDone = &'static [(&'static str, &'static str)];
const WORK_DONE: WorkDone = &[
    ("compile", "96413\n9588\ntcc 0\n9588\ngcc 0\n"),
    ("descriptors", "group 10 3\n"),
    ("grammars", " bison.h\n"),
    ("languages", "[(124750,)]\n"),
    ("manuals", "nroff sort 0\nmandoc sort 0\n"),
    ("others", "linux/types\n"),
    ("trees", "same\n257\n"),
];
const LONG_WORK_DONE: WorkDone =
    &[("make-lua", "2262\t0.841471\ttrue\n0\n"), ("tcc-compiles-itself", "./third: 0\nthe same\n")];
/// Source packages of Debian that scripts work on: which of their folders, and which files there, by their ends.
const SOURCES: [(&str, &str, &[&str]); 4] = [
    ("tcc", "", &[".c", ".h", ".def"]),
    ("original-awk", "", &[".y"]),
    ("byacc", "test", &[".y"]),
    ("lua5.4", "src", &["Makefile", ".c", ".h"]),
];

/// The sources, as files of a disk; nothing if they cannot be fetched.
fn sources() -> Option<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (package, folder, ends) in SOURCES {
        let sources = sources_of(package)?;
        let entries = fs::read_dir(sources.join(folder)).expect("the sources have the folder").flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| path.is_file());
        let wanted = |path: &PathBuf| ends.iter().any(|end| path.to_string_lossy().ends_with(end));
        for path in paths.filter(wanted) {
            let name = path.file_name().expect("it was listed").to_string_lossy().into_owned();
            let place = [package, folder, &name].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>();
            files.push((suite::path(&format!("sources/{}", place.join("/"))), fs::read(&path).expect("it was listed")));
        }
    }
    Some(files)
}

/// Holds: as-on-linux.
#[test]
fn debian_programs_on_board_a_match_linux() {
    compare("a", "", SCRIPTS, WORK_DONE);
}

#[test]
#[ignore = "minutes: renga test --long=debian"]
fn debian_programs_on_board_b_match_linux() {
    compare("b", "remote -b b", SCRIPTS, WORK_DONE);
}

/// Holds: as-on-linux.
#[test]
#[ignore = "minutes: renga test --long=debian"]
fn debian_long_scripts_on_both_boards_match_linux() {
    compare("a-long", "", LONG_SCRIPTS, LONG_WORK_DONE);
    compare("b-long", "remote -b b", LONG_SCRIPTS, LONG_WORK_DONE);
}

/// Runs the scripts of `folder` on Linux, and by `how` on a cluster, in disks named by `name`.
fn compare(name: &str, how: &str, folder: &str, work_done: WorkDone) {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let Some(sources) = sources() else { return };
    let scripts = Suite::of(folder);
    assert!(scripts.names().eq(work_done.iter().map(|(name, _)| *name)), "each script has its words");
    let files = [scripts.files(), sources].concat();
    let disk = |on: &str, how: &str| Disk::of(&format!("debian-{name}-{on}"), dev(), &suite::command(how), &files);
    let linux = disk("linux", "");
    Renga::linux().with(["--disk".as_ref(), linux.image().as_os_str()]).end().expect_status(0);
    assert_eq!(fsck(&linux.image()).expect("e2fsck runs"), FsckVerdict::Clean, "Linux unmounts the disk");
    let expected = suite::place(&linux.tree());
    for (name, words) in work_done {
        let said = fs::read_to_string(expected.join(format!("said/{name}.out"))).expect("each script ran");
        assert!(said.contains(*words), "no {words:?} in\n{said}");
        assert!(!said.contains("not found"), "{name} misses something:\n{said}");
    }
    let disk = disk("renga", how);
    let ended = disk.on(&system::name()).within(LIMIT).end().expect_status(0);
    disk.expect_clean(&ended);
    let differences = scripts.differences(&expected, &suite::place(&disk.tree()));
    let (count, all) = (differences.len(), differences.join("\n"));
    assert!(count == 0, "{count} scripts differ from Linux\n{all}\n{}", ended.report());
}
