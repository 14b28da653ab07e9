//! What goes wrong is said clearly, with a way out, and with status 125, which no program of a board's is given.

use crate::support::{Ended, Renga, Scratch, children, clusters_can_run, command_line, send_signal, system, work};
use rustix::process::Signal;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

fn expect_failure(ended: &Ended, parts: &[&str]) {
    assert!(ended.status == 125, "status {} instead of 125\n{}", ended.status, ended.report());
    for part in parts {
        assert!(ended.stderr.contains(part), "no {part:?} in the complaint\n{}", ended.report());
    }
}

#[test]
fn set_up_given_no_program_as_qemu_names_a_way_out() {
    let run = Renga::command(&["run", "-c", "true"]).setting("RENGA_OBJCOPY", "");
    let ended = run.setting("RENGA_QEMU", "/no/such/qemu").end();
    expect_failure(&ended, &["RENGA_QEMU names no program: /no/such/qemu", "RENGA_QEMU=/path/to"]);
}

#[test]
fn errors_missing_qemu_is_named() {
    if !clusters_can_run() {
        return;
    }
    let ended = Renga::script("true").setting("RENGA_QEMU", "/no/such/qemu").end();
    expect_failure(&ended, &["/no/such/qemu", "./renga installs QEMU"]);
}

#[test]
fn errors_other_qemu_version_is_refused() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("qemu");
    let qemu = scratch.write("qemu", b"#!/bin/sh\necho 'QEMU emulator version 7.2.22 (Debian 1:7.2)'\n");
    fs::set_permissions(&qemu, Permissions::from_mode(0o755)).expect("it is ours");
    let ended = Renga::script("true").setting("RENGA_QEMU", &qemu.to_string_lossy()).end();
    expect_failure(&ended, &["7.2.22", "10.0.2 and 10.0.13", "./renga installs one"]);
}

fn with_disk(image: &Path) -> Ended {
    Renga::run().with(["--disk".as_ref(), image.as_os_str()]).end()
}

#[test]
fn errors_foreign_disk_is_refused() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("bad-disk");
    let noise = scratch.write("noise.img", &[0x5a; 1 << 20]);
    expect_failure(&with_disk(&noise), &["noise.img", "ext2", "./renga image"]);
    let empty = scratch.write("empty.img", b"");
    expect_failure(&with_disk(&empty), &["empty.img", "ext2", "./renga image"]);
    expect_failure(&with_disk(&scratch.join("missing.img")), &["missing.img"]);
    let ended = Renga::script("true").with(["--disk".as_ref(), noise.as_os_str()]).end();
    expect_failure(&ended, &["--disk", "-c"]);
}

/// Holds: disk-in-use.
#[test]
fn errors_disk_of_another_run_is_refused() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("disk-in-use");
    let image = scratch.write("kept.img", &[0x5a; 1 << 20]);
    let other = File::open(&image).expect("it is ours");
    other.lock().expect("it can be locked");
    for ended in [with_disk(&image), Renga::linux().with(["--disk".as_ref(), image.as_os_str()]).end()] {
        expect_failure(&ended, &["kept.img", "another ./renga", "cp "]);
    }
    drop(other);
    // Now that it is free, it is found to be no disk.
    expect_failure(&with_disk(&image), &["kept.img", "ext2"]);
}

#[test]
fn errors_put_of_missing_file_is_refused() {
    if clusters_can_run() {
        let ended = Renga::script("true").with(["--put", "/no/such/file"]).end();
        expect_failure(&ended, &["/no/such/file"]);
        expect_failure(&Renga::run().with(["-f", "/no/such/script"]).end(), &["/no/such/script"]);
    }
}

#[test]
fn errors_foreign_or_damaged_recording_is_refused() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("bad-recording");
    let other = scratch.join("other");
    let record = Renga::run().with(["--system".as_ref(), "solo".as_ref(), "--record".as_ref(), other.as_os_str()]);
    record.input(b"exit 3\n").end().expect_status(3);
    let ended = Renga::run().with(["--replay".as_ref(), other.as_os_str()]).end();
    expect_failure(&ended, &["it was made with", "boards: 1,", "this run has", "boards: 2,"]);
    let nonsense = scratch.write("nonsense", b"hello\n");
    let ended = Renga::run().with(["--replay".as_ref(), nonsense.as_os_str()]).end();
    expect_failure(&ended, &["nonsense", "line 1"]);
}

