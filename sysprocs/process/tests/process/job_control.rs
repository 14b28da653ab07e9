//! Job control of the terminal: groups that are not in the foreground.

use crate::support::System;
use crate::support::calls::{
    ANY, CLONE, FORK_ON, GETPID, IOCTL, KILL, NANOSLEEP, NONE, ONE, READ, SETPGID, SIGCHLD, SIGPROCMASK, TIOCSCTTY,
    WAIT4, WRITE, behind, error, exit, handle, set, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script, Variable};
use Argument::{Of, Value};

const SETSID: u64 = 157;
const TIOCSPGRP: Argument = Value(0x5410);
const TCGETS: Argument = Value(0x5401);
/// In the second pair of words of the settings: of the local modes nothing else.
const TOSTOP: Argument = Value(0o400 << 32);
const TCSETS: Argument = Value(0x5402);
const SIGTTIN: u64 = 21;
const SIGTTOU: u64 = 22;
const IGNORE: Argument = Value(1);
const EIO: i64 = 5;
const UNTRACED: Argument = Value(2);

fn stopped_by(signal: u64) -> Argument {
    Value(signal << 8 | 0x7f)
}

/// A system of two boards whose init has its own group in the foreground, and the group's number in a variable.
fn in_foreground() -> (Script, Variable) {
    let mut init = with_console();
    let own = init.variable();
    init.call(GETPID, &[]).keep(own);
    init.call(IOCTL, &[NONE, TIOCSPGRP, own.address()]).expect(NONE, 101);
    (init, own)
}

fn system(init: &Script) -> System {
    System::new(2, &[("/sbin/init", init)])
}

/// A reader in the background, on board `board`, is stopped, goes on in the foreground, and reads then.
fn reader_waits_for_the_foreground(board: u64) {
    let (mut init, own) = in_foreground();
    let (child, pid, status) = (init.label(), init.variable(), init.variable());
    let (line, blocked) = (words(&mut init, &[0; 4]), set(&mut init, &[SIGTTOU]));
    init.call(FORK_ON, &[Value(board)]).keep(pid).jump_if_zero(child);
    init.call(WAIT4, &[Of(pid), status.address(), UNTRACED, NONE]).expect(Of(pid), 1);
    init.take(Of(status)).expect(stopped_by(SIGTTIN), 2);
    init.call(IOCTL, &[NONE, TIOCSPGRP, pid.address()]).expect(NONE, 3);
    init.call(KILL, &[Of(pid), Value(18)]);
    init.call(WAIT4, &[Of(pid), status.address(), NONE, NONE]).expect(Of(pid), 4);
    init.take(Of(status)).expect(Value(3 << 8), 5);
    // Back again: by who is in the background now, and blocks what would stop it.
    init.call(SIGPROCMASK, &[NONE, blocked, NONE, Value(8)]).expect(NONE, 6);
    init.call(IOCTL, &[NONE, TIOCSPGRP, own.address()]).expect(NONE, 7);
    exit(&mut init, 0);
    init.place(child).call(SETPGID, &[NONE, NONE]).expect(NONE, 8);
    init.call(READ, &[NONE, line, Value(10)]).expect(Value(3), 9);
    exit(&mut init, 3);
    let system = system(&init);
    system.run();
    system.press(b"ab\r");
    assert_eq!(system.status(), 0, "board {board}");
}

/// Holds: job-control.
#[test]
fn job_control_background_read_stops_until_foreground() {
    reader_waits_for_the_foreground(0);
    reader_waits_for_the_foreground(1);
}

/// Holds: job-control.
#[test]
fn job_control_background_tcsetattr_stops() {
    let (mut init, _) = in_foreground();
    let (pid, status, place) = (init.variable(), init.variable(), words(&mut init, &[0; 8]));
    for (otherwise, request) in [(1, TIOCSPGRP), (2, TCSETS)] {
        let (child, next) = (init.label(), init.label());
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
        init.call(WAIT4, &[Of(pid), status.address(), UNTRACED, NONE]).expect(Of(pid), otherwise);
        init.take(Of(status)).expect(stopped_by(SIGTTOU), 10 + otherwise);
        init.call(KILL, &[Of(pid), Value(9)]).call(WAIT4, &[ANY, NONE, NONE, NONE]);
        init.take(NONE).jump_if_zero(next);
        init.place(child).call(SETPGID, &[NONE, NONE]);
        init.call(IOCTL, &[NONE, request, place]);
        exit(&mut init, 9);
        init.place(next);
    }
    exit(&mut init, 0);
    assert_eq!(system(&init).status(), 0);
}

