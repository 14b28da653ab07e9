//! Descriptors of processes: polled, waited for and signalled, on their board and from another one.

use crate::support::System;
use crate::support::calls::{
    CLONE, CLOSE, FORK_ON, GETPID, NANOSLEEP, NONE, ONE, PPOLL, READ, SIGCHLD, behind, error, exit, expect_word,
    handle, time, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Code, Of, Value};

const WAITID: u64 = 95;
const CLONE3: u64 = 435;
const PIDFD_SEND_SIGNAL: u64 = 424;
const PIDFD_OPEN: u64 = 434;
const P_PIDFD: Argument = Value(3);
const WEXITED: u64 = 4;
const WNOHANG: u64 = 1;
const NONBLOCK: Argument = Value(0o4000);
const CLONE_PIDFD: u64 = 0x1000;
const SIGUSR1: u64 = 10;
const ESRCH: i64 = 3;
const EBADF: i64 = 9;
const ECHILD: i64 = 10;
const EAGAIN: i64 = 11;
const EFAULT: i64 = 14;
const EINVAL: i64 = 22;

fn run(boards: usize, init: &Script) {
    let system = System::new(boards, &[("/sbin/init", init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
}

/// A child on `board` sleeps; its descriptor is polled, and waited for.
fn end_is_seen(boards: usize, board: u64) {
    let mut init = with_console();
    let (child, pid, info) = (init.label(), init.variable(), words(&mut init, &[0; 16]));
    let (entry, now) = (init.bytes(&[1, 0, 0, 0, 1, 0, 0, 0]), words(&mut init, &[0, 0]));
    init.call(FORK_ON, &[Value(board)]).jump_if_zero(child).keep(pid);
    init.call(PIDFD_OPEN, &[Of(pid), NONE]).expect(ONE, 1);
    init.call(PPOLL, &[entry, ONE, now, NONE]).expect(NONE, 2);
    init.call(READ, &[ONE, info, Value(8)]).expect(error(EINVAL), 3);
    init.call(PPOLL, &[entry, ONE, NONE, NONE]).expect(ONE, 4);
    expect_word(&mut init, entry, 1 << 48 | 1 << 32 | 1, 5);
    // A descriptor of one that has ended, and was not waited for, is readable at once.
    init.call(PIDFD_OPEN, &[Of(pid), NONE]).expect(Value(2), 6);
    init.call(PIDFD_SEND_SIGNAL, &[Value(2), NONE, NONE, NONE]).expect(NONE, 7);
    init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(NONE, 8);
    expect_word(&mut init, behind(info, 24), 6, 9);
    init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(error(ECHILD), 10);
    init.call(PPOLL, &[entry, ONE, now, NONE]).expect(ONE, 11);
    init.call(PIDFD_SEND_SIGNAL, &[ONE, Value(SIGUSR1), NONE, NONE]).expect(error(ESRCH), 12);
    init.call(PIDFD_OPEN, &[Of(pid), NONE]).expect(error(ESRCH), 13);
    exit(&mut init, 0);
    init.place(child);
    let time = time(&mut init, 5);
    init.call(NANOSLEEP, &[time, NONE]);
    exit(&mut init, 6);
    run(boards, &init);
}

#[test]
fn pidfd_is_readable_when_its_process_has_ended() {
    end_is_seen(1, 0);
}

#[test]
fn pidfd_of_process_on_other_board_sees_its_end() {
    end_is_seen(2, 1);
}

#[test]
fn pidfd_signals_its_process() {
    let mut init = with_console();
    let (child, pid, handler) = (init.label(), init.variable(), init.label());
    handle(&mut init, SIGUSR1, Code(handler), 0);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child).keep(pid);
    init.call(PIDFD_OPEN, &[Of(pid), NONE]).expect(ONE, 1);
    let (wrong, own) = (words(&mut init, &[9, 0, 0, 0]), words(&mut init, &[SIGUSR1, 0, 0, 0]));
    for (arguments, errno) in [
        ([ONE, Value(SIGUSR1), NONE, ONE], EINVAL),
        ([NONE, Value(SIGUSR1), NONE, NONE], EBADF),
        ([Value(9), Value(SIGUSR1), NONE, NONE], EBADF),
        ([ONE, Value(65), NONE, NONE], EINVAL),
        ([ONE, Value(u64::MAX), NONE, NONE], EINVAL),
        ([ONE, Value(SIGUSR1), Value(64), NONE], EFAULT),
        ([ONE, Value(SIGUSR1), wrong, NONE], EINVAL),
        ([ONE, Value(SIGUSR1), own, NONE], 1),
    ] {
        init.call(PIDFD_SEND_SIGNAL, &arguments).expect(error(errno), 2);
    }
    init.call(PIDFD_SEND_SIGNAL, &[ONE, NONE, NONE, NONE]).expect(NONE, 3);
    init.call(PIDFD_SEND_SIGNAL, &[ONE, Value(SIGUSR1), NONE, NONE]).expect(NONE, 4);
    let status = wait_status(&mut init);
    init.take(Of(status)).expect(Value(4 << 8), 5);
    exit(&mut init, 0);
    init.place(child);
    let long = time(&mut init, 900);
    init.call(NANOSLEEP, &[long, NONE]);
    exit(&mut init, 5);
    init.place(handler);
    exit(&mut init, 4);
    run(2, &init);
}

#[test]
fn pidfd_bad_arguments_fail_as_on_linux() {
    let mut init = with_console();
    let (child, pid, parent, info) = (init.label(), init.variable(), init.label(), words(&mut init, &[0; 16]));
    for (number, flags, errno) in
        [(NONE, NONE, EINVAL), (Value(u64::MAX), NONE, EINVAL), (Value(4000), NONE, ESRCH), (ONE, ONE, EINVAL)]
    {
        init.call(PIDFD_OPEN, &[number, flags]).expect(error(errno), 1);
    }
    init.call(GETPID, &[]).keep(pid);
    init.call(PIDFD_OPEN, &[Of(pid), NONBLOCK]).expect(ONE, 2);
    init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(error(ECHILD), 3);
    init.call(WAITID, &[P_PIDFD, NONE, info, Value(WEXITED), NONE]).expect(error(EBADF), 4);
    init.call(WAITID, &[P_PIDFD, Value(7), info, Value(WEXITED), NONE]).expect(error(EBADF), 5);
    init.call(WAITID, &[P_PIDFD, Value(u64::MAX), info, Value(WEXITED), NONE]).expect(error(EINVAL), 6);
    init.call(CLOSE, &[ONE]).expect(NONE, 7);
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child).keep(pid).jump(parent);
    init.place(parent);
    init.call(PIDFD_OPEN, &[Of(pid), NONBLOCK]).expect(ONE, 8);
    init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(error(EAGAIN), 9);
    init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED | WNOHANG), NONE]).expect(NONE, 10);
    init.call(CLOSE, &[ONE]).expect(NONE, 11);
    init.call(PIDFD_OPEN, &[Of(pid), NONE]).expect(ONE, 12);
    init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(NONE, 13);
    exit(&mut init, 0);
    init.place(child);
    let time = time(&mut init, 5);
    init.call(NANOSLEEP, &[time, NONE]);
    exit(&mut init, 0);
    run(1, &init);
}

