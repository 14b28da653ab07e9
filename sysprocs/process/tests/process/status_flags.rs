//! Scripted programs that share what their descriptors stand for: what one sets of it, the others see, on any board.

use crate::support::System;
use crate::support::calls::{
    AT_FDCWD, CLONE, DUP3, EVENTFD, FCNTL, FORK_ON, NONE, ONE, OPENAT, PIPE2, READ, SIGCHLD, WRITE, error, exit,
    wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::Value;

const EAGAIN: i64 = 11;
const GET: Argument = Value(3);
const SET: Argument = Value(4);
const READ_WRITE: u64 = 2;
const APPEND: u64 = 0o2000;
const NONBLOCK: u64 = 0o4000;

fn run(init: &Script, boards: usize) {
    assert_eq!(System::new(boards, &[("/sbin/init", init)]).status(), 0, "{:?}", System::log());
}

/// A child of board `board` does `deed` and ends; the parent goes on then.
fn child_does(init: &mut Script, board: u64, deed: impl FnOnce(&mut Script)) {
    let (child, next) = (init.label(), init.label());
    init.call(FORK_ON, &[Value(board)]).jump_if_zero(child);
    wait_status(init);
    init.expect(NONE, 70).take(NONE).jump_if_zero(next);
    init.place(child);
    deed(init);
    exit(init, 0);
    init.place(next);
}

fn set(script: &mut Script, number: u64, flags: u64) {
    script.call(FCNTL, &[Value(number), SET, Value(flags)]).expect(NONE, 71);
}

/// That descriptor `number` has `flags`.
fn expect_flags(script: &mut Script, number: u64, flags: u64, otherwise: u64) {
    script.call(FCNTL, &[Value(number), GET, NONE]).expect(Value(flags), otherwise);
}

/// 0: the terminal; 1: an event file; 2 and 3: the ends of a pipe; 4: a copy of 2; 5: a file.
fn with_descriptors() -> Script {
    let mut script = with_console();
    let (ends, file) = (words(&mut script, &[0]), script.string("/file"));
    script.call(EVENTFD, &[NONE, NONE]).expect(ONE, 72);
    script.call(PIPE2, &[ends, NONE]).expect(NONE, 73);
    script.call(DUP3, &[Value(2), Value(4), NONE]).expect(Value(4), 74);
    script.call(OPENAT, &[AT_FDCWD, file, Value(READ_WRITE | 0o100), Value(0o644)]).expect(Value(5), 75);
    script
}

fn shared_with_board(board: u64) {
    let mut init = with_descriptors();
    let room = words(&mut init, &[0; 16]);
    child_does(&mut init, board, |child| {
        for number in [0, 1, 4] {
            set(child, number, NONBLOCK);
        }
        set(child, 5, APPEND | NONBLOCK);
    });
    for (number, access) in [(0, READ_WRITE), (1, READ_WRITE), (2, 0), (4, 0)] {
        expect_flags(&mut init, number, NONBLOCK | access, 1 + number);
        init.call(READ, &[Value(number), room, Value(100)]).expect(error(EAGAIN), 10 + number);
    }
    expect_flags(&mut init, 5, APPEND | NONBLOCK | READ_WRITE, 6);
    expect_flags(&mut init, 3, 1, 7); // the other end is another description
    set(&mut init, 2, 0);
    expect_flags(&mut init, 4, 0, 8);
    child_does(&mut init, board, |child| {
        expect_flags(child, 2, 0, 20);
        // Whose wait is over with what its parent's other child writes: it waits again.
        let (writer, room) = (child.label(), words(child, &[7]));
        child.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(writer);
        child.call(READ, &[Value(2), room, Value(8)]).expect(Value(8), 21);
        exit(child, 0);
        child.place(writer).call(WRITE, &[Value(3), room, Value(8)]).expect(Value(8), 22);
    });
    exit(&mut init, 0);
    run(&init, 2);
}

/// Holds: descriptors.
#[test]
fn status_flags_are_shared_by_open_file_description() {
    shared_with_board(0);
    shared_with_board(1);
}

/// Of what is opened by a name each program has a description of its own.
/// Holds: descriptors.
#[test]
fn status_flags_of_new_opening_are_separate() {
    let mut init = with_descriptors();
    let (terminal, file) = (init.string("/dev/console"), init.string("/file"));
    let flags = Value(READ_WRITE | NONBLOCK);
    init.call(OPENAT, &[AT_FDCWD, file, flags, NONE]).expect(Value(6), 1);
    let room = words(&mut init, &[0]);
    child_does(&mut init, 0, |child| {
        child.call(OPENAT, &[AT_FDCWD, terminal, flags, NONE]).expect(Value(7), 2);
        child.call(READ, &[Value(7), room, Value(8)]).expect(error(EAGAIN), 3);
        expect_flags(child, 7, READ_WRITE | NONBLOCK, 4);
    });
    expect_flags(&mut init, 0, READ_WRITE, 5);
    expect_flags(&mut init, 5, READ_WRITE, 6);
    expect_flags(&mut init, 6, READ_WRITE | NONBLOCK, 7);
    exit(&mut init, 0);
    run(&init, 1);
}

/// As they are made.
#[test]
fn status_flags_nonblock_at_creation_holds() {
    let mut init = with_console();
    let (ends, room) = (words(&mut init, &[0]), words(&mut init, &[0; 2]));
    init.call(PIPE2, &[ends, Value(NONBLOCK)]).expect(NONE, 1);
    init.call(EVENTFD, &[NONE, Value(NONBLOCK)]).expect(Value(3), 2);
    for (number, access) in [(1, 0), (3, READ_WRITE)] {
        expect_flags(&mut init, number, NONBLOCK | access, 3);
        init.call(READ, &[Value(number), room, Value(16)]).expect(error(EAGAIN), 4);
    }
    expect_flags(&mut init, 2, NONBLOCK | 1, 5);
    exit(&mut init, 0);
    run(&init, 1);
}
