//! Scripted programs on one board: signals as programs see them.

use crate::support::System;
use crate::support::calls::{
    ANY, CLONE, CLOSE, EXIT, GETPID, GETPPID, KILL, NANOSLEEP, NONE, ONE, PIPE2, READ, SIGACTION, SIGCHLD, SIGPENDING,
    SIGPROCMASK, SIGSUSPEND, SIGTIMEDWAIT, WAIT4, WRITE, error, exit, handle, say, set, time, wait_status,
    with_console,
};
use crate::support::script::{Argument, Script};
use Argument::{Code, Of, Result, Value};

#[test]
fn sigpipe_kills_or_write_gets_epipe() {
    let mut init = Script::new();
    let ends = init.variable();
    init.call(PIPE2, &[ends.address(), NONE]);
    init.call(CLOSE, &[NONE]);
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(13), 1);
    let ignore =
        init.bytes(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    init.call(SIGACTION, &[Value(13), ignore, NONE, Value(8)]);
    let word = init.variable();
    init.call(WRITE, &[ONE, word.address(), ONE]).expect(error(32), 2);
    exit(&mut init, 0);
    init.place(child).call(WRITE, &[ONE, word.address(), ONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn signal_handler_runs_and_returns() {
    let mut init = Script::new();
    let (seen, handler, pid) = (init.variable(), init.label(), init.variable());
    handle(&mut init, 10, Code(handler), 0);
    init.call(GETPID, &[]).keep(pid);
    init.call(KILL, &[Of(pid), Value(10)]).expect(NONE, 1);
    init.take(Of(seen)).expect(Value(10), 2);
    init.call(KILL, &[Of(pid), Value(10)]);
    init.take(Of(seen)).expect(Value(20), 3);
    // Blocked, it waits; unblocked, it comes at once.
    let mask = init.bytes(&(1u64 << 9).to_le_bytes());
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(KILL, &[Of(pid), Value(10)]);
    init.take(Of(seen)).expect(Value(20), 4);
    init.call(SIGPROCMASK, &[ONE, mask, NONE, Value(8)]);
    init.take(Of(seen)).expect(Value(30), 5);
    exit(&mut init, 0);
    init.place(handler).add(Of(seen)).keep(seen).end_handler();
    assert_eq!(System::solo(&init).status(), 0);
}

/// A child sends SIGUSR1 to its parent, which reads from a pipe without data.
fn interrupted_read(flags: u64) -> Script {
    let mut init = with_console();
    let (ends, handler, child) = (init.variable(), init.label(), init.label());
    let (pid, buffer) = (init.variable(), init.bytes(&[0; 8]));
    init.call(PIPE2, &[ends.address(), NONE]);
    handle(&mut init, 10, Code(handler), flags);
    init.call(GETPID, &[]).keep(pid);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(READ, &[ONE, buffer, Value(8)]);
    init.keep(pid).call(WAIT4, &[ANY, NONE, NONE, NONE]).take(Of(pid));
    let time = init.bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0]);
    let rest = init.label();
    init.jump(rest);
    init.place(child).call(NANOSLEEP, &[time, NONE]).call(KILL, &[Of(pid), Value(10)]);
    init.call(NANOSLEEP, &[time, NONE]);
    let text = init.bytes(b"late");
    init.call(WRITE, &[Value(2), text, Value(4)]);
    exit(&mut init, 0);
    let after = init.label();
    init.place(handler);
    say(&mut init, "handled\n");
    init.end_handler();
    init.place(rest).jump(after);
    init.place(after);
    init
}

#[test]
fn read_interrupted_by_signal_fails_or_restarts() {
    let mut fails = interrupted_read(0);
    fails.expect(error(4), 1);
    exit(&mut fails, 0);
    let system = System::solo(&fails);
    assert_eq!((system.status(), system.screen().as_str()), (0, "handled\n"));
    let mut restarts = interrupted_read(0x1000_0000);
    restarts.expect(Value(4), 1);
    exit(&mut restarts, 0);
    let system = System::solo(&restarts);
    assert_eq!((system.status(), system.screen().as_str()), (0, "handled\n"));
}

#[test]
fn sigsuspend_waits_for_unblocked_signal() {
    let mut init = Script::new();
    let (seen, handler, child) = (init.variable(), init.label(), init.label());
    handle(&mut init, 17, Code(handler), 0);
    let (mask, empty) = (init.bytes(&(1u64 << 16).to_le_bytes()), init.bytes(&[0; 8]));
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(SIGSUSPEND, &[empty, Value(8)]).expect(error(4), 1);
    init.take(Of(seen)).expect(Value(17), 2);
    let old = init.variable();
    init.call(SIGPROCMASK, &[NONE, NONE, old.address(), Value(8)]);
    init.take(Of(old)).expect(Value(1 << 16), 3);
    exit(&mut init, 0);
    init.place(child);
    exit(&mut init, 0);
    init.place(handler).keep(seen).end_handler();
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn fault_raises_signal() {
    let null = |script: &mut Script| {
        script.take(NONE).read_word();
    };
    let kernel = |script: &mut Script| {
        script.take(Value(0xffff_ffff_8008_0000)).read_word();
    };
    let nowhere = |script: &mut Script| {
        script.take(Value(0x1234_5000)).call_function();
    };
    let breakpoint = |script: &mut Script| {
        script.breakpoint();
    };
    let misaligned = |script: &mut Script| {
        script.take(Value(0x50_0001)).read_word();
    };
    let code = |script: &mut Script| {
        script.take(NONE).write_word(Value(0x40_0000));
    };
    type Fault<'a> = &'a dyn Fn(&mut Script);
    let cases: [(Fault, u64); 6] =
        [(&null, 11), (&kernel, 11), (&nowhere, 11), (&breakpoint, 5), (&misaligned, 7), (&code, 11)];
    for (number, (fault, signal)) in cases.into_iter().enumerate() {
        let mut init = Script::new();
        let child = init.label();
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
        wait_status(&mut init);
        init.expect(Value(signal), 1);
        exit(&mut init, 0);
        init.place(child);
        fault(&mut init);
        exit(&mut init, 50);
        assert_eq!(System::solo(&init).status(), 0, "case {number}");
    }
}

#[test]
fn keyboard_interrupt_signals_foreground_group() {
    let mut init = with_console();
    let (child, group) = (init.label(), init.variable());
    let buffer = init.bytes(&[0; 64]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(group).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(2), 1);
    say(&mut init, "interrupted\n");
    exit(&mut init, 0);
    init.place(child).call(154, &[NONE, NONE]).call(GETPID, &[]).keep(group);
    let background = set(&mut init, &[22]); // SIGTTOU
    init.call(SIGPROCMASK, &[NONE, background, NONE, Value(8)]);
    init.call(29, &[NONE, Value(0x5410), group.address()]);
    init.call(READ, &[NONE, buffer, Value(64)]).keep(group);
    init.call(WRITE, &[NONE, buffer, Of(group)]);
    init.call(READ, &[NONE, buffer, Value(64)]);
    exit(&mut init, 0);
    let system = System::solo(&init);
    system.run();
    system.press(b"typed\n");
    assert_eq!(system.switch.0.get(), None);
    system.press(b"\x03");
    assert_eq!(system.status(), 0);
    assert!(system.screen().ends_with("interrupted\n"), "{}", system.screen());
}

#[test]
fn wait_reports_stopped_and_continued_child() {
    const WUNTRACED: Argument = Value(2);
    let mut init = Script::new();
    let (child, pid, status) = (init.label(), init.variable(), init.variable());
    let time = init.bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
    init.call(KILL, &[Of(pid), Value(19)]);
    init.call(WAIT4, &[ANY, status.address(), WUNTRACED, NONE]).expect(Of(pid), 1);
    init.take(Of(status)).expect(Value(19 << 8 | 0x7f), 2);
    init.call(NANOSLEEP, &[time, NONE]);
    init.call(WAIT4, &[ANY, NONE, ONE, NONE]).expect(NONE, 3);
    init.call(KILL, &[Of(pid), Value(18)]);
    init.call(WAIT4, &[ANY, status.address(), WUNTRACED, NONE]).expect(Of(pid), 4);
    init.take(Of(status)).expect(Value(8 << 8), 5);
    // Killed while stopped, it ends.
    let second = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(second);
    init.call(KILL, &[Of(pid), Value(19)]).call(WAIT4, &[ANY, NONE, WUNTRACED, NONE]);
    init.call(KILL, &[Of(pid), Value(9)]);
    init.call(WAIT4, &[ANY, status.address(), NONE, NONE]).expect(Of(pid), 6);
    init.take(Of(status)).expect(Value(9), 7);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[time, NONE]).expect(NONE, 9);
    exit(&mut init, 8);
    init.place(second).call(NANOSLEEP, &[time, NONE]).call(NANOSLEEP, &[time, NONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn signal_handlers_survive_fork() {
    let mut init = Script::new();
    let (handler, child, seen, pid) = (init.label(), init.label(), init.variable(), init.variable());
    handle(&mut init, 28, Code(handler), 0);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(28 << 8), 1);
    exit(&mut init, 0);
    init.place(child).call(GETPID, &[]).keep(pid);
    init.call(KILL, &[Of(pid), Value(28)]).take(Of(seen)).call(EXIT, &[Result]);
    init.place(handler).keep(seen).end_handler();
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn sigtimedwait_takes_signal_without_handler() {
    let mut init = Script::new();
    let (mask, pid) = (init.bytes(&(1u64 << 9).to_le_bytes()), init.variable());
    let time = init.bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0]);
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(SIGTIMEDWAIT, &[mask, NONE, time, Value(8)]).expect(error(11), 1);
    init.call(GETPID, &[]).keep(pid).call(KILL, &[Of(pid), Value(10)]);
    init.call(SIGTIMEDWAIT, &[mask, NONE, time, Value(8)]).expect(Value(10), 2);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn signal_ignored_but_blocked_stays_pending() {
    let mut init = Script::new();
    let (mask, pid, pending) = (init.bytes(&(1u64 << 16).to_le_bytes()), init.variable(), init.variable());
    let (child, short, long) = (init.label(), time(&mut init, 1), time(&mut init, 100));
    init.call(GETPID, &[]).keep(pid);
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(KILL, &[Of(pid), SIGCHLD]).call(SIGPENDING, &[pending.address(), Value(8)]);
    init.take(Of(pending)).expect(Value(1 << 16), 1);
    init.call(SIGTIMEDWAIT, &[mask, NONE, long, Value(8)]).expect(SIGCHLD, 2);
    // It comes while it is waited for.
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(SIGTIMEDWAIT, &[mask, NONE, long, Value(8)]).expect(SIGCHLD, 3);
    // Unblocked, it is ignored.
    init.call(KILL, &[Of(pid), SIGCHLD]).call(SIGPROCMASK, &[ONE, mask, NONE, Value(8)]);
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(SIGTIMEDWAIT, &[mask, NONE, short, Value(8)]).expect(error(11), 4);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[short, NONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn sigtimedwait_keeps_other_signals() {
    let mut init = Script::new();
    let (mask, pid, seen) = (init.bytes(&(1u64 << 9).to_le_bytes()), init.variable(), init.variable());
    let (handler, child) = (init.label(), init.label());
    handle(&mut init, 12, Code(handler), 0);
    init.call(SIGPROCMASK, &[NONE, mask, NONE, Value(8)]);
    init.call(GETPID, &[]).keep(pid);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    // Another signal ends the wait.
    init.call(SIGTIMEDWAIT, &[mask, NONE, NONE, Value(8)]).expect(error(4), 1);
    init.take(Of(seen)).expect(Value(12), 2);
    init.call(SIGTIMEDWAIT, &[mask, NONE, NONE, Value(8)]).expect(Value(10), 3);
    init.take(Of(seen)).expect(Value(12), 4);
    exit(&mut init, 0);
    init.place(handler).keep(seen).end_handler();
    let short = time(&mut init, 1);
    init.place(child);
    for signal in [12, 10] {
        init.call(NANOSLEEP, &[short, NONE]).call(KILL, &[Of(pid), Value(signal)]);
    }
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn wait_with_sigchld_ignored_waits_for_all_children() {
    let mut init = Script::new();
    let (child, short) = (init.label(), time(&mut init, 1));
    handle(&mut init, 17, ONE, 0);
    for _ in 0..2 {
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    }
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]).expect(error(10), 1);
    handle(&mut init, 17, NONE, 0);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(8 << 8), 2);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[short, NONE]);
    exit(&mut init, 8);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn kill_of_init_is_ignored() {
    let mut init = Script::new();
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(NONE, 1);
    exit(&mut init, 0);
    init.place(child);
    for signal in 1..=64 {
        init.call(KILL, &[ONE, Value(signal)]).expect(NONE, 2);
    }
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// A signal that comes while it is stopped is served with the stopping one: the interrupted call does not restart.
#[test]
fn signal_during_stop_interrupts_call() {
    let mut init = Script::new();
    let (pid, ends, word) = (init.variable(), init.variable(), init.variable());
    let (child, handler, short) = (init.label(), init.label(), time(&mut init, 1));
    handle(&mut init, 10, Code(handler), 0);
    init.call(PIPE2, &[ends.address(), NONE]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(pid).jump_if_zero(child);
    init.call(NANOSLEEP, &[short, NONE]).call(KILL, &[Of(pid), Value(19)]);
    init.call(WAIT4, &[ANY, NONE, Value(2), NONE]).expect(Of(pid), 1);
    init.call(KILL, &[Of(pid), Value(10)]).call(KILL, &[Of(pid), Value(18)]);
    wait_status(&mut init);
    init.expect(Value(7 << 8), 2);
    exit(&mut init, 0);
    init.place(child).call(READ, &[NONE, word.address(), ONE]).expect(error(4), 3);
    exit(&mut init, 7);
    init.place(handler).end_handler();
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn orphan_is_reparented_to_init() {
    let mut init = Script::new();
    let (child, grandchild, short, long) = (init.label(), init.label(), time(&mut init, 1), time(&mut init, 2));
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    for _ in 0..2 {
        wait_status(&mut init);
        init.expect(NONE, 1);
    }
    exit(&mut init, 0);
    init.place(child).call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(grandchild);
    init.call(NANOSLEEP, &[short, NONE]);
    exit(&mut init, 0);
    init.place(grandchild).call(NANOSLEEP, &[long, NONE]).call(GETPPID, &[]).expect(ONE, 2);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}