#[test]
fn clone_gives_descriptor_to_parent_alone() {
    let mut init = with_console();
    let (number, info) = (words(&mut init, &[0]), words(&mut init, &[0; 16]));
    let Argument::Address(at) = number else { unreachable!("data has an address") };
    let structure = words(&mut init, &[CLONE_PIDFD, at, 0, 0, 17, 0, 0, 0, 0, 0, 0]);
    for by_structure in [false, true] {
        let (child, parent) = (init.label(), init.label());
        match by_structure {
            false => init.call(CLONE, &[Value(CLONE_PIDFD | 17), NONE, number]),
            true => init.call(CLONE3, &[structure, Value(88)]),
        };
        init.jump_if_zero(child).jump(parent);
        init.place(child);
        // It does not have the descriptor.
        init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(error(EBADF), 3);
        exit(&mut init, 7);
        init.place(parent);
        expect_word(&mut init, number, 1, 1);
        init.call(WAITID, &[P_PIDFD, ONE, info, Value(WEXITED), NONE]).expect(NONE, 2);
        expect_word(&mut init, behind(info, 24), 7, 4);
        init.call(CLOSE, &[ONE]).expect(NONE, 5);
        init.take(NONE).write_word(number);
    }
    let nowhere = words(&mut init, &[CLONE_PIDFD, 64, 0, 0, 17, 0, 0, 0, 0, 0, 0]);
    init.call(CLONE3, &[nowhere, Value(88)]).expect(error(EFAULT), 6);
    init.call(CLONE, &[Value(CLONE_PIDFD | 0x10_0000 | 17), NONE, number]).expect(error(EINVAL), 7);
    init.call(CLONE, &[Value(CLONE_PIDFD | 0x3d_0f00), NONE, number]).expect(error(EINVAL), 8);
    exit(&mut init, 0);
    run(1, &init);
}

/// `SIGCHLD` is ignored, so nothing is left of the child when its descriptor is made.
#[test]
fn clone_with_descriptor_succeeds_when_child_is_gone() {
    let mut init = with_console();
    handle(&mut init, 17, ONE, 0);
    let (number, entry) = (words(&mut init, &[0]), init.bytes(&[1, 0, 0, 0, 1, 0, 0, 0]));
    // By `vfork`, which copies nothing, and as a copy.
    for flags in [0x4100, 0] {
        let (child, pid, parent) = (init.label(), init.variable(), init.label());
        init.call(CLONE, &[Value(CLONE_PIDFD | flags | 17), NONE, number]).jump_if_zero(child).keep(pid).jump(parent);
        init.place(child);
        exit(&mut init, 0);
        init.place(parent);
        init.call(PPOLL, &[entry, ONE, NONE, NONE]).expect(ONE, 1);
        init.call(PIDFD_SEND_SIGNAL, &[ONE, NONE, NONE, NONE]).expect(error(ESRCH), 2);
        init.call(CLOSE, &[ONE]).expect(NONE, 3);
        init.take(Of(pid)).expect(Of(pid), 4);
    }
    exit(&mut init, 0);
    run(1, &init);
}

/// The child writes where its descriptor's number is, in the space that it borrows: that stays.
#[test]
fn vfork_parent_leaves_borrowed_space_alone() {
    let mut init = with_console();
    let (number, child, parent) = (words(&mut init, &[0]), init.label(), init.label());
    init.call(CLONE, &[Value(CLONE_PIDFD | 0x4100 | 17), NONE, number]).jump_if_zero(child).jump(parent);
    init.place(child);
    expect_word(&mut init, number, 1, 1);
    init.take(Value(77)).write_word(number);
    exit(&mut init, 0);
    init.place(parent);
    expect_word(&mut init, number, 77, 2);
    init.call(CLOSE, &[ONE]).expect(NONE, 3);
    exit(&mut init, 0);
    run(1, &init);
}
