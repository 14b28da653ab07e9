//! Scripted programs on two boards that wait for one of several things: they are woken when that is there, not later.

use crate::support::System;
use crate::support::calls::{
    FORK_ON, NANOSLEEP, NONE, ONE, PIPE2, PPOLL, WRITE, behind, exit, expect_word, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::Value;

const MS: u64 = 1_000_000;
/// No multiple of any polling interval.
const LATER_NS: u64 = 7 * MS + 1;

/// Two pipes, as descriptors 1 to 4, of the board of init.
fn with_pipes() -> Script {
    let mut init = with_console();
    let ends = init.variable();
    init.call(PIPE2, &[ends.address(), NONE]).call(PIPE2, &[ends.address(), NONE]);
    init
}

/// Waits for both pipes, of which the second gets bytes at `LATER_NS`.
fn wait_for_both(script: &mut Script, limit: Argument) {
    let both = script.bytes(&[1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]);
    script.call(PPOLL, &[both, Value(2), limit, NONE]).expect(ONE, 1);
    script.take(both).read_word().expect(Value(1 << 32 | 1), 4);
    expect_word(script, behind(both, 8), 1 << 48 | 1 << 32 | 3, 5);
}

fn write_later(script: &mut Script) {
    let (time, byte) = (words(script, &[0, LATER_NS]), script.bytes(b"x"));
    script.call(NANOSLEEP, &[time, NONE]).call(WRITE, &[Value(4), byte, ONE]).expect(ONE, 6);
}

/// Init ends well, and as soon as the bytes are there; an instruction takes a nanosecond.
fn expect_no_later(system: &System) {
    assert_eq!(system.status(), 0, "{:?}", System::log());
    let end_ns = system.boards[0].core.now_ns();
    assert!((LATER_NS..LATER_NS + MS).contains(&end_ns), "at {end_ns} ns");
}

/// Holds: poll-wakes.
#[test]
fn poll_remote_writer_wakes_waiter() {
    let mut init = with_pipes();
    let child = init.label();
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    wait_for_both(&mut init, NONE);
    wait_status(&mut init);
    init.expect(NONE, 7);
    exit(&mut init, 0);
    init.place(child);
    write_later(&mut init);
    exit(&mut init, 0);
    expect_no_later(&System::new(2, &[("/sbin/init", &init)]));
}

#[test]
fn poll_waiter_on_other_board_is_woken() {
    let mut init = with_pipes();
    let child = init.label();
    init.call(FORK_ON, &[ONE]).jump_if_zero(child);
    write_later(&mut init);
    wait_status(&mut init);
    init.expect(NONE, 7);
    exit(&mut init, 0);
    init.place(child);
    let limit = words(&mut init, &[3, 0]);
    wait_for_both(&mut init, limit);
    exit(&mut init, 0);
    expect_no_later(&System::new(2, &[("/sbin/init", &init)]));
}
