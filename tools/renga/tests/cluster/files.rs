//! Files changed from both boards: the same script leaves the same tree as on the host, and a sound file system, in
//! every mode of the calls between boards.

use crate::support::{Busybox, Disk, Scratch, clusters_can_run, compare, snapshot, system};
use std::fs;

/// Every way to change files.
const FILES: &str = include_str!("files.sh");

/// Runs it in a folder for each board, one board after the other, then both at once in two further ones.
const SESSION: &str = "
export TZ=UTC
cd /host/files && mkdir a b a2 b2
(cd a && sh ../files.sh); echo a $?
(cd b && remote -b b sh ../files.sh); echo b $?
(cd a2 && exec sh ../files.sh) & on_a=$!
(cd b2 && exec remote -b b sh ../files.sh) & on_b=$!
wait $on_a; echo a2 $?
wait $on_b; echo b2 $?
";

fn files_are_as_on_the_host(name: &str, system: &str) {
    let host = Scratch::new("files");
    let expected = Busybox::new().run(host.path(), FILES).expect_status(0);
    drop(expected);
    let files = [("/host/files/files.sh".to_string(), FILES.as_bytes().to_vec())];
    let disk = Disk::new(name, SESSION, &files);
    let ended = disk.run_on(system).expect_status(0).expect_text("a 0\nb 0\na2 0\nb2 0\n");
    disk.expect_clean(&ended);
    let tree = disk.tree();
    for folder in ["a", "b", "a2", "b2"] {
        let found = snapshot(&tree.join("host/files").join(folder));
        let differences = compare(&snapshot(host.path()), &found);
        assert!(
            differences.is_empty(),
            "in {folder}, {} differences from the host:\n{}\n{}",
            differences.len(),
            differences.join("\n"),
            ended.report()
        );
    }
}

/// The system under test with an edit.
fn edited(scratch: &Scratch, from: &str, to: &str) -> String {
    let path = system::system().path;
    let text = fs::read_to_string(&path).expect("it was read before");
    assert!(text.contains(from), "{} has no {from}", path.display());
    let path = scratch.write("edited.toml", text.replace(from, to).as_bytes());
    path.to_string_lossy().into_owned()
}

const SYNC: &str = "mode = \"sync\"";
const ASYNC: &str = "mode = \"async\"";

/// Holds: one-file-tree.
#[test]
fn files_on_both_boards_match_host() {
    if clusters_can_run() {
        files_are_as_on_the_host("files-sync", &system::name());
    }
}

/// Holds: async-edge.
#[test]
fn files_with_asynchronous_calls_match_host() {
    if clusters_can_run() {
        let scratch = Scratch::new("async");
        files_are_as_on_the_host("files-async", &edited(&scratch, SYNC, ASYNC));
    }
}

/// Holds: async-pool.
#[test]
fn files_with_pool_of_one_match_host() {
    if clusters_can_run() {
        let scratch = Scratch::new("pool-of-one");
        let system = edited(&scratch, SYNC, ASYNC);
        let text = fs::read_to_string(&system).expect("it was written");
        assert!(text.contains("slots = 16"), "{system} has no `slots = 16`");
        fs::write(&system, text.replace("slots = 16", "slots = 1")).expect("target/ can be written");
        files_are_as_on_the_host("files-pool", &system);
    }
}

/// Writers on both boards append to one file and read what the other wrote.
const SHARED: &str = r"
cd /tmp
: > log
remote -b b sh -c 'for i in $(seq 1 60); do echo b$i >> log; done' & far=$!
for i in $(seq 1 60); do echo a$i >> log; done
wait $far
wc -l < log

grep b log | sort -u | wc -l
echo from-a > shared; remote -b b cat shared
remote -b b sh -c 'echo from-b > shared'; cat shared
remote -b b rm shared; cat shared 2>/dev/null || echo gone
remote -b b sh -c 'mkdir d; cd d; echo x > f'; cat d/f; rm -r d; remote -b b ls d 2>/dev/null || echo no folder
";

