//! Files and processes that are watched: on the files' board, on the other one, and from board to board.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};
use std::path::{Path, PathBuf};

const COMPILE: &str = "gcc -O1 -w -o /tmp/watched /host/watched.c || exit 1; ";

fn with_source(renga: Renga) -> Renga {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/calls/watched.c");
    renga.with(["--image", "dev"]).with([PathBuf::from("--put"), file])
}

/// Runs these parts in a folder of its own.
fn run(folder: &str, parts: &str) -> String {
    format!(
        "mkdir {folder}; cd {folder}; for part in {parts}; do mkdir $part; cd $part; echo PART; /tmp/watched $part; cd ..; done"
    )
}

/// A program that follows a file which the other board writes and replaces.
const FOLLOWED: &str = r#"
cd /tmp; echo first > log
tail -F -s 9 log 2>/dev/null & sleep 1
remote -b b sh -c 'echo second >> /tmp/log'; sleep 0.2
remote -b b sh -c 'echo third > /tmp/new; mv /tmp/new /tmp/log'; sleep 0.2
kill $!; wait 2>/dev/null
remote -b b tail -F -s 9 log 2>/dev/null & sleep 1
echo fourth >> log; sleep 0.2
kill $!; wait 2>/dev/null
"#;

#[test]
fn watched_files_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = format!("{COMPILE} {}", run("/tmp/on-linux", "files changes overflow processes"));
    let linux = with_source(Renga::linux().with(["-c", &script])).end().expect_status(0).text();
    let [_, files, changes, overflow, processes] = linux.split("PART\n").collect::<Vec<_>>()[..] else {
        panic!("{linux}")
    };
    let (on_a, on_b) = (run("/tmp/on-a", "files overflow processes"), run("/tmp/on-b", "changes processes"));
    let script = format!("{COMPILE} ({on_a}); remote -b b sh -c '{on_b}'; echo PART; {FOLLOWED}");
    let renga = with_source(Renga::script(&script)).end().expect_status(0).text();
    let parts: Vec<&str> = renga.split("PART\n").collect();
    assert_eq!(parts.len(), 7, "{renga}");
    for (part, wanted) in parts[1..].iter().zip([files, overflow, processes, changes, processes]) {
        assert_eq!(part.trim(), wanted.trim());
    }
    let lines: Vec<&str> = parts[6].lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["first", "second", "third", "third", "fourth"], "{}", parts[6]);
}
