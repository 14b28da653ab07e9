//! Scripted programs on one board that read their signals from a descriptor.

use crate::support::System;
use crate::support::calls::{
    CLONE, CLOSE, DUP3, EPOLL_CREATE, EPOLL_CTL, EPOLL_PWAIT, GETPID, GETPPID, KILL, NANOSLEEP, NONE, ONE, PPOLL, READ,
    SIGCHLD, SIGNALFD, SIGPROCMASK, behind, error, exit, expect_word, set, wait_status, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Of, Value};

const LATER_NS: u64 = 7_000_001;
const NEW: Argument = Value(u64::MAX);
const SET_BYTES: Argument = Value(8);
const NONBLOCK: Argument = Value(0o4000);
const SIGUSR1: u64 = 10;
const SIGUSR2: u64 = 12;

/// A script that blocks these signals and has them as descriptor 0.
fn with_signals(signals: &[u64]) -> Script {
    let mut init = Script::new();
    let set = set(&mut init, signals);
    init.call(SIGPROCMASK, &[NONE, set, NONE, SET_BYTES]).expect(NONE, 90);
    init.call(SIGNALFD, &[NEW, set, SET_BYTES, NONE]).expect(NONE, 91);
    init
}

fn sleep(script: &mut Script) {
    let time = words(script, &[0, LATER_NS]);
    script.call(NANOSLEEP, &[time, NONE]);
}

#[test]
fn signalfd_read_waits_for_signal() {
    let mut init = with_signals(&[SIGUSR1, SIGUSR2]);
    let (child, parent) = (init.label(), init.variable());
    let info = words(&mut init, &[9; 40]);
    let poll = init.bytes(&[0, 0, 0, 0, 1, 0, 0, 0]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(READ, &[NONE, info, Value(127)]).expect(error(22), 1);
    init.call(PPOLL, &[poll, ONE, NONE, NONE]).expect(ONE, 2);
    init.call(READ, &[NONE, info, Value(320)]).expect(Value(128), 5);
    expect_word(&mut init, info, SIGUSR1, 6);
    expect_word(&mut init, behind(info, 128), 9, 7); // nothing behind it
    // The second one ends a wait of the read itself.
    init.call(READ, &[NONE, info, Value(320)]).expect(Value(128), 8);
    expect_word(&mut init, info, SIGUSR2, 9);
    wait_status(&mut init);
    init.expect(NONE, 12);
    exit(&mut init, 0);
    init.place(child).call(GETPPID, &[]).keep(parent);
    for signal in [SIGUSR1, SIGUSR2] {
        sleep(&mut init);
        init.call(KILL, &[Of(parent), Value(signal)]).expect(NONE, 13);
    }
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    let end_ns = system.boards[0].core.now_ns();
    assert!((2 * LATER_NS..2 * LATER_NS + 1_000_000).contains(&end_ns), "at {end_ns} ns");
}

/// Also what is ignored unless it is blocked, as the end of a child; a set is changed with its copies.
#[test]
fn signalfd_reports_child_exit_and_new_set() {
    let mut init = with_signals(&[17, SIGUSR1]);
    let child = init.label();
    let info = words(&mut init, &[9; 16]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(READ, &[NONE, info, Value(128)]).expect(Value(128), 1);
    expect_word(&mut init, info, 17, 2);
    expect_word(&mut init, behind(info, 40), 5 << 32 | 5, 3);
    let (own, other) = (set(&mut init, &[SIGUSR1]), set(&mut init, &[SIGUSR2]));
    init.call(DUP3, &[NONE, Value(7), NONE]).expect(Value(7), 4);
    init.call(SIGNALFD, &[NEW, own, SET_BYTES, NONBLOCK]).expect(ONE, 5);
    init.call(KILL, &[ONE, Value(SIGUSR1)]).expect(NONE, 6);
    init.call(SIGNALFD, &[ONE, other, SET_BYTES, NONBLOCK]).expect(ONE, 7);
    init.call(READ, &[ONE, info, Value(128)]).expect(error(11), 8);
    init.call(SIGNALFD, &[NONE, other, SET_BYTES, NONE]).expect(NONE, 9);
    let both = init.bytes(&[7, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let soon = words(&mut init, &[0, 1000]);
    init.call(PPOLL, &[both, Value(2), soon, NONE]).expect(NONE, 10);
    init.call(SIGNALFD, &[Value(7), own, SET_BYTES, NONE]).expect(Value(7), 11);
    init.call(PPOLL, &[both, Value(2), NONE, NONE]).expect(ONE, 12);
    init.call(READ, &[NONE, info, Value(128)]).expect(Value(128), 13);
    expect_word(&mut init, info, SIGUSR1, 14);
    wait_status(&mut init);
    exit(&mut init, 0);
    init.place(child);
    sleep(&mut init);
    exit(&mut init, 5);
    assert_eq!(System::solo(&init).status(), 0, "{:?}", System::log());
}

/// Also of a set of watches: the copy is as good as what was watched, which a new one at that number is not.
/// Holds: descriptors.
#[test]
fn signalfd_epoll_watch_follows_copy() {
    let mut init = with_signals(&[SIGUSR1]);
    let (event, room, signals) = (words(&mut init, &[1, 5]), words(&mut init, &[0; 16]), set(&mut init, &[SIGUSR2]));
    let (pid, unblocked) = (init.variable(), set(&mut init, &[SIGUSR1, SIGUSR2]));
    init.call(SIGPROCMASK, &[NONE, unblocked, NONE, SET_BYTES]).expect(NONE, 1);
    init.call(EPOLL_CREATE, &[NONE]).expect(ONE, 2);
    init.call(EPOLL_CTL, &[ONE, ONE, NONE, event]).expect(NONE, 3);
    init.call(DUP3, &[NONE, Value(7), NONE]).expect(Value(7), 4);
    init.call(CLOSE, &[NONE]).expect(NONE, 5);
    init.call(GETPID, &[]).keep(pid);
    init.call(KILL, &[Of(pid), Value(SIGUSR1)]).expect(NONE, 6);
    init.call(EPOLL_PWAIT, &[ONE, room, Value(9), NONE, NONE, SET_BYTES]).expect(ONE, 7);
    expect_word(&mut init, behind(room, 8), 5, 8);
    init.call(READ, &[Value(7), room, Value(128)]).expect(Value(128), 9);
    // Another one at the first one's number is not watched, and can be.
    init.call(SIGNALFD, &[NEW, signals, SET_BYTES, NONE]).expect(NONE, 10);
    init.call(KILL, &[Of(pid), Value(SIGUSR2)]).expect(NONE, 11);
    init.call(EPOLL_PWAIT, &[ONE, room, Value(9), NONE, NONE, SET_BYTES]).expect(NONE, 12);
    init.call(EPOLL_CTL, &[ONE, ONE, NONE, event]).expect(NONE, 13);
    init.call(EPOLL_CTL, &[ONE, ONE, NONE, event]).expect(error(17), 14);
    init.call(EPOLL_PWAIT, &[ONE, room, Value(9), NONE, NONE, SET_BYTES]).expect(ONE, 15);
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0, "{:?}", System::log());
}
