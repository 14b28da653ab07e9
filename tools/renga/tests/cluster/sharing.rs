//! Programs that share: files by mappings, by reading and writing, memory without a file, on one board and on two.

use crate::support::{Renga, clusters_can_run};

/// Uses shared mappings (`userland/src/bin/sharing.rs`).
const SHARING: &str = "S=/usr/lib/renga/sharing; F=/root/shared\n";

fn said(script: &str) -> String {
    Renga::script(&format!("{SHARING}{script}")).end().expect_status(0).text()
}

#[test]
fn a_mapping_reading_and_writing_are_the_same_bytes() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S memory 200
        $S turns map $F 1 101 & $S turns map $F 0 101; wait; od -An -tu4 -N4 $F
        $S turns file $F 1 201 & $S turns map $F 0 201; wait; od -An -tu4 -N4 $F
        $S self /root/self
        $S end /root/end; echo $?",
    );
    let turns = "        101\n        201\n";
    let end = "first 0 behind the end 0\nBus error\n135\n";
    assert_eq!(text, format!("memory 200 child 0\n{turns}256 256 256 0\n{end}"));
}

#[test]
fn a_mapping_on_one_board_and_a_file_on_another_are_the_same_bytes() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        "$S turns map $F 0 100 & remote -b b $S turns file $F 1 100; wait; remote -b b od -An -tu4 -N4 $F
        $S turns file $F 1 201 & $S turns map $F 0 201; wait; remote -b b od -An -tu4 -N4 $F
        remote -b b $S memory 50",
    );
    assert_eq!(text, "        100\n        201\nmemory 50 child 0\n");
}

#[test]
fn what_cannot_be_mapped_is_refused_as_on_linux() {
    if !clusters_can_run() {
        return;
    }
    let wanted = "no file 9\nno kind 22\nno length 22\nno page 22\nnot writable 13\nnot readable 13\nno mapping 19
a directory 19\nmprotect 13\nmsync 22\nmsync 22\nmsync 12\nmlock 12\nmlock 0\nmemory 0\n";
    assert_eq!(said("$S errors $F"), wanted);
}

#[test]
fn what_was_stored_and_synced_is_there_after_a_cut() {
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

/// Records of 8,000 bytes of one letter each, by programs of both boards at once; which letters each record has then.
const APPENDERS: &str = "cd /root
for who in a b c d; do dd if=/dev/zero bs=8000 count=60 2> /dev/null | tr '\\0' $who > $who; done
add() { dd if=$1 of=log bs=8000 oflag=append conv=notrunc 2> /dev/null; }
add a & add b & remote -b b dd if=c of=log bs=8000 oflag=append conv=notrunc 2> /dev/null &
remote -b b dd if=d of=log bs=8000 oflag=append conv=notrunc 2> /dev/null & wait
fold -b -w 8000 log | tr -s a-d | sort | uniq -c";

#[test]
fn long_appends_of_two_boards_do_not_mix() {
    if !clusters_can_run() {
        return;
    }
    let text = said(APPENDERS);
    let records: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(records, ["60", "a", "60", "b", "60", "c", "60", "d"], "{text}");
}
