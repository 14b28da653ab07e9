//! Pipes between boards: what goes in comes out, all of it and in order, and both ends learn of each other's end.

use crate::support::{Busybox, Renga, Scratch, clusters_can_run};

/// Sixteen times a little less than 1 MiB, so that pieces end nowhere near a page's end.
const PIECE_BYTES: usize = 1_048_573;
const PIECES: usize = 17;
/// What a test is to push through.
const BYTES_MIN: usize = 16 << 20;

/// Bytes without a short period (xorshift).
fn pattern(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Holds: remote-pipes.
#[test]
fn pipe_of_16_mb_through_other_board_is_whole() {
    if !clusters_can_run() {
        return;
    }
    const { assert!(PIECES * PIECE_BYTES >= BYTES_MIN) };
    let scratch = Scratch::new("pipe");
    let piece = scratch.write("piece", &pattern(PIECE_BYTES));
    let produce = format!("for i in $(seq {PIECES}); do cat piece; done");
    let expected = Busybox::new().run(scratch.path(), &format!("({produce}) | md5sum")).expect_status(0);
    let script = format!("cd /host; ({produce}) | remote -b b cat | md5sum");
    let run = Renga::script(&script).with(["--put".as_ref(), piece.as_os_str()]);
    run.end().expect_status(0).expect_text(&expected.text());
}

/// Holds: pipe-placement.
#[test]
fn pipe_made_where_used_takes_a_third_of_frames() {
    if !clusters_can_run() {
        return;
    }
    let frames = |session: &str| {
        let ended = Renga::script(session).with(["--stats"]).end().expect_status(0).expect_text("588895\n");
        ended.frames()
    };
    let across = frames("remote -b b seq 100000 | remote -b b wc -c");
    let there = frames("remote -b b sh -c 'seq 100000 | wc -c'");
    println!("{across} frames by way of the shell's board, {there} where it is used");
    assert!(there * 3 <= across, "{there} frames instead of {across}");
}

/// Each line names its subject; 141 is the status of a program that wrote to a pipe without readers.
const ENDS: &str = r#"
echo "reader far: $(yes | remote -b b head -n 1)"
echo "writer far: $(remote -b b yes | head -n 1)"
bash-static -c 'yes | remote -b b head -n 1 > /dev/null; echo "writer near, reader far: ${PIPESTATUS[*]}"'
bash-static -c 'remote -b b yes | head -n 1 > /dev/null; echo "writer far, reader near: ${PIPESTATUS[*]}"'
bash-static -c 'remote -b b sh -c "yes | head -n 1 > /dev/null"; echo "both far: $?"'
echo "end of file to far: $(: | remote -b b wc -c)"
echo "end of file from far: $(remote -b b true | wc -c)"
echo "through two: $(seq 1000 | remote -b b cat | cat | remote -b b cat | tail -n 1)"
remote -b b sh -c 'trap "" PIPE; while echo line; do :; done 2> /tmp/said' | head -n 1
echo "a writer that ignores the signal: $(sed 's/.*: //' /tmp/said)"
seq 3 | while read n; do remote -b b echo "far $n" < /dev/null; done
"#;

const ENDS_SAY: &str = "reader far: y
writer far: y
writer near, reader far: 141 0
writer far, reader near: 141 0
both far: 0
end of file to far: 0
end of file from far: 0
through two: 1000
line
a writer that ignores the signal: Broken pipe
far 1
far 2
far 3
";

#[test]
fn pipe_end_closed_is_seen_by_other_end() {
    if clusters_can_run() {
        Renga::script(ENDS).end().expect_status(0).expect_text(ENDS_SAY);
    }
}