/// Holds: run-limit.
#[test]
fn errors_run_over_limit_ends() {
    if clusters_can_run() {
        let run = Renga::command(&["run", "--limit-s", "30", "-c", "echo begun; sleep 1000"]);
        let ended = run.end();
        expect_failure(&ended, &["30 s of virtual time", "begun"]);
    }
}

#[test]
fn errors_deadlocked_cluster_ends() {
    if clusters_can_run() {
        // The input is empty.
        let ended = Renga::script("echo before; cat").end();
        expect_failure(&ended, &["every board waits", "end of its console", "before"]);
    }
}

/// Sends a signal to one board's QEMU once the console has said that all is ready.
fn disturbed(board: &str, signal: Signal) -> Ended {
    // Virtual time goes on, so that the board is wanted.
    let script = "remote -b b true; echo ready; while :; do remote -b b true; done";
    let argument = format!("board={board} ");
    Renga::script(script).end_disturbed(|id, said| {
        let ready = String::from_utf8_lossy(said).contains("ready");
        let found = children(id).into_iter().find(|(_, line)| line.contains(&argument));
        let (true, Some((qemu, _))) = (ready, found) else { return false };
        send_signal(qemu, signal);
        true
    })
}

/// Holds: panic-words.
#[test]
fn errors_dead_board_is_named_with_last_output() {
    if !clusters_can_run() {
        return;
    }
    let ended = disturbed("0", Signal::KILL);
    expect_failure(
        &ended,
        &["board a of the cluster failed", "board a: end of its console", "ready", "end of its log"],
    );
    let ended = disturbed("1", Signal::KILL);
    expect_failure(&ended, &["board b of the cluster failed", "board b: end of its log", "signal 9"]);
}

#[test]
fn errors_hanging_board_is_named_with_last_output() {
    if clusters_can_run() {
        let ended = disturbed("1", Signal::STOP);
        expect_failure(&ended, &["board b of the cluster failed", "does not answer", "board b: end of its log"]);
    }
}

/// A QEMU whose `renga` is gone has this long to notice.
const END_WAIT: Duration = Duration::from_secs(10);
const END_POLL: Duration = Duration::from_millis(50);

#[test]
fn errors_killed_run_leaves_no_qemu() {
    if !clusters_can_run() {
        return;
    }
    let (mut killed, mut machines) = (0, Vec::new());
    let ended = Renga::script("echo ready; while :; do remote -b b true; done").end_disturbed(|id, said| {
        let ready = String::from_utf8_lossy(said).contains("ready");
        if ready {
            killed = id;
            machines = children(id);
            send_signal(id, Signal::KILL);
        }
        ready
    });
    assert_eq!(machines.len(), system::boards().len(), "{machines:?}\n{}", ended.report());
    let begin = Instant::now();
    let alive = |(id, line): &&(u32, String)| command_line(*id) == *line;
    while machines.iter().any(|machine| alive(&machine)) {
        let left: Vec<_> = machines.iter().filter(alive).collect();
        assert!(begin.elapsed() < END_WAIT, "these go on: {left:?}");
        thread::sleep(END_POLL);
    }
    // Its disk is left in target/, for it had no time to remove it.
    let _ = fs::remove_dir_all(work().join(format!("run-{killed}")));
}

/// Holds: panic-words.
#[test]
fn errors_kernel_panic_names_place_board_and_waits() {
    if !clusters_can_run() {
        return;
    }
    for board in ["a", "b"] {
        let at = format!("{board}@400");
        let ended = Renga::run().with(["--panic", &at, "-c", "remote -b b sleep 10"]).end().expect_status(125);
        let said = ended.report();
        for expected in [format!("board {board}: panic at "), " waits for ".to_string(), "died: panic at ".to_string()]
        {
            assert!(said.contains(&expected), "no {expected:?}\n{said}");
        }
    }
    // A program's status is its own, whatever a dying board uses.
    Renga::run().with(["-c", "exit 70"]).end().expect_status(70);
}
