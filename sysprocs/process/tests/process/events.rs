//! Scripted programs on two boards that count and wait for times by descriptors.

use crate::support::System;
use crate::support::calls::{
    CLOSE, EVENTFD, FORK_ON, NANOSLEEP, NONE, ONE, PPOLL, READ, TIMERFD_CREATE, TIMERFD_GETTIME, TIMERFD_SETTIME,
    WRITE, behind, error, exit, expect_word, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::Value;

const MS: u64 = 1_000_000;
const EIGHT: Argument = Value(8);
const NONBLOCK: Argument = Value(0o4000);
const CLOCK_REALTIME: Argument = Value(0);
const CLOCK_MONOTONIC: Argument = Value(1);
const ABSOLUTE: Argument = Value(1);
const EAGAIN: i64 = 11;
const EBADF: i64 = 9;
const EINVAL: i64 = 22;
const ENFILE: i64 = 23;

fn run(boards: usize, init: &Script) -> u64 {
    let system = System::new(boards, &[("/sbin/init", init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    system.boards[0].core.now_ns()
}

/// Each waits on its board for the other: the reader for a count, the writer for room.
#[test]
fn eventfd_count_is_shared_between_boards() {
    let mut init = with_console();
    let child = init.label();
    init.call(EVENTFD, &[NONE, NONE]).expect(ONE, 1);
    init.call(EVENTFD, &[NONE, NONE]).expect(Value(2), 2);
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    let (most, two, room) = (words(&mut init, &[u64::MAX - 1]), words(&mut init, &[2]), words(&mut init, &[0]));
    init.call(READ, &[ONE, room, EIGHT]).expect(EIGHT, 3);
    expect_word(&mut init, room, 2, 4);
    // No room for more until the child has read.
    init.call(WRITE, &[Value(2), most, EIGHT]).expect(EIGHT, 5);
    init.call(WRITE, &[Value(2), two, EIGHT]).expect(EIGHT, 6);
    wait_status(&mut init);
    init.expect(NONE, 7);
    init.call(READ, &[Value(2), room, EIGHT]).expect(EIGHT, 8);
    expect_word(&mut init, room, 2, 9);
    exit(&mut init, 0);
    init.place(child);
    let time = words(&mut init, &[0, 7 * MS]);
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(WRITE, &[ONE, two, EIGHT]).expect(EIGHT, 10);
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(READ, &[Value(2), room, EIGHT]).expect(EIGHT, 11);
    expect_word(&mut init, room, u64::MAX - 1, 12);
    exit(&mut init, 0);
    let end_ns = run(2, &init);
    assert!((14 * MS..16 * MS).contains(&end_ns), "at {end_ns} ns");
}

#[test]
fn eventfd_semaphore_reads_one_and_polls() {
    let mut init = with_console();
    init.call(EVENTFD, &[Value(2), Value(0o4001)]).expect(ONE, 1);
    let (room, entry) = (words(&mut init, &[7]), init.bytes(&[1, 0, 0, 0, 5, 0, 0, 0]));
    let now = words(&mut init, &[0, 0]);
    for _ in 0..2 {
        init.call(PPOLL, &[entry, ONE, now, NONE]).expect(ONE, 2);
        expect_word(&mut init, entry, 5 << 48 | 5 << 32 | 1, 3);
        init.call(READ, &[ONE, room, EIGHT]).expect(EIGHT, 4);
        expect_word(&mut init, room, 1, 5);
    }
    init.call(READ, &[ONE, room, EIGHT]).expect(error(EAGAIN), 6);
    init.call(PPOLL, &[entry, ONE, now, NONE]).expect(ONE, 7);
    expect_word(&mut init, entry, 4 << 48 | 5 << 32 | 1, 8);
    exit(&mut init, 0);
    run(1, &init);
}

#[test]
fn eventfd_short_or_invalid_value_is_refused() {
    let mut init = with_console();
    init.call(EVENTFD, &[NONE, Value(2)]).expect(error(EINVAL), 1);
    init.call(EVENTFD, &[NONE, NONBLOCK]).expect(ONE, 2);
    let (all, room) = (words(&mut init, &[u64::MAX]), words(&mut init, &[0]));
    init.call(WRITE, &[ONE, all, EIGHT]).expect(error(EINVAL), 3);
    init.call(WRITE, &[ONE, all, Value(7)]).expect(error(EINVAL), 4);
    init.call(READ, &[ONE, room, Value(7)]).expect(error(EINVAL), 5);
    init.call(TIMERFD_CREATE, &[Value(2), NONE]).expect(error(EINVAL), 6);
    init.call(TIMERFD_CREATE, &[CLOCK_MONOTONIC, Value(1)]).expect(error(EINVAL), 7);
    let setting = words(&mut init, &[0, 0, 0, 1]);
    init.call(TIMERFD_SETTIME, &[ONE, NONE, setting, NONE]).expect(error(EINVAL), 8);
    init.call(TIMERFD_SETTIME, &[Value(9), NONE, setting, NONE]).expect(error(EBADF), 9);
    init.call(TIMERFD_CREATE, &[CLOCK_MONOTONIC, NONE]).expect(Value(2), 10);
    let wrong = words(&mut init, &[0, 0, 0, 1_000_000_000]);
    init.call(TIMERFD_SETTIME, &[Value(2), NONE, wrong, NONE]).expect(error(EINVAL), 11);
    init.call(TIMERFD_SETTIME, &[Value(2), Value(4), setting, NONE]).expect(error(EINVAL), 12);
    init.call(WRITE, &[Value(2), room, EIGHT]).expect(error(EINVAL), 13);
    init.call(CLOSE, &[Value(2)]).expect(NONE, 14);
    // All that the board has; those that are closed come back.
    for number in 1..crate::support::EVENTS as u64 {
        init.call(EVENTFD, &[NONE, NONE]).expect(Value(number + 1), 15);
    }
    init.call(EVENTFD, &[NONE, NONE]).expect(error(ENFILE), 16);
    init.call(CLOSE, &[Value(3)]).expect(NONE, 17);
    init.call(EVENTFD, &[NONE, NONE]).expect(Value(3), 18);
    exit(&mut init, 0);
    run(1, &init);
}

/// A timer of init's board, which the child waits for on the other one.
#[test]
fn timerfd_read_on_other_board_gets_expirations() {
    let mut init = with_console();
    let child = init.label();
    init.call(TIMERFD_CREATE, &[CLOCK_MONOTONIC, NONE]).expect(ONE, 1);
    let (setting, old) = (words(&mut init, &[0, 2 * MS, 0, 5 * MS]), words(&mut init, &[9; 4]));
    init.call(TIMERFD_SETTIME, &[ONE, NONE, setting, old]).expect(NONE, 2);
    for word in 0..4 {
        expect_word(&mut init, behind(old, 8 * word), 0, 3);
    }
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(NONE, 4);
    exit(&mut init, 0);
    init.place(child);
    let (room, time) = (words(&mut init, &[0]), words(&mut init, &[0, 7 * MS]));
    init.call(READ, &[ONE, room, EIGHT]).expect(EIGHT, 5);
    expect_word(&mut init, room, 1, 6);
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(READ, &[ONE, room, EIGHT]).expect(EIGHT, 7);
    expect_word(&mut init, room, 3, 8);
    // It goes on where it would have been.
    init.call(READ, &[ONE, room, EIGHT]).expect(EIGHT, 9);
    expect_word(&mut init, room, 1, 10);
    exit(&mut init, 0);
    let end_ns = run(2, &init);
    assert!((13 * MS..14 * MS).contains(&end_ns), "at {end_ns} ns");
}

#[test]
fn timerfd_settings_report_remaining_and_past_times() {
    let mut init = with_console();
    init.call(TIMERFD_CREATE, &[CLOCK_REALTIME, NONBLOCK]).expect(ONE, 1);
    let (past, room) = (words(&mut init, &[0, 0, 999, 0]), words(&mut init, &[0]));
    init.call(TIMERFD_SETTIME, &[ONE, ABSOLUTE, past, NONE]).expect(NONE, 2);
    init.call(READ, &[ONE, room, EIGHT]).expect(EIGHT, 3);
    expect_word(&mut init, room, 1, 4);
    init.call(READ, &[ONE, room, EIGHT]).expect(error(EAGAIN), 5);
    let (far, left) = (words(&mut init, &[3, 0, 2_000, 0]), words(&mut init, &[0; 4]));
    init.call(TIMERFD_SETTIME, &[ONE, ABSOLUTE, far, NONE]).expect(NONE, 6);
    init.call(TIMERFD_GETTIME, &[ONE, left]).expect(NONE, 7);
    expect_word(&mut init, left, 3, 8);
    expect_word(&mut init, behind(left, 16), 999, 9);
    let never = words(&mut init, &[0; 4]);
    init.call(TIMERFD_SETTIME, &[ONE, NONE, never, NONE]).expect(NONE, 10);
    init.call(TIMERFD_GETTIME, &[ONE, left]).expect(NONE, 11);
    expect_word(&mut init, behind(left, 16), 0, 12);
    exit(&mut init, 0);
    run(1, &init);
}
