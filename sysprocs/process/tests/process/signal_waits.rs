//! Scripted programs on one board: who waits for signals.

use crate::support::System;
use crate::support::calls::{
    ANY, CLONE, EXIT, GETPID, KILL, NANOSLEEP, NONE, ONE, PIPE2, PPOLL, SIGCHLD, SIGPROCMASK, SIGTIMEDWAIT, WAIT4,
    error, exit, time, wait_status,
};
use crate::support::script::{Argument, Script};
use Argument::{Of, Result, Value};

#[test]
fn sigwait_stop_signal_stops_waiter() {
    let mut init = Script::new();
    let (mask, pid, status) = (init.bytes(&(1u64 << 9).to_le_bytes()), init.variable(), init.variable());
    let (child, short) = (init.label(), time(&mut init, 1));
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
    init.call(NANOSLEEP, &[short, NONE]).call(KILL, &[Of(pid), Value(19)]);
    init.call(WAIT4, &[ANY, status.address(), Value(2), NONE]).expect(Of(pid), 1);
    init.take(Of(status)).expect(Value(19 << 8 | 0x7f), 2);
    init.call(KILL, &[Of(pid), Value(18)]).call(NANOSLEEP, &[short, NONE]).call(KILL, &[Of(pid), Value(10)]);
    wait_status(&mut init);
    init.expect(Value(10 << 8), 3);
    // Nothing ends init, not even while it waits.
    init.call(GETPID, &[]).keep(pid).call(KILL, &[Of(pid), Value(9)]);
    init.call(SIGTIMEDWAIT, &[mask, NONE, short, Value(8)]).expect(error(11), 4);
    exit(&mut init, 0);
    init.place(child).call(SIGTIMEDWAIT, &[mask, NONE, NONE, Value(8)]).call(EXIT, &[Result]);
    assert_eq!(System::solo(&init).status(), 0);
}

/// Also one that is ignored unless it is waited for.
#[test]
fn sigwait_ignored_signal_is_returned() {
    const WINDOW: u64 = 28;
    let mut init = Script::new();
    let (mask, pid) = (init.bytes(&(1u64 << (WINDOW - 1)).to_le_bytes()), init.variable());
    let (child, short) = (init.label(), time(&mut init, 1));
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
    init.call(NANOSLEEP, &[short, NONE]).call(KILL, &[Of(pid), Value(WINDOW)]);
    wait_status(&mut init);
    init.expect(Value(WINDOW << 8), 1);
    exit(&mut init, 0);
    init.place(child).call(SIGTIMEDWAIT, &[mask, NONE, NONE, Value(8)]).call(EXIT, &[Result]);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn ppoll_with_mask_sleeps() {
    let mut init = Script::new();
    let (mask, other) = (init.bytes(&(1u64 << 9).to_le_bytes()), init.bytes(&(1u64 << 11).to_le_bytes()));
    let (pid, ends, short) = (init.variable(), init.variable(), time(&mut init, 1));
    init.call(PIPE2, &[ends.address(), NONE]).call(GETPID, &[]).keep(pid);
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]).call(KILL, &[Of(pid), Value(10)]);
    init.call(SIGTIMEDWAIT, &[mask, NONE, short, Value(8)]).expect(Value(10), 1);
    let reader = init.bytes(&[0, 0, 0, 0, 1, 0, 0, 0]);
    init.call(PPOLL, &[reader, ONE, NONE, other, Value(8)]);
    exit(&mut init, 2);
    let system = System::solo(&init);
    system.run();
    assert_eq!(system.switch.0.get(), None, "it waits");
}