#[test]
fn job_control_ignored_stop_fails_read_and_allows_change() {
    let (mut init, own) = in_foreground();
    let (child, line) = (init.label(), words(&mut init, &[0; 4]));
    handle(&mut init, SIGTTIN, IGNORE, 0);
    handle(&mut init, SIGTTOU, IGNORE, 0);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(4 << 8), 1);
    exit(&mut init, 0);
    init.place(child).call(SETPGID, &[NONE, NONE]);
    init.call(READ, &[NONE, line, Value(10)]).expect(error(EIO), 2);
    init.call(IOCTL, &[NONE, TIOCSPGRP, own.address()]).expect(NONE, 3);
    exit(&mut init, 4);
    assert_eq!(system(&init).status(), 0);
}

/// The last process that could continue it is gone: its parent, which was of its session.
#[test]
fn job_control_orphaned_group_gets_eio() {
    let (mut init, _) = in_foreground();
    let (leader, middle, reader) = (init.label(), init.label(), init.label());
    let (pid, line, time) = (init.variable(), words(&mut init, &[0; 4]), words(&mut init, &[1, 0]));
    let fork = |init: &mut Script, child| {
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    };
    fork(&mut init, leader);
    // The leader of the session and then the reader, which has become init's.
    for otherwise in [1, 2] {
        wait_status(&mut init);
        init.expect(Value(6 << 8), otherwise);
    }
    exit(&mut init, 0);
    init.place(leader).call(SETSID, &[]).keep(pid);
    init.call(IOCTL, &[NONE, TIOCSCTTY, ONE]).expect(NONE, 7); // from init's session
    init.call(IOCTL, &[NONE, TIOCSPGRP, pid.address()]).expect(NONE, 3);
    fork(&mut init, middle);
    wait_status(&mut init);
    init.call(NANOSLEEP, &[time, NONE]).call(NANOSLEEP, &[time, NONE]);
    exit(&mut init, 6);
    init.place(middle).call(SETPGID, &[NONE, NONE]);
    fork(&mut init, reader);
    exit(&mut init, 0);
    init.place(reader).call(NANOSLEEP, &[time, NONE]);
    init.call(READ, &[NONE, line, Value(10)]).expect(error(EIO), 4);
    exit(&mut init, 6);
    assert_eq!(system(&init).status(), 0);
}

/// Writing to the terminal, which every group may, until its settings say otherwise (TOSTOP); on board `board`.
fn writer_waits_for_the_foreground(board: u64) {
    let (mut init, _) = in_foreground();
    let (pid, status, settings) = (init.variable(), init.variable(), words(&mut init, &[0; 5]));
    let (child, text) = (init.label(), init.bytes(b"ab"));
    init.call(FORK_ON, &[Value(board)]).keep(pid).jump_if_zero(child);
    init.call(WAIT4, &[Of(pid), status.address(), UNTRACED, NONE]).expect(Of(pid), 1);
    init.take(Of(status)).expect(stopped_by(SIGTTOU), 2);
    init.call(WRITE, &[NONE, text, ONE]).expect(ONE, 3);
    init.call(IOCTL, &[NONE, TIOCSPGRP, pid.address()]).expect(NONE, 4);
    init.call(KILL, &[Of(pid), Value(18)]);
    init.call(WAIT4, &[Of(pid), status.address(), NONE, NONE]).expect(Of(pid), 5);
    init.take(Of(status)).expect(Value(3 << 8), 6);
    // In the background now; who blocks what would stop it writes, each time.
    let blocked = set(&mut init, &[SIGTTOU]);
    init.call(SIGPROCMASK, &[NONE, blocked, NONE, Value(8)]).expect(NONE, 7);
    init.call(WRITE, &[NONE, text, Value(2)]).expect(Value(2), 8);
    init.call(WRITE, &[NONE, text, Value(2)]).expect(Value(2), 9);
    exit(&mut init, 0);
    init.place(child).call(SETPGID, &[NONE, NONE]).expect(NONE, 10);
    init.call(WRITE, &[NONE, text, Value(2)]).expect(Value(2), 11);
    let stops = set(&mut init, &[SIGTTOU]);
    init.call(SIGPROCMASK, &[NONE, stops, NONE, Value(8)]).expect(NONE, 12);
    init.call(IOCTL, &[NONE, TCGETS, settings]).expect(NONE, 13);
    init.take(TOSTOP).write_word(behind(settings, 8));
    init.call(IOCTL, &[NONE, TCSETS, settings]).expect(NONE, 14);
    init.call(SIGPROCMASK, &[ONE, stops, NONE, Value(8)]).expect(NONE, 15);
    init.call(WRITE, &[NONE, text, Value(2)]).expect(Value(2), 16);
    exit(&mut init, 3);
    let system = system(&init);
    assert_eq!(system.status(), 0, "board {board}");
    assert_eq!(system.screen(), "abaababab", "board {board}");
}

/// Holds: job-control.
#[test]
fn job_control_tostop_stops_background_writer() {
    writer_waits_for_the_foreground(0);
    writer_waits_for_the_foreground(1);
}
