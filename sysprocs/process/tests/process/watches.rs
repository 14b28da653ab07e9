//! Scripted programs on two boards that wait for sets of watches.

use crate::support::calls::{
    AT_FDCWD, CLOSE, DUP3, EPOLL_CREATE, EPOLL_CTL, EPOLL_PWAIT, FORK_ON, NANOSLEEP, NONE, ONE, OPENAT, PIPE2, READ,
    WRITE, behind, error, exit, expect_word, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use crate::support::{System, WATCHES};
use Argument::Value;

const MS: u64 = 1_000_000;
const ADD: Argument = ONE;
const REMOVE: Argument = Value(2);
const MODIFY: Argument = Value(3);
const IN: u64 = 1;
const EDGES: u64 = 1 << 31;
const FOREVER: Argument = Value(u64::MAX);
const EBADF: i64 = 9;
const EEXIST: i64 = 17;
const EINVAL: i64 = 22;
const ENOENT: i64 = 2;
const ENOSPC: i64 = 28;
const ELOOP: i64 = 40;
const EPERM: i64 = 1;

fn run(boards: usize, init: &Script) -> u64 {
    let system = System::new(boards, &[("/sbin/init", init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    system.boards[0].core.now_ns()
}

/// Makes set 1 and a pipe whose ends are 2 and 3.
fn with_set() -> Script {
    let mut script = with_console();
    script.call(EPOLL_CREATE, &[NONE]).expect(ONE, 101);
    let ends = script.bytes(&[0; 8]);
    script.call(PIPE2, &[ends, NONE]).expect(NONE, 102);
    script
}

/// An event of a set that is at descriptor 1: waits `ms` for one, expects its events and data.
fn expect_event(script: &mut Script, ms: Argument, event: [u64; 2], otherwise: u64) {
    let room = words(script, &[0; 2]);
    script.call(EPOLL_PWAIT, &[ONE, room, Value(9), ms, NONE, Value(8)]).expect(ONE, otherwise);
    expect_word(script, room, event[0], otherwise + 1);
    expect_word(script, behind(room, 8), event[1], otherwise + 2);
}

fn expect_none(script: &mut Script, otherwise: u64) {
    let room = words(script, &[0; 2]);
    script.call(EPOLL_PWAIT, &[ONE, room, Value(9), NONE, NONE, Value(8)]).expect(NONE, otherwise);
}

/// The child adds a watch while its parent waits, and then makes it ready; each on its board.
#[test]
fn epoll_set_is_shared_between_boards() {
    let mut init = with_set();
    let child = init.label();
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    expect_event(&mut init, FOREVER, [IN, 77], 1);
    let room = init.bytes(&[0; 8]);
    init.call(READ, &[Value(2), room, ONE]).expect(ONE, 4);
    expect_none(&mut init, 5);
    wait_status(&mut init);
    init.expect(NONE, 6);
    // The child's watch reports to the parent, whose copy is open.
    init.call(WRITE, &[Value(3), room, ONE]).expect(ONE, 7);
    expect_event(&mut init, NONE, [IN, 77], 8);
    init.call(CLOSE, &[Value(2)]).expect(NONE, 11);
    expect_none(&mut init, 12);
    exit(&mut init, 0);
    init.place(child);
    let (time, event) = (words(&mut init, &[0, 5 * MS]), words(&mut init, &[IN, 77]));
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(2), event]).expect(NONE, 13);
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(WRITE, &[Value(3), event, ONE]).expect(ONE, 14);
    exit(&mut init, 0);
    let end_ns = run(2, &init);
    assert!((10 * MS..12 * MS).contains(&end_ns), "at {end_ns} ns");
}

/// A waiter on a board without the watched object gets no report, and takes it from no other.
#[test]
fn epoll_watch_survives_process_without_object() {
    let mut init = with_set();
    let child = init.label();
    let event = words(&mut init, &[IN, 5]);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(2), event]).expect(NONE, 1);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(NONE, 2);
    expect_event(&mut init, NONE, [IN, 5], 3);
    exit(&mut init, 0);
    init.place(child);
    init.call(WRITE, &[Value(3), event, ONE]).expect(ONE, 6);
    init.call(CLOSE, &[Value(2)]).expect(NONE, 7);
    expect_none(&mut init, 8);
    exit(&mut init, 0);
    run(2, &init);
}

/// Of an edge that both wait for, each on its board, one gets the report; the other's wait times out.
#[test]
fn epoll_edge_wakes_one_waiter() {
    let mut init = with_set();
    let child = init.label();
    let event = words(&mut init, &[IN | EDGES, 5]);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(2), event]).expect(NONE, 1);
    let room = words(&mut init, &[0; 2]);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    let time = words(&mut init, &[0, 5 * MS]);
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(WRITE, &[Value(3), event, ONE]).expect(ONE, 2);
    init.call(EPOLL_PWAIT, &[ONE, room, Value(9), Value(20), NONE, Value(8)]).expect(NONE, 3);
    wait_status(&mut init);
    init.expect(NONE, 4);
    expect_none(&mut init, 5);
    init.call(WRITE, &[Value(3), event, ONE]).expect(ONE, 6);
    expect_event(&mut init, NONE, [IN, 5], 7);
    exit(&mut init, 0);
    init.place(child);
    init.call(EPOLL_PWAIT, &[ONE, room, Value(9), Value(20), NONE, Value(8)]).expect(ONE, 10);
    exit(&mut init, 0);
    run(2, &init);
}

#[test]
fn epoll_ctl_refuses_what_linux_refuses() {
    let mut init = with_set();
    let event = words(&mut init, &[IN, 5]);
    init.call(EPOLL_CREATE, &[ONE]).expect(error(EINVAL), 1);
    for (set, operation, number, refused) in [
        (ONE, ADD, Value(9), EBADF),
        (Value(9), ADD, Value(2), EBADF),
        (ONE, ADD, ONE, EINVAL),
        (Value(2), ADD, Value(3), EINVAL),
        (ONE, NONE, Value(2), EINVAL),
        (ONE, MODIFY, Value(2), ENOENT),
        (ONE, REMOVE, Value(2), ENOENT),
    ] {
        init.call(EPOLL_CTL, &[set, operation, number, event]).expect(error(refused), 2);
    }
    let null = init.string("/dev/null");
    init.call(OPENAT, &[AT_FDCWD, null, NONE, NONE]).expect(Value(4), 3);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(4), event]).expect(error(EPERM), 4);
    init.call(EPOLL_CREATE, &[NONE]).expect(Value(5), 5);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(5), event]).expect(error(ELOOP), 6);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(2), event]).expect(NONE, 7);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(2), event]).expect(error(EEXIST), 8);
    init.call(EPOLL_PWAIT, &[ONE, event, NONE, NONE, NONE, Value(8)]).expect(error(EINVAL), 9);
    init.call(EPOLL_PWAIT, &[Value(2), event, ONE, NONE, NONE, Value(8)]).expect(error(EINVAL), 10);
    // All that the board has; a set that is closed gives its own back.
    for copy in 0..WATCHES as u64 - 1 {
        init.call(DUP3, &[Value(3), Value(20 + copy), NONE]);
        init.call(EPOLL_CTL, &[Value(5), ADD, Value(20 + copy), event]).expect(NONE, 11);
    }
    init.call(EPOLL_CTL, &[ONE, ADD, Value(3), event]).expect(error(ENOSPC), 12);
    init.call(CLOSE, &[Value(5)]).expect(NONE, 13);
    init.call(EPOLL_CTL, &[ONE, ADD, Value(3), event]).expect(NONE, 14);
    exit(&mut init, 0);
    run(1, &init);
}
