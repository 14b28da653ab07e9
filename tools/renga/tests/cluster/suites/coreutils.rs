//! The selection of coreutils' tests.
//!
//! Invariant: what is left out is left out by a rule that stands here, the same for all places, and is counted by its
//! reason. Not here: tests in perl, which want modules that the image does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What a script says that needs more than there is: its words, and what it misses. The first that fits is the reason.
const MISSED: [(&[&str], &str); 7] = [
    (
        &["skip_if_root_", "require_membership_in_two_groups_", "NON_ROOT_USERNAME", "chroot --skip-chdir --user"],
        "another user than root",
    ),
    (&["other-fs-tmpdir", "mkfs", "mount --bind", "FULL_PARTITION_TMPDIR"], "another file system, or to mount one"),
    (&["expensive_"], "to be asked for, as it takes long"),
    (&["require_strace_", "require_valgrind_", "gdb "], "strace, valgrind or gdb"),
    (&["require_selinux_", "require_smack_", "require_setfacl_", "require_acl_", "setcap"], "attributes of security"),
    (&["require_controlling_input_terminal_"], "a terminal of its own"),
    (&["require_gcc_shared_"], "to preload a library"),
];
/// Those that compute for minutes where a system call is slow, too.
const LONG: [&str; 5] =
    ["misc/help-version", "misc/od-multiple-t", "misc/sort-compress", "split/line-bytes", "tail-2/inotify-hash-abuse2"];
const TAKES_MINUTES: &str = "minutes";

/// The shell scripts in some folders.
#[derive(Default)]
pub(super) struct Chosen {
    /// By their folder and name.
    pub(super) asked: BTreeSet<String>,
    /// How many miss what.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

impl Chosen {
    /// Those of coreutils' `sources`.
    pub(super) fn of(sources: &Path, folders: &str) -> Chosen {
        let list = fs::read_to_string(sources.join("tests/local.mk")).expect("the sources have a list of tests");
        let mut chosen = Chosen::default();
        let is_asked =
            |name: &&str| name.split_once('/').is_some_and(|(folder, _)| folders.split(' ').any(|one| one == folder));
        for name in scripts(&list).filter(is_asked) {
            let path = sources.join(format!("tests/{name}.sh"));
            let script = fs::read_to_string(path).expect("the sources have each test");
            match missed(name, &script) {
                Some(what) => *chosen.left_out.entry(what).or_default() += 1,
                None => drop(chosen.asked.insert(name.to_string())),
            }
        }
        chosen
    }
}

/// What the list names, each once.
fn scripts(list: &str) -> impl Iterator<Item = &str> {
    let lines = list.lines().map(|line| line.trim_end_matches('\\').trim());
    let names = lines.filter_map(|line| line.strip_prefix("tests/")?.strip_suffix(".sh"));
    names.collect::<BTreeSet<&str>>().into_iter()
}

fn missed(name: &str, script: &str) -> Option<&'static str> {
    if LONG.contains(&name) {
        return Some(TAKES_MINUTES);
    }
    let says = |words: &&(&[&str], &str)| words.0.iter().any(|word| script.contains(word));
    MISSED.iter().find(says).map(|(_, what)| *what)
}

#[test]
fn coreutils_script_with_missing_need_is_left_out() {
    let list = "x_tests = \\\n  tests/cp/acl.sh\t\t\\\n  tests/misc/cut.pl \\\n  tests/rm/rm1.sh\n  tests/cp/acl.sh\n";
    assert_eq!(scripts(list).collect::<Vec<_>>(), ["cp/acl", "rm/rm1"]);
    assert_eq!(missed("rm/rm1", ". init.sh\nskip_if_root_\nmkfs\n"), Some("another user than root"));
    assert_eq!(missed("rm/x", "very_expensive_\n"), Some("to be asked for, as it takes long"));
    assert_eq!(missed("misc/help-version", "echo\n"), Some(TAKES_MINUTES));
    assert_eq!(missed("rm/x", "require_root_\nrm -r x\n"), None);
}
