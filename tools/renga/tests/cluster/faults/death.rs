//! A board dies and comes back while the other goes on: what its programs and its user see of it.

use crate::support::{Disk, Renga, Scratch, clusters_can_run};
use std::fs;

/// Holds: death-bounded.
#[test]
fn board_failure_reaches_waiters_within_100_ms() {
    if !clusters_can_run() {
        return;
    }
    for how in ["--kill", "--hang"] {
        let script = "exec 2> /dev/null; remote -b b sleep 1000; echo status $?";
        let ended = Renga::script(script).with(["--stats", how, "b@700"]).end().expect_status(0);
        assert_eq!(ended.text(), "status 137\n", "{how}\n{}", ended.report());
        // With what the shell and a clean stop of the disk take.
        let ended_s = ended.virtual_s();
        assert!((0.7..0.85).contains(&ended_s), "{how}: {ended_s} s\n{}", ended.report());
    }
}

/// In the background, too, where no shell waits that would say `Killed`.
/// Holds: death-remote.
#[test]
fn board_failure_is_reported_by_remote_in_one_line() {
    if !clusters_can_run() {
        return;
    }
    let script = "for n in 1 2 3; do remote -b b sleep 1000 & pids=\"$pids $!\"; done; \
                  for pid in $pids; do wait $pid; echo $?; done; remote -b b true; echo $?";
    let ended = Renga::script(script).with(["--kill", "b@700"]).end().expect_status(0);
    let lost = "remote: the board is down: its command counts as killed\n".repeat(3);
    assert_eq!(ended.text(), format!("{lost}137\n137\n137\nremote: the board is down\n126\n"), "{}", ended.report());
}

/// Holds: board-returns.
#[test]
fn board_restart_serves_at_once() {
    if !clusters_can_run() {
        return;
    }
    let script = "exec 2> /dev/null; remote -b b sleep 1000; echo $?; until remote -b b uname -n; do sleep 0.02; done; \
                  seq 1000 | remote -b b sort -rn | tail -n 1";
    for options in [["--kill", "b@500", "--restart", "b@900"], ["--hang", "b@500", "--restart", "b@501"]] {
        let ended = Renga::script(script).with(options).with(["--stats"]).end().expect_status(0);
        assert_eq!(ended.text(), "137\nb\n1\n", "{}", ended.report());
        assert!(ended.virtual_s() < 1.5, "{}", ended.report());
    }
}

/// Holds: death-children.
#[test]
fn board_failure_breaks_pipes_with_epipe_or_eof() {
    if !clusters_can_run() {
        return;
    }
    // The writer is killed by SIGPIPE (status 141) or gets an error; the reader reads to the end of what was written.
    let script = "exec 2> /dev/null; set -o pipefail; yes | remote -b b cat > /dev/null; echo $?; \
                  until remote -b b true; do sleep 0.02; done; \
                  remote -b b sh -c 'echo first; exec sleep 1000' | cat; echo $?";
    let ended = Renga::script(script)
        .with(["--kill", "b@500", "--restart", "b@600", "--kill", "b@1500"])
        .end()
        .expect_status(0);
    assert_eq!(ended.text(), "137\nfirst\n137\n", "{}", ended.report());
}

/// What a person types, with orders to `renga` among it; the lines come when the cluster waits.
const SESSION: &[u8] = b"echo before > /tmp/kept; sync
\x1dkill a
\x1dstatus
\x1drestart a
cat /tmp/kept
\x1dkill b
remote -b b uname -n; echo down $?
\x1drestart b
\x1dtop
remote -b b uname -n; echo up $?
\x1dtop
\x1dtrace off
\x1dkill z
\x1dnonsense
\x1dhelp
exit 4
";

/// Holds: kill-session.
#[test]
fn session_survives_kill_and_restart_commands() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("death");
    let recording = scratch.join("typed");
    let record = ["--stats".as_ref(), "--record".as_ref(), recording.as_os_str()];
    let ended = Renga::run().with(record).input(SESSION).end().expect_status(4);
    let text = ended.text();
    for expected in ["\nbefore\n", "\ndown 126\n", "\nb\n", "\nup 0\n"] {
        assert!(text.contains(expected), "no {expected:?}\n{}", ended.report());
    }
    assert_eq!(text.matches("built-in shell").count(), 2, "a new shell on the board that came back: {text}");
    for expected in [
        "board a has lost its power",
        "board a has no power, started once",
        "board a starts for the second time",
        "board b starts for the second time",
        "there is no board `z`",
        "`nonsense` is not known",
        "kill BOARD      cut its power",
        "of it itself",
        "no trace is being written",
    ] {
        assert!(ended.stderr.contains(expected), "no {expected:?}\n{}", ended.report());
    }
    let recorded = fs::read_to_string(&recording).expect("it was written");
    assert_eq!(recorded.matches("\"power\"").count(), 4, "{recorded}");
    let replay = ["--stats".as_ref(), "--replay".as_ref(), recording.as_os_str()];
    let replayed = Renga::run().with(replay).end().expect_status(4);
    for figure in ["virtual time", "console hash", "frame hash"] {
        assert_eq!(replayed.figure(figure), ended.figure(figure), "{}\n{}", ended.report(), replayed.report());
    }
}

