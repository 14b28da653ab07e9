//! Scripted programs on one board: the terminal of a session.

use crate::support::System;
use crate::support::calls::{
    AT_FDCWD, CLONE, GETPID, IOCTL, KILL, NANOSLEEP, NONE, ONE, OPENAT, SETPGID, SIGCHLD, TIOCSCTTY, WAIT4, error,
    exit, time, wait_status, with_console,
};
use crate::support::script::{Argument, Script, Variable};
use Argument::{Of, Value};

const SETSID: u64 = 157;
const TIOCGPGRP: Argument = Value(0x540f);
const TIOCSPGRP: Argument = Value(0x5410);
const TIOCNOTTY: Argument = Value(0x5422);
const TIOCGSID: Argument = Value(0x5429);
const RDWR: Argument = Value(2);
const EPERM: i64 = 1;
const ESRCH: i64 = 3;
const ENXIO: i64 = 6;
const ENOTTY: i64 = 25;

/// What a child, made at `child`, does is checked by itself: it exits with the number of what is wrong.
fn expect_child(init: &mut Script, status: u64, otherwise: u64) {
    wait_status(init);
    init.expect(Value(status), otherwise);
}

fn fork(init: &mut Script) -> (Variable, crate::support::script::Label) {
    let (pid, child) = (init.variable(), init.label());
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
    (pid, child)
}

#[test]
fn session_new_has_no_terminal_until_it_takes_one() {
    let mut init = with_console();
    let (tty, console, place) = (init.string("/dev/tty"), init.string("/dev/console"), init.variable());
    init.call(OPENAT, &[AT_FDCWD, tty, RDWR, NONE]).expect(ONE, 1);
    init.call(IOCTL, &[ONE, TIOCGSID, place.address()]).expect(NONE, 2).take(Of(place)).expect(ONE, 3);
    let (_, child) = fork(&mut init);
    expect_child(&mut init, 7 << 8, 4);
    // With the leader its session's terminal is free; init's session has lost it.
    init.call(IOCTL, &[NONE, TIOCGPGRP, place.address()]).expect(error(ENOTTY), 5);
    init.call(OPENAT, &[AT_FDCWD, tty, RDWR, NONE]).expect(error(ENXIO), 6);
    init.call(IOCTL, &[NONE, TIOCSCTTY, NONE]).expect(NONE, 7);
    init.call(IOCTL, &[NONE, TIOCGPGRP, place.address()]).expect(NONE, 8).take(Of(place)).expect(ONE, 9);
    init.call(IOCTL, &[NONE, TIOCNOTTY, NONE]).expect(NONE, 10);
    init.call(IOCTL, &[NONE, TIOCNOTTY, NONE]).expect(error(ENOTTY), 11);
    exit(&mut init, 0);
    init.place(child).call(IOCTL, &[NONE, TIOCSCTTY, ONE]).expect(NONE, 20); // it has that already
    init.call(SETSID, &[]);
    init.call(OPENAT, &[AT_FDCWD, tty, RDWR, NONE]).expect(error(ENXIO), 21);
    for (otherwise, request) in [(22, TIOCGPGRP), (23, TIOCSPGRP), (24, TIOCGSID), (25, TIOCNOTTY)] {
        init.call(IOCTL, &[NONE, request, place.address()]).expect(error(ENOTTY), otherwise);
    }
    init.call(OPENAT, &[AT_FDCWD, console, RDWR, NONE]).expect(Value(2), 26); // which takes none
    init.call(IOCTL, &[NONE, TIOCGPGRP, place.address()]).expect(error(ENOTTY), 27);
    init.call(IOCTL, &[NONE, TIOCSCTTY, NONE]).expect(error(EPERM), 28); // it is another session's
    init.call(IOCTL, &[NONE, TIOCSCTTY, ONE]).expect(NONE, 29);
    init.call(OPENAT, &[AT_FDCWD, tty, RDWR, NONE]).expect(Value(3), 30);
    exit(&mut init, 7);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn foreground_group_must_be_of_the_session() {
    let mut init = with_console();
    let (place, moment) = (init.variable(), time(&mut init, 5));
    let (pid, child) = fork(&mut init);
    init.call(NANOSLEEP, &[moment, NONE]);
    init.call(IOCTL, &[NONE, TIOCSPGRP, pid.address()]).expect(error(EPERM), 1);
    init.take(Value(99_999)).keep(place);
    init.call(IOCTL, &[NONE, TIOCSPGRP, place.address()]).expect(error(ESRCH), 2);
    init.call(SETPGID, &[NONE, Of(pid)]).expect(error(EPERM), 3);
    init.call(SETPGID, &[NONE, Of(place)]).expect(error(EPERM), 4);
    init.call(SETPGID, &[Of(pid), NONE]).expect(error(EPERM), 5);
    init.call(SETPGID, &[Of(place), NONE]).expect(error(ESRCH), 6);
    init.call(KILL, &[Of(pid), Value(9)]).call(WAIT4, &[Of(pid), NONE, NONE, NONE]);
    exit(&mut init, 0);
    init.place(child).call(SETSID, &[]);
    let long = time(&mut init, 900);
    init.call(NANOSLEEP, &[long, NONE]);
    exit(&mut init, 1);
    assert_eq!(System::solo(&init).status(), 0);
}

/// The foreground's group is another than that of the leader, whose end it sees.
#[test]
fn session_leaders_end_hangs_up_foreground() {
    let mut init = with_console();
    let (leader_pid, leader) = fork(&mut init);
    let (status, own) = (init.variable(), init.variable());
    init.call(WAIT4, &[Of(leader_pid), status.address(), NONE, NONE]).take(Of(status)).expect(Value(5 << 8), 1);
    expect_child(&mut init, 1, 2); // SIGHUP
    exit(&mut init, 0);
    init.place(leader).call(SETSID, &[]).call(IOCTL, &[NONE, TIOCSCTTY, ONE]).expect(NONE, 3);
    let (pid, job) = fork(&mut init);
    init.call(SETPGID, &[Of(pid), NONE]).expect(NONE, 4);
    init.call(IOCTL, &[NONE, TIOCSPGRP, pid.address()]).expect(NONE, 5);
    exit(&mut init, 5);
    init.place(job).call(GETPID, &[]).keep(own);
    let long = time(&mut init, 900);
    init.call(NANOSLEEP, &[long, NONE]);
    exit(&mut init, 6);
    assert_eq!(System::solo(&init).status(), 0);
}