/// Holds: one-file-tree.
#[test]
fn files_changed_by_one_board_are_seen_by_other() {
    if !clusters_can_run() {
        return;
    }
    let disk = Disk::new("shared", SHARED, &[]);
    let ended = disk.run().expect_status(0);
    disk.expect_clean(&ended);
    let text = ended.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.first(), Some(&"120"), "{}", ended.report());
    assert_eq!(
        lines.iter().rev().take(6).rev().copied().collect::<Vec<_>>(),
        ["60", "from-a", "from-b", "gone", "x", "no folder"],
        "{}",
        ended.report()
    );
    let log = String::from_utf8(disk.file("/tmp/log")).expect("it is text");
    for board in ['a', 'b'] {
        let of_board: Vec<&str> = log.lines().filter(|line| line.starts_with(board)).collect();
        let expected: Vec<String> = (1..=60).map(|number| format!("{board}{number}")).collect();
        assert_eq!(of_board, expected, "the lines of {board} are not all there in order\n{}", ended.report());
    }
}

#[test]
fn disk_option_keeps_data_between_runs() {
    if !clusters_can_run() {
        return;
    }
    let script =
        "if [ -f /kept ]; then cat /kept; rm /kept; else remote -b b sh -c 'echo kept > /kept'; echo first; fi";
    let disk = Disk::new("kept", script, &[]);
    for expected in ["first\n", "kept\n", "first\n"] {
        let ended = disk.run().expect_status(0).expect_text(expected);
        disk.expect_clean(&ended);
    }
}

/// A disk that is full soon.
const SMALL_MIB: u32 = 16;

/// Fills the disk from a, makes a little room, fills that from b. Each `dd` must learn that there is no room, be it
/// from a write or from its end; afterwards the room is there again.
const FULL: &str = r#"
dd if=/dev/zero of=/room bs=4096 count=100 2> /dev/null; echo room $?
said=$(dd if=/dev/zero of=/near bs=65536 2>&1); echo near $?; echo "$said" | grep -c "No space left"
rm /room
said=$(remote -b b dd if=/dev/zero of=/far bs=4096 2>&1); echo far $?; echo "$said" | grep -c "No space left"
remote -b b mkdir /folder 2> /dev/null; echo folder $?
remote -b b dd if=/etc/passwd of=/small conv=fsync 2> /dev/null; echo small $?
rm -f /near /far /small
remote -b b dd if=/dev/zero of=/again bs=65536 count=16 conv=fsync 2> /dev/null; echo again $?
wc -c < /again
"#;

fn a_full_disk_is_reported(name: &str, system: &str) {
    let disk = Disk::of_size(name, SMALL_MIB, FULL, &[]);
    let ended = disk.run_on(system).expect_status(0);
    disk.expect_clean(&ended);
    ended.expect_text("room 0\nnear 1\n1\nfar 1\n1\nfolder 1\nsmall 1\nagain 0\n1048576\n");
}

#[test]
fn disk_full_is_reported_on_both_boards() {
    if clusters_can_run() {
        a_full_disk_is_reported("full", &system::name());
    }
}

#[test]
fn disk_full_after_asynchronous_writes_is_reported() {
    if clusters_can_run() {
        let scratch = Scratch::new("full-async");
        a_full_disk_is_reported("full-async", &edited(&scratch, SYNC, ASYNC));
    }
}

/// Directories that are removed under programs of both boards, which go on in them and end.
const REMOVED: &str = "mkdir /d; cd /d; remote -b b sh -c 'while :; do sleep 0.05; done' & sleep 0.5
cd /; rmdir /d; sleep 1; mkdir /e; cd /e; mkfifo p && ls; cd /; kill $!; wait
mkdir /f; remote -b b sh -c 'cd /f; rmdir /f; sleep 0.1'; ls -d /f
mkdir -p /g/h; cd /g/h; rmdir /g/h; ls .. ; cd ..; pwd; ls
remote -b b sh -c 'mkdir i; cd i; rmdir ../i; echo lost > file; cd ..; ls'
";
const REMOVED_SAYS: &str = "p\n/g\n";

/// Holds: removed-dirs.
#[test]
fn files_removed_working_directory_is_harmless() {
    if clusters_can_run() {
        let disk = Disk::new("removed", REMOVED, &[]);
        let ended = disk.run();
        disk.expect_clean(&ended);
        let said: String =
            ended.text().lines().filter(|line| !line.contains(": ")).map(|line| format!("{line}\n")).collect();
        assert_eq!(said, REMOVED_SAYS, "{}", ended.report());
    }
}