/// Holds: panic-words.
#[test]
fn board_panic_with_restart_option_reboots() {
    if !clusters_can_run() {
        return;
    }
    let run = Renga::script("exec 2> /dev/null; remote -b b sleep 1000; echo $?; sleep 1.2; remote -b b uname -n");
    let ended = run.with(["--revive", "--panic", "b@400"]).end().expect_status(0);
    assert!(ended.text().ends_with("137\nb\n"), "{}", ended.report());
    // A second after its last words, which take it up to two milliseconds.
    let started = |at: &str| ended.stderr.contains(&format!("renga: {at} s: board b starts for the second time"));
    assert!(["1.400", "1.401", "1.402"].into_iter().any(started), "{}", ended.report());
}

/// Holds: disk-board-returns.
#[test]
fn disk_board_failure_leaves_other_board_running() {
    if !clusters_can_run() {
        return;
    }
    // A program on b outlives board a, its parent's board, only until it learns that its session has ended; the new
    // shell's work must not depend on that.
    let script = "exec 2> /dev/null; echo run >> /runs; sync; [ $(wc -l < /runs) = 1 ] && remote -b b sleep 1000; \
                  remote -b b sh -c 'uname -n; wc -l < /runs'";
    let disk = Disk::new("death", script, &[]);
    let ended = Renga::run()
        .with(["--disk".into(), disk.image().into_os_string()])
        .with(["--kill", "a@600", "--restart", "a@900"])
        .end()
        .expect_status(0);
    assert_eq!(ended.text(), "b\n2\n", "{}", ended.report());
}

/// In the first incarnation of board a, a shell on board b from a file of its own, which sleeps while a is down; in the
/// second, other files are opened first, and what the shell wrote is read. (`*` names folders, too; their reading
/// fails.)
const OUTLIVES: &str = r#"exec 2> /dev/null
echo boot >> /boots; : >> /out
if [ $(wc -l < /boots) = 1 ]; then
    mkdir /own; cp /bin/busybox /own/busybox; sync
    remote -b b /own/busybox sh -c 'trap "" HUP; exec >> /out; sleep 2; case abc in *b*) echo match;; esac
        sum() { echo $(($1 + $2)); }; sum 1 2; printf "%05d
" 42; seq 3 | sort -rn; sync; echo done; sync'
fi
cat /etc/*; ls -lR / > /dev/null
until grep -q done /out; do sleep 0.1; done
cat /out"#;

/// Holds: disk-board-returns.
#[test]
fn disk_board_restart_lets_remote_writer_continue() {
    if !clusters_can_run() {
        return;
    }
    let ended = Renga::script(OUTLIVES).with(["--kill", "a@1600", "--restart", "a@1800"]).end().expect_status(0);
    assert!(ended.text().ends_with("match\n3\n00042\n3\n2\n1\ndone\n"), "{}", ended.report());
}

/// Holds: run-wrong-board.
#[test]
fn board_failure_options_nonsense_is_refused() {
    for (options, complaint) in [
        (["--kill", "z@5"], "there is no board `z`; boards are a, b"),
        (["--hang", "b"], "`b` is no board and time, as in b@200"),
        (["--restart", "b@soon"], "`soon` is no number of milliseconds"),
        (["--faults", "noise=5"], "there is no fault `noise`"),
        (["--faults", "loss=900,delay=200"], "more than 1000"),
    ] {
        if clusters_can_run() {
            let ended = Renga::script("true").with(options).end().expect_status(125);
            assert!(ended.stderr.contains(complaint), "{}", ended.report());
        }
    }
}

/// Ends that b closes belong to the next incarnation of a, which the processes there have not called before.
/// Holds: board-returns.
#[test]
fn pipe_across_boards_after_restart_ends() {
    if !clusters_can_run() {
        return;
    }
    let script =
        r#"sleep .15; r=$(remote -b b sh -c "seq 5 | remote -b a tail -n 1 | remote -b b cat"); echo end $? $r"#;
    let ended = Renga::script(script).with(["--restart", "a@200"]).end().expect_status(0);
    assert!(ended.text().ends_with("end 0 5\n"), "{}", ended.report());
}

/// The first incarnation of the disk's board writes a file without `sync`; the second prints whether it exists.
const UNSYNCED: &str = "if [ -f /begun ]; then cat /late 2> /dev/null || echo gone; \
                        else touch /begun; sync; echo late > /late; sleep 1000; fi";

/// Holds: commit-timer.
#[test]
fn write_back_without_sync_is_durable_after_seconds() {
    if !clusters_can_run() {
        return;
    }
    for (killed, expected) in [("a@3000", "gone\n"), ("a@8000", "late\n")] {
        let ended = Renga::script(UNSYNCED).with(["--kill", killed, "--restart", "a@9000"]).end().expect_status(0);
        assert_eq!(ended.text(), expected, "killed {killed}: {}", ended.report());
    }
}
