//! Programs that share: files by mappings, by reading and writing, memory without a file, on one board and on two.

use crate::support::{Renga, clusters_can_run};

/// Uses shared mappings (`userland/src/bin/sharing.rs`). A store by each of two boards to a page, us: four calls and
/// two pages on the link.
const TWO_STORES_US_MAX: u32 = 10_000;
const SHARING: &str = "S=/usr/lib/renga/sharing; F=/root/shared\n";

fn said(script: &str) -> String {
    Renga::script(&format!("{SHARING}{script}")).end().expect_status(0).text()
}

#[test]
fn mmap_and_read_write_share_bytes() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S memory 200
        $S alternate map $F 1 101 & $S alternate map $F 0 101; wait; od -An -tu4 -N4 $F
        $S alternate file $F 1 201 & $S alternate map $F 0 201; wait; od -An -tu4 -N4 $F
        $S self /root/self
        $S end /root/end; echo $?",
    );
    let words = "        101\n        201\n";
    let end = "first 0 behind the end 0\nBus error\n135\n";
    assert_eq!(text, format!("memory 200 child 0\n{words}256 256 256 0\n{end}"));
}

#[test]
fn mmap_and_file_on_other_board_share_bytes() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S alternate map $F 0 100 & remote -b b $S alternate file $F 1 100; wait; remote -b b od -An -tu4 -N4 $F
        $S alternate file $F 1 201 & $S alternate map $F 0 201; wait; remote -b b od -An -tu4 -N4 $F
        remote -b b $S memory 50",
    );
    assert_eq!(text, "        100\n        201\nmemory 50 child 0\n");
}

#[test]
fn mmap_writers_on_two_boards_share_bytes() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S alternate map $F 1 101 & remote -b b $S alternate map $F 0 101; wait; od -An -tu4 -N4 $F; remote -b b od -An -tu4 -N4 $F
        $S alternate file $F 1 151 & remote -b b $S alternate map $F 0 151; wait; od -An -tu4 -N4 $F
        remote -b b sh -c \"$S alternate map $F 1 201 & $S alternate map $F 0 201; wait\"; od -An -tu4 -N4 $F
        remote -b b $S self /root/self
        remote -b b $S end /root/end; echo $?
        $S apart /root/apart 1 101; od -An -tu4 -N4 /root/apart
        remote -b b $S apart /root/apart 0 201; od -An -tu4 -N4 /root/apart",
    );
    let words = "        101\n        101\n        151\n        201\n";
    let end = "256 256 256 0\nfirst 0 behind the end 0\nBus error\n135\n";
    let apart = "apart 101 child 0\n        101\napart 201 child 0\n        201\n";
    assert_eq!(text, format!("{words}{end}{apart}"));
}

/// Both spin, each until the other has stored: the page crosses twice for two stores, at some 2 ms each.
#[test]
fn mmap_spinners_on_two_boards_make_progress() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S spin $F 1 201 & remote -b b $S spin $F 0 201; wait; od -An -tu4 -N4 $F
        remote -b b $S spin /root/two 1 201 & $S spin /root/two 0 201; wait; od -An -tu4 -N4 /root/two",
    );
    println!("{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[1], lines[3]), (4, "        201", "        201"), "{text}");
    for line in [lines[0], lines[2]] {
        let took_us: u32 = line.split(' ').nth(3).and_then(|word| word.parse().ok()).unwrap();
        assert!((1..=TWO_STORES_US_MAX).contains(&took_us), "{text}");
    }
}

/// Exclusive loads and stores of two boards, none of which gets lost; and four pages that are never seen in another
/// order than they were written.
#[test]
fn mmap_concurrent_stores_keep_order() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S add $F 20000 & $S add $F 20000 & remote -b b $S add $F 20000; wait; od -An -tu4 -j4 -N4 $F
        remote -b b $S sequence read /root/one 20000 & sleep 0.1; $S sequence write /root/one 20000; wait
        $S sequence read /root/two 20000 & sleep 0.1; remote -b b $S sequence write /root/two 20000; wait",
    );
    assert_eq!(text, "      60000\nin order\nin order\n");
}

/// A file that is cut under a program of another board; a board that dies with what it has stored, synced and not.
#[test]
fn mmap_after_truncation_or_board_failure_ends() {
    if !clusters_can_run() {
        return;
    }
    let text = said("remote -b b $S keep $F & sleep 1; : > $F; wait $!; echo $?; remote -b b od -An -tu4 $F");
    assert!(text.contains("135\n"), "{text}");
    let session = b"remote -b b /usr/lib/renga/sharing store /root/shared 8
\x1dkill b
od -An -c -j8 -N4 /root/shared
/usr/lib/renga/sharing add /root/shared 7
od -An -tu4 -j4 -N4 /root/shared
exit 4
";
    let ended = Renga::run().input(session).end().expect_status(4);
    assert!(ended.text().contains("   a   n   g   e"), "{}", ended.report());
    assert!(ended.text().contains("          7"), "{}", ended.report());
}

/// Holds: mmap-errors.
#[test]
fn mmap_refusals_match_linux() {
    if !clusters_can_run() {
        return;
    }
    let wanted = "no file 9\nno kind 22\nno length 22\nno page 22\nnot writable 13\nnot readable 13\nno mapping 19
a directory 19\nmprotect 13\nmsync 22\nmsync 22\nmsync 12\nmlock 12\nmlock 0\nmemory 0\n";
    assert_eq!(said("$S errors $F"), wanted);
}

#[test]
fn mmap_synced_stores_survive_power_cut() {
    if !clusters_can_run() {
        return;
    }
    let session = b"/usr/lib/renga/sharing store /root/shared 8
\x1dkill a
\x1drestart a
od -An -c -j8 -N4 /root/shared
exit 4
";
    let ended = Renga::run().input(session).end().expect_status(4);
    assert!(ended.text().contains("   a   n   g   e"), "{}", ended.report());
}

/// Records of 8,000 bytes of one character each, by programs of both boards at once; then the characters of each
/// record.
const APPENDERS: &str = "cd /root
for who in a b c d; do dd if=/dev/zero bs=8000 count=60 2> /dev/null | tr '\\0' $who > $who; done
add() { dd if=$1 of=log bs=8000 oflag=append conv=notrunc 2> /dev/null; }
add a & add b & remote -b b dd if=c of=log bs=8000 oflag=append conv=notrunc 2> /dev/null &
remote -b b dd if=d of=log bs=8000 oflag=append conv=notrunc 2> /dev/null & wait
fold -b -w 8000 log | tr -s a-d | sort | uniq -c";

/// Holds: appends.
#[test]
fn append_long_records_of_two_boards_stay_whole() {
    if !clusters_can_run() {
        return;
    }
    let text = said(APPENDERS);
    let records: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(records, ["60", "a", "60", "b", "60", "c", "60", "d"], "{text}");
}
