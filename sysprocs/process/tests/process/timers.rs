//! Scripted programs on one board: timers, and the real-time signals that they and others send.

use crate::support::calls::{
    CLOCK_GETTIME, CLOCK_NANOSLEEP, CLOCK_SETTIME, CLONE, EXECVE, GETITIMER, GETPID, KILL, NANOSLEEP, NONE, ONE,
    SETITIMER, SETRLIMIT, SIGALRM, SIGCHLD, SIGPROCMASK, SIGQUEUE, SIGSUSPEND, SIGTIMEDWAIT, TIMER_CREATE,
    TIMER_DELETE, TIMER_GETOVERRUN, TIMER_GETTIME, TIMER_SETTIME, behind, error, exit, expect_word, handle, set,
    wait_status, words,
};
use crate::support::script::{Argument, Script};
use crate::support::{QUEUED, System};
use Argument::{Code, Of, Value};

const SIGRTMIN: u64 = 34;
const BLOCK: Argument = NONE;
const SET_BYTES: Argument = Value(8);
/// `si_code`s.
const SI_KERNEL: u64 = 0x80;
const SI_QUEUE: u64 = -1i32 as u32 as u64;
const SI_TIMER: u64 = -2i32 as u32 as u64;

/// Takes a pending signal of `set` at once; its `siginfo_t` is in the returned words.
fn take(script: &mut Script, set: Argument) -> Argument {
    let (info, now) = (words(script, &[0; 16]), words(script, &[0, 0]));
    script.call(SIGTIMEDWAIT, &[set, info, now, SET_BYTES]);
    info
}

#[test]
fn setitimer_interrupts_wait_repeatedly() {
    let mut init = Script::new();
    let (seen, handler, again) = (init.variable(), init.label(), init.label());
    handle(&mut init, SIGALRM, Code(handler), 0);
    let (every, none, left) = (words(&mut init, &[0, 10, 0, 30]), words(&mut init, &[0; 4]), words(&mut init, &[9; 4]));
    init.call(GETITIMER, &[NONE, left]).expect(NONE, 1);
    expect_word(&mut init, behind(left, 24), 0, 2);
    init.call(SETITIMER, &[NONE, every, NONE]).expect(NONE, 3);
    let empty = words(&mut init, &[0]);
    init.place(again).call(SIGSUSPEND, &[empty, SET_BYTES]).expect(error(4), 4);
    init.take(Of(seen)).add(Value(-3i64 as u64)).jump_if_not_zero(again);
    // A disarmed timer returns the time that was left.
    init.call(SETITIMER, &[NONE, none, left]).expect(NONE, 5);
    expect_word(&mut init, behind(left, 8), 10, 6);
    let time = words(&mut init, &[0, 1_000_000]);
    init.call(NANOSLEEP, &[time, NONE]).expect(NONE, 7);
    init.take(Of(seen)).expect(Value(3), 8);
    init.call(SETITIMER, &[Value(3), every, NONE]).expect(error(22), 9);
    exit(&mut init, 0);
    init.place(handler).take(Of(seen)).add(ONE).keep(seen).end_handler();
    assert_eq!(System::solo(&init).status(), 0);
}

