//! Scripted programs on one board: the terminal of a session.

use crate::support::System;
use crate::support::calls::{
    AT_FDCWD, CLONE, CLOSE, FORK_ON, GETPID, IOCTL, KILL, NANOSLEEP, NONE, ONE, OPENAT, READ, SENDMSG, SETPGID,
    SIGCHLD, SOCKETPAIR, TIOCSCTTY, WAIT4, WRITE, error, exit, time, wait_status, with_console, words,
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

const TIOCSPTLCK: Argument = Value(0x4004_5431);
const TIOCGPTPEER: Argument = Value(0x5441);
const RDWR_NOCTTY: Argument = Value(0o402);
const EIO: i64 = 5;

/// Opens the master of a pair as descriptor 1 and its slave as 2.
fn open_pair(init: &mut Script) {
    let (ptmx, zero) = (init.string("/dev/ptmx"), init.variable());
    init.call(OPENAT, &[AT_FDCWD, ptmx, RDWR_NOCTTY, NONE]).expect(ONE, 50);
    init.call(IOCTL, &[ONE, TIOCGPTPEER, RDWR_NOCTTY]).expect(error(EIO), 51); // it is locked
    init.call(IOCTL, &[ONE, TIOCSPTLCK, zero.address()]).expect(NONE, 52);
    init.call(IOCTL, &[ONE, TIOCGPTPEER, RDWR_NOCTTY]).expect(Value(2), 53);
}

/// The leader of a session on another board has the slave of a pair here: keys there are signals, and so is the
/// master's end. Its own child, which is in the foreground then, is hung up by the leader's end.
#[test]
fn pseudo_terminal_serves_session_of_other_board() {
    for board in [0, 1] {
        let mut init = with_console();
        let (place, there, job) = (init.variable(), init.label(), init.label());
        let (text, keys) = (init.bytes(b"hello\n"), init.bytes(b"typed\n\x03"));
        let buffer = init.bytes(&[0; 16]);
        open_pair(&mut init);
        init.call(FORK_ON, &[Value(board)]).jump_if_zero(there);
        init.call(CLOSE, &[Value(2)]);
        init.call(READ, &[ONE, buffer, Value(16)]).expect(Value(7), 1); // hello, return and newline
        init.call(WRITE, &[ONE, keys, Value(7)]).expect(Value(7), 2);
        init.call(READ, &[ONE, buffer, ONE]).expect(ONE, 3); // what the handler wrote, or an echo
        init.call(CLOSE, &[ONE]).expect(NONE, 4);
        wait_status(&mut init);
        init.expect(Value(1), 5); // SIGHUP
        exit(&mut init, 0);
        init.place(there).call(CLOSE, &[ONE]).call(SETSID, &[]);
        init.call(IOCTL, &[Value(2), TIOCGPGRP, place.address()]).expect(error(ENOTTY), 20);
        init.call(IOCTL, &[Value(2), TIOCSCTTY, NONE]).expect(NONE, 21);
        init.call(IOCTL, &[NONE, TIOCGPGRP, place.address()]).expect(error(ENOTTY), 22); // the console is not its
        let (pid, own) = (init.variable(), init.variable());
        init.call(GETPID, &[]).keep(own);
        init.call(IOCTL, &[Value(2), TIOCGSID, place.address()]).expect(NONE, 23).take(Of(place)).expect(Of(own), 24);
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(job);
        init.call(SETPGID, &[Of(pid), NONE]).expect(NONE, 25);
        init.call(IOCTL, &[Value(2), TIOCSPGRP, pid.address()]).expect(NONE, 26);
        init.call(WRITE, &[Value(2), text, Value(6)]).expect(Value(6), 27);
        let status = wait_status(&mut init);
        init.take(Of(status)).expect(Value(2), 28); // SIGINT was for the child only
        let long = time(&mut init, 900);
        init.call(NANOSLEEP, &[long, NONE]);
        exit(&mut init, 29);
        init.place(job).call(NANOSLEEP, &[long, NONE]);
        exit(&mut init, 30);
        let system = System::new(2, &[("/sbin/init", &init)]);
        assert_eq!(system.status(), 0, "board {board}: {:?}", System::log());
    }
}

#[test]
fn pseudo_terminal_background_reader_is_stopped() {
    let mut init = with_console();
    let (status, pid, leader) = (init.variable(), init.variable(), init.label());
    let (job, buffer) = (init.label(), init.bytes(&[0; 4]));
    open_pair(&mut init);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(leader);
    expect_child(&mut init, 4 << 8, 1);
    exit(&mut init, 0);
    init.place(leader).call(SETSID, &[]).call(IOCTL, &[Value(2), TIOCSCTTY, NONE]).expect(NONE, 2);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(job);
    init.call(WAIT4, &[Of(pid), status.address(), Value(2), NONE]).take(Of(status)).expect(Value(21 << 8 | 0x7f), 3);
    init.call(KILL, &[Of(pid), Value(9)]);
    exit(&mut init, 4);
    init.place(job).call(SETPGID, &[NONE, NONE]).expect(NONE, 5);
    init.call(READ, &[Value(2), buffer, ONE]);
    exit(&mut init, 6);
    assert_eq!(System::solo(&init).status(), 0, "{:?}", System::log());
}

/// A master in a message that nobody receives is closed with it: the slave is hung up.
#[test]
fn pseudo_terminal_in_flight_is_closed_with_its_message() {
    let mut init = with_console();
    open_pair(&mut init);
    let (pair, buffer) = (init.variable(), init.bytes(&[0; 16]));
    let address = |argument: Argument| match argument {
        Argument::Address(at) => at,
        _ => unreachable!(),
    };
    let part = words(&mut init, &[address(buffer), 1]);
    let control = words(&mut init, &[20, 1 << 32 | 1, 1]);
    let header = words(&mut init, &[0, 0, address(part), 1, address(control), 24, 0]);
    init.call(SOCKETPAIR, &[ONE, ONE, NONE, pair.address()]).expect(NONE, 1);
    init.call(SENDMSG, &[Value(3), header, NONE]).expect(ONE, 2);
    for number in [1, 3, 4] {
        init.call(CLOSE, &[Value(number)]).expect(NONE, 3);
    }
    init.call(READ, &[Value(2), buffer, ONE]);
    init.call(READ, &[Value(2), buffer, ONE]).expect(NONE, 4);
    exit(&mut init, 0);
    let system = System::new(1, &[("/sbin/init", &init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
}
