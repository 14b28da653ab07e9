//! News of children: that they ended, stopped or go on, peeked at or consumed, wherever they run.

use crate::support::System;
use crate::support::calls::{
    ANY, CLONE, EXIT, FORK_ON, KILL, NANOSLEEP, NONE, ONE, SETPGID, SIGCHLD, WAIT4, behind, error, exit, expect_word,
    words,
};
use crate::support::script::{Argument, Script, Variable};
use Argument::{Of, Value};

const WAITID: u64 = 95;
const P_ALL: Argument = NONE;
const P_PID: Argument = Value(1);
const P_PGID: Argument = Value(2);
const NO_HANG: u64 = 1;
const STOPPED: u64 = 2;
const EXITED: u64 = 4;
const GONE_ON: u64 = 8;
const PEEK: u64 = 0x0100_0000;
const ECHILD: i64 = 10;
const EINVAL: i64 = 22;

/// Waits for `child` with `options`, and expects that news.
fn expect_news(init: &mut Script, child: Variable, options: u64, (code, status): (u64, u64), otherwise: u64) {
    let info = words(init, &[u64::MAX; 16]);
    init.call(WAITID, &[P_PID, Of(child), info, Value(options), NONE]).expect(NONE, otherwise);
    for (at, word) in [(0, 17), (8, code), (24, status)] {
        expect_word(init, behind(info, at), word, otherwise);
    }
    init.take(behind(info, 16)).read_word().expect(Of(child), otherwise);
}

fn fork(init: &mut Script, board: Option<u64>) -> Variable {
    let pid = init.variable();
    match board {
        None => init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]),
        Some(board) => init.call(FORK_ON, &[Value(board)]),
    };
    init.keep(pid);
    pid
}

fn ends_well(board: Option<u64>) {
    let mut init = Script::new();
    let (brief, long, status) = (init.label(), init.label(), init.variable());
    let time = words(&mut init, &[1_000_000, 0]);
    let child = fork(&mut init, board);
    init.jump_if_zero(brief);
    for (otherwise, options) in [(1, EXITED | PEEK), (2, EXITED | PEEK), (3, EXITED)] {
        expect_news(&mut init, child, options, (1, 7), otherwise);
    }
    init.call(WAITID, &[P_PID, Of(child), NONE, Value(EXITED), NONE]).expect(error(ECHILD), 4);
    let child = fork(&mut init, board);
    init.jump_if_zero(long);
    init.call(KILL, &[Of(child), Value(19)]);
    expect_news(&mut init, child, STOPPED | PEEK, (5, 19), 5);
    expect_news(&mut init, child, STOPPED | EXITED, (5, 19), 6);
    init.call(WAITID, &[P_ALL, NONE, NONE, Value(GONE_ON | STOPPED | NO_HANG), NONE]).expect(NONE, 7);
    init.call(KILL, &[Of(child), Value(18)]);
    expect_news(&mut init, child, GONE_ON | STOPPED, (6, 18), 8);
    init.call(WAIT4, &[ANY, NONE, Value(GONE_ON | NO_HANG), NONE]).expect(NONE, 9);
    init.call(KILL, &[Of(child), Value(19)]);
    init.call(WAIT4, &[ANY, NONE, Value(STOPPED), NONE]).expect(Of(child), 10);
    init.call(KILL, &[Of(child), Value(18)]);
    init.call(WAIT4, &[ANY, status.address(), Value(GONE_ON), NONE]).expect(Of(child), 11);
    init.take(Of(status)).expect(Value(0xffff), 12);
    init.call(KILL, &[Of(child), Value(9)]);
    expect_news(&mut init, child, EXITED | PEEK, (2, 9), 13);
    // A wait without `WEXITED` does not report ended children.
    let info = words(&mut init, &[u64::MAX; 16]);
    init.call(WAITID, &[P_ALL, NONE, info, Value(STOPPED | NO_HANG), NONE]).expect(NONE, 14);
    expect_word(&mut init, behind(info, 16), 0, 15);
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]).expect(Of(child), 16);
    exit(&mut init, 0);
    init.place(brief).call(EXIT, &[Value(7)]);
    init.place(long).call(NANOSLEEP, &[time, NONE]);
    exit(&mut init, 0);
    assert_eq!(System::new(2, &[("/sbin/init", &init)]).status(), 0, "{board:?}");
}

/// Holds: waits.
#[test]
fn waitid_nowait_keeps_status() {
    ends_well(None);
    ends_well(Some(1));
}

#[test]
fn waitid_invalid_options_are_refused() {
    let mut init = Script::new();
    for (otherwise, kind, id, options) in [
        (1, 0, 0, 0),
        (2, 0, 0, PEEK),
        (3, 0, 0, EXITED | 64),
        (4, 1, 0, EXITED),
        (5, 2, u64::MAX, EXITED),
        (6, 7, 1, EXITED),
    ] {
        let arguments = [Value(kind), Value(id), NONE, Value(options), NONE];
        init.call(WAITID, &arguments).expect(error(EINVAL), otherwise);
    }
    init.call(WAIT4, &[ANY, NONE, Value(PEEK), NONE]).expect(error(EINVAL), 7);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// Whose number is also how `wait4` says "any".
/// Holds: waits.
#[test]
fn waitid_group_one_is_waited_for() {
    let mut init = Script::new();
    let (child, time) = (init.label(), words(&mut init, &[0, 1_000_000]));
    let other = fork(&mut init, None);
    init.jump_if_zero(child);
    init.call(SETPGID, &[Of(other), Of(other)]).expect(NONE, 1);
    init.call(WAITID, &[P_PGID, ONE, NONE, Value(EXITED), NONE]).expect(error(ECHILD), 2);
    init.call(WAITID, &[P_PGID, Of(other), NONE, Value(EXITED), NONE]).expect(NONE, 3);
    for group in [ONE, NONE] {
        fork(&mut init, None);
        init.jump_if_zero(child);
        init.call(WAITID, &[P_PGID, group, NONE, Value(EXITED), NONE]).expect(NONE, 4);
    }
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[time, NONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0, "{:?}", System::log());
}