/// As POSIX says: a child has no timers; another program keeps the interval timer and loses those that were made.
/// Holds: timers-locks.
#[test]
fn timers_survive_exec_but_not_fork() {
    let mut init = Script::new();
    let (child, time, left) = (init.label(), words(&mut init, &[0, 0, 0, 500]), words(&mut init, &[9; 4]));
    let (event, id) = (words(&mut init, &[0, 12]), init.variable());
    init.call(TIMER_CREATE, &[ONE, event, id.address()]).expect(NONE, 1);
    init.call(TIMER_SETTIME, &[Of(id), NONE, time, NONE]).expect(NONE, 2);
    init.call(SETITIMER, &[NONE, time, NONE]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(NONE, 3);
    let (path, arguments) = (init.string("/next"), words(&mut init, &[0]));
    init.call(EXECVE, &[path, arguments, arguments]);
    exit(&mut init, 4);
    init.place(child).call(GETITIMER, &[NONE, left]);
    expect_word(&mut init, behind(left, 24), 0, 5);
    init.call(TIMER_GETTIME, &[NONE, left]).expect(error(22), 6);
    exit(&mut init, 0);

    let mut next = Script::new();
    let left = words(&mut next, &[9; 4]);
    next.call(TIMER_GETTIME, &[NONE, left]).expect(error(22), 7);
    let (alarm, info) = (set(&mut next, &[SIGALRM]), words(&mut next, &[0; 16]));
    next.call(SIGPROCMASK, &[BLOCK, alarm, NONE, SET_BYTES]);
    next.call(SIGTIMEDWAIT, &[alarm, info, NONE, SET_BYTES]).expect(Value(SIGALRM), 8);
    expect_word(&mut next, behind(info, 8), SI_KERNEL, 9);
    exit(&mut next, 0);
    assert_eq!(System::new(1, &[("/sbin/init", &init), ("/next", &next)]).status(), 0);
}

#[test]
fn timer_signal_carries_value_and_overruns() {
    let mut init = Script::new();
    let signals = set(&mut init, &[SIGRTMIN]);
    init.call(SIGPROCMASK, &[BLOCK, signals, NONE, SET_BYTES]);
    let (event, id) = (words(&mut init, &[0xabcd_1234_5678, SIGRTMIN]), init.variable());
    init.call(TIMER_CREATE, &[ONE, event, id.address()]).expect(NONE, 1);
    init.take(Of(id)).expect(NONE, 2);
    let every = words(&mut init, &[1_000, 0, 1_000, 0]);
    init.call(TIMER_SETTIME, &[Of(id), NONE, every, NONE]).expect(NONE, 3);
    let time = words(&mut init, &[10_500, 0]);
    init.call(NANOSLEEP, &[time, NONE]).expect(NONE, 4);
    let info = take(&mut init, signals);
    init.expect(Value(SIGRTMIN), 5);
    expect_word(&mut init, behind(info, 8), SI_TIMER, 6);
    expect_word(&mut init, behind(info, 16), 9 << 32, 7); // the timer's number, and its overruns
    expect_word(&mut init, behind(info, 24), 0xabcd_1234_5678, 8);
    init.call(TIMER_GETOVERRUN, &[Of(id)]).expect(Value(9), 9);
    let left = words(&mut init, &[0; 4]);
    init.call(TIMER_GETTIME, &[Of(id), left]);
    expect_word(&mut init, left, 1_000, 10);
    expect_word(&mut init, behind(left, 16), 499, 11); // and what the calls themselves took
    init.call(TIMER_DELETE, &[Of(id)]).expect(NONE, 12);
    init.call(TIMER_SETTIME, &[Of(id), NONE, every, NONE]).expect(error(22), 13);
    init.call(TIMER_CREATE, &[Value(77), event, id.address()]).expect(error(22), 14);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// Real-time signals wait in the order of their numbers, and of one number in that of their coming, each with its
/// value.
/// Holds: signals-order.
#[test]
fn sigqueue_keeps_order_and_values() {
    let mut init = Script::new();
    let (pid, signals) = (init.variable(), set(&mut init, &[10, SIGRTMIN, SIGRTMIN + 1]));
    init.call(SIGPROCMASK, &[BLOCK, signals, NONE, SET_BYTES]);
    init.call(GETPID, &[]).keep(pid);
    let send = |script: &mut Script, signal: u64, value: u64| {
        let info = words(script, &[signal, SI_QUEUE, 1, value]);
        script.call(SIGQUEUE, &[Of(pid), Value(signal), info]).expect(NONE, 1);
    };
    for (signal, value) in [(SIGRTMIN + 1, 1), (SIGRTMIN, 2), (SIGRTMIN + 1, 3), (10, 4), (10, 5), (SIGRTMIN, 6)] {
        send(&mut init, signal, value);
    }
    for (signal, value) in [(10, 4), (SIGRTMIN, 2), (SIGRTMIN, 6), (SIGRTMIN + 1, 1), (SIGRTMIN + 1, 3)] {
        let info = take(&mut init, signals);
        init.expect(Value(signal), 10 + value);
        expect_word(&mut init, behind(info, 8), SI_QUEUE, 20 + value);
        expect_word(&mut init, behind(info, 24), value, 30 + value);
    }
    take(&mut init, signals);
    init.expect(error(11), 2);
    // A signal from another process has no system cause.
    let info = words(&mut init, &[10, SI_KERNEL, 1, 0]);
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(NONE, 3);
    exit(&mut init, 0);
    init.place(child).call(SIGQUEUE, &[Of(pid), Value(10), info]).expect(error(1), 4);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn sigqueue_beyond_limit_gets_eagain() {
    let mut init = Script::new();
    let (pid, signals) = (init.variable(), set(&mut init, &[SIGRTMIN, SIGALRM]));
    init.call(SIGPROCMASK, &[BLOCK, signals, NONE, SET_BYTES]);
    init.call(GETPID, &[]).keep(pid);
    let info = words(&mut init, &[SIGRTMIN, SI_QUEUE, 1, 5]);
    let two = words(&mut init, &[2, 2]);
    init.call(SETRLIMIT, &[Value(11), two]).expect(NONE, 1);
    for result in [NONE, NONE, error(11)] {
        init.call(SIGQUEUE, &[Of(pid), Value(SIGRTMIN), info]).expect(result, 2);
    }
    // Of those that do not count one waits all the same, and so does one without a value.
    init.call(KILL, &[Of(pid), Value(SIGALRM)]).expect(NONE, 3);
    for signal in [SIGALRM, SIGRTMIN, SIGRTMIN] {
        take(&mut init, signals);
        init.expect(Value(signal), 4);
    }
    // The board has its own limit, and gets back what was taken.
    let many = words(&mut init, &[1 << 20, 1 << 20]);
    init.call(SETRLIMIT, &[Value(11), many]);
    for _ in 0..2 {
        for _ in 0..QUEUED {
            init.call(SIGQUEUE, &[Of(pid), Value(SIGRTMIN), info]).expect(NONE, 5);
        }
        init.call(SIGQUEUE, &[Of(pid), Value(SIGRTMIN), info]).expect(error(11), 6);
        for _ in 0..QUEUED {
            take(&mut init, signals);
            init.expect(Value(SIGRTMIN), 7);
        }
    }
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// Two signals wait; the one that the temporary mask lets through is served, the other when the program allows it.
/// Holds: signals-order.
#[test]
fn sigsuspend_serves_unmasked_signal() {
    let mut init = Script::new();
    let (order, first, second, pid) = (init.variable(), init.label(), init.label(), init.variable());
    handle(&mut init, 10, Code(first), 0);
    handle(&mut init, 12, Code(second), 0);
    let (both, one, none) = (set(&mut init, &[10, 12]), set(&mut init, &[10]), words(&mut init, &[0]));
    init.call(SIGPROCMASK, &[BLOCK, both, NONE, SET_BYTES]);
    init.call(GETPID, &[]).keep(pid);
    init.call(KILL, &[Of(pid), Value(10)]);
    init.call(KILL, &[Of(pid), Value(12)]);
    init.call(SIGSUSPEND, &[one, SET_BYTES]).expect(error(4), 1);
    init.take(Of(order)).expect(Value(2), 2);
    init.call(SIGPROCMASK, &[ONE, both, NONE, SET_BYTES]);
    init.take(Of(order)).expect(Value(21), 3);
    // Both let through: as on Linux the frame of the greater is on top, so its handler begins first.
    init.take(NONE).keep(order);
    init.call(SIGPROCMASK, &[BLOCK, both, NONE, SET_BYTES]);
    init.call(KILL, &[Of(pid), Value(12)]);
    init.call(KILL, &[Of(pid), Value(10)]);
    init.call(SIGSUSPEND, &[none, SET_BYTES]).expect(error(4), 4);
    init.take(Of(order)).expect(Value(21), 5);
    exit(&mut init, 0);
    for (label, digit) in [(first, 1), (second, 2)] {
        init.place(label).take(Of(order));
        for _ in 0..9 {
            init.add(Of(order));
        }
        init.add(Value(digit)).keep(order).end_handler();
    }
    assert_eq!(System::solo(&init).status(), 0);
}

/// A program sets calendar time during sleeps: until a calendar time, and for a while.
///
/// Holds: clock-set.
#[test]
fn clock_settime_keeps_sleep_length() {
    for (flags, until, woken_s) in [(1, [1_010, 0], 2), (0, [5, 0], 5)] {
        let mut init = Script::new();
        let (child, later, time) = (init.label(), words(&mut init, &[2, 0]), words(&mut init, &until));
        let (set, now) = (words(&mut init, &[1_020, 0]), words(&mut init, &[0, 0]));
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
        init.call(CLOCK_NANOSLEEP, &[NONE, Value(flags), time, NONE]).expect(NONE, 1);
        init.call(CLOCK_GETTIME, &[ONE, now]);
        expect_word(&mut init, now, woken_s, 2);
        exit(&mut init, 0);
        init.place(child).call(NANOSLEEP, &[later, NONE]).call(CLOCK_SETTIME, &[NONE, set]).expect(NONE, 3);
        exit(&mut init, 0);
        assert_eq!(System::solo(&init).status(), 0, "with flags {flags}");
    }
}
