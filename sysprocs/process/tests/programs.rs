//! Scripted programs on one board: system calls as programs see them.

mod support;

use renga_process::host::{Argument, Script, Variable};
use support::System;
use Argument::{Code, Of, Result, Value};

const OPENAT: u64 = 56;
const CLOSE: u64 = 57;
const PIPE2: u64 = 59;
const READ: u64 = 63;
const WRITE: u64 = 64;
const EXIT: u64 = 94;
const NANOSLEEP: u64 = 101;
const KILL: u64 = 129;
const SIGSUSPEND: u64 = 133;
const SIGACTION: u64 = 134;
const SIGPROCMASK: u64 = 135;
const GETPID: u64 = 172;
const GETPPID: u64 = 173;
const BRK: u64 = 214;
const CLONE: u64 = 220;
const EXECVE: u64 = 221;
const MMAP: u64 = 222;
const WAIT4: u64 = 260;
const HALT: u64 = 1002;

const SIGCHLD: Argument = Value(17);
const AT_FDCWD: Argument = Value(-100i64 as u64);
const ANY: Argument = Value(u64::MAX);
const NONE: Argument = Value(0);
const ONE: Argument = Value(1);

fn error(number: i64) -> Argument {
    Value(-number as u64)
}

/// A script that has the console as descriptor 0.
fn with_console() -> Script {
    let mut script = Script::new();
    let console = script.string("/dev/console");
    script.call(OPENAT, &[AT_FDCWD, console, Value(2), NONE]).expect(NONE, 100);
    script
}

fn say(script: &mut Script, text: &str) {
    let bytes = script.bytes(text.as_bytes());
    script.call(WRITE, &[NONE, bytes, Value(text.len() as u64)]);
}

fn exit(script: &mut Script, status: u64) {
    script.call(EXIT, &[Value(status)]);
}

/// Waits for any child and leaves its status as the result.
fn wait_status(script: &mut Script) -> Variable {
    let status = script.variable();
    script.call(WAIT4, &[ANY, status.address(), NONE, NONE]);
    script.take(Of(status));
    status
}

#[test]
fn init_says_hello_and_exits() {
    let mut init = with_console();
    say(&mut init, "hello\n");
    exit(&mut init, 7);
    let system = System::solo(&init);
    assert_eq!(system.status(), 7);
    assert_eq!(system.screen(), "hello\n");
}

#[test]
fn halt_unmounts_and_tells_its_status() {
    let mut init = Script::new();
    init.call(HALT, &[Value(3)]);
    let system = System::solo(&init);
    assert_eq!(system.status(), 3);
    assert!(system.disk.unmounted.get());
}

#[test]
fn the_break_and_mappings_give_zeros() {
    let mut init = Script::new();
    let start = init.variable();
    init.call(BRK, &[NONE]).keep(start).add(Value(0x3000)).call(BRK, &[Result]);
    init.take(Of(start)).add(Value(0x2ff8)).read_word().expect(NONE, 1);
    let place = init.variable();
    init.call(MMAP, &[NONE, Value(0x2000), Value(3), Value(0x22), ANY, NONE]).keep(place);
    init.read_word().expect(NONE, 2);
    init.call(MMAP, &[NONE, Value(0x2000), Value(3), Value(0x21), ANY, NONE]).expect(error(19), 3);
    init.call(MMAP, &[NONE, Value(0x2000), Value(7), Value(0x22), ANY, NONE]).expect(error(13), 4);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn a_fork_copies_on_write() {
    let mut init = with_console();
    let word = init.variable();
    init.take(Value(5)).write_word(word.address());
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(9 << 8), 1);
    init.take(Of(word)).expect(Value(5), 2);
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]).expect(error(10), 3);
    exit(&mut init, 0);
    init.place(child).take(Value(6)).write_word(word.address());
    init.take(Of(word)).expect(Value(6), 4);
    init.call(GETPPID, &[]).expect(ONE, 5);
    exit(&mut init, 9);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0);
}

#[test]
fn nothing_is_left_behind() {
    // Forty children, some of which exec: frames, files and slots all come back.
    let mut child = Script::new();
    exit(&mut child, 0);
    let mut init = with_console();
    let (count, again, in_child, done) = (init.variable(), init.label(), init.label(), init.label());
    let path = init.string("/bin/true");
    let arguments = init.vector(&[path]);
    init.place(again).call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(in_child);
    init.call(WAIT4, &[ANY, NONE, NONE, NONE]);
    init.take(Of(count)).add(ONE).keep(count).jump_if(Value(40), done);
    init.jump(again);
    init.place(in_child).call(EXECVE, &[path, arguments, NONE]);
    exit(&mut init, 1);
    init.place(done);
    exit(&mut init, 0);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/true", &child)]);
    assert_eq!(system.status(), 0);
    let free = system.free_frames();
    assert!(free[0] > 590, "{free:?}: only cached file pages are left");
    assert_eq!(system.disk.open_files.get(), 0);
    let held: Vec<i32> = system.disk.nodes.borrow().iter().map(|node| node.references).collect();
    assert!(held.iter().all(|&references| references == 0), "{held:?}");
}

#[test]
fn exec_passes_arguments_and_reports_failures() {
    let mut other = Script::new();
    say(&mut other, "other\n");
    exit(&mut other, 4);
    let mut init = with_console();
    let missing = init.string("/bin/missing");
    let path = init.string("/bin/other");
    let script = init.string("/bin/script");
    let arguments = init.vector(&[path]);
    init.call(EXECVE, &[missing, arguments, NONE]).expect(error(2), 1);
    init.call(EXECVE, &[NONE, arguments, NONE]).expect(error(14), 2);
    let console = init.string("/dev/console");
    init.call(EXECVE, &[console, arguments, NONE]).expect(error(13), 3);
    init.call(EXECVE, &[script, arguments, NONE]);
    exit(&mut init, 5);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]);
    system.disk.add("/bin/script", 0o100_755, 0, b"#!/bin/other -x\nrest\n".to_vec());
    assert_eq!(system.status(), 4);
    assert_eq!(system.screen(), "other\n");
}

#[test]
fn a_pipe_joins_parent_and_child() {
    let mut init = with_console();
    let ends = init.variable();
    init.call(PIPE2, &[ends.address(), NONE]).expect(NONE, 1);
    init.take(Of(ends)).expect(Value(2 << 32 | 1), 2);
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(CLOSE, &[Value(2)]);
    let buffer = init.bytes(&[0; 64]);
    init.call(READ, &[ONE, buffer, Value(64)]).expect(Value(5), 3);
    init.call(WRITE, &[NONE, buffer, Value(5)]);
    init.call(READ, &[ONE, buffer, Value(64)]).expect(NONE, 4);
    exit(&mut init, 0);
    init.place(child);
    let text = init.bytes(b"pipe\n");
    init.call(CLOSE, &[ONE]);
    init.call(WRITE, &[Value(2), text, Value(5)]);
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0);
    assert_eq!(system.screen(), "pipe\n");
}

#[test]
fn a_broken_pipe_kills_or_fails() {
    let mut init = Script::new();
    let ends = init.variable();
    init.call(PIPE2, &[ends.address(), NONE]);
    init.call(CLOSE, &[NONE]);
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(13), 1);
    let ignore = init.bytes(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    init.call(SIGACTION, &[Value(13), ignore, NONE, Value(8)]);
    let word = init.variable();
    init.call(WRITE, &[ONE, word.address(), ONE]).expect(error(32), 2);
    exit(&mut init, 0);
    init.place(child).call(WRITE, &[ONE, word.address(), ONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

/// A `struct sigaction` in the script's data whose handler is set when it runs.
fn handle(script: &mut Script, signal: u64, handler: Argument, flags: u64) {
    let mut bytes = [0; 32];
    bytes[8..16].copy_from_slice(&flags.to_le_bytes());
    let action = script.bytes(&bytes);
    script.take(handler).write_word(action);
    script.call(SIGACTION, &[Value(signal), action, NONE, Value(8)]).expect(NONE, 90);
}

#[test]
fn a_handler_runs_and_comes_back() {
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

/// A child sends SIGUSR1 to its parent, which reads from a pipe that nobody writes to.
fn interrupted_read(flags: u64) -> Script {
    let mut init = with_console();
    let (ends, handler, child) = (init.variable(), init.label(), init.label());
    let (pid, buffer) = (init.variable(), init.bytes(&[0; 8]));
    init.call(PIPE2, &[ends.address(), NONE]);
    handle(&mut init, 10, Code(handler), flags);
    init.call(GETPID, &[]).keep(pid);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(READ, &[ONE, buffer, Value(8)]);
    init
        .keep(pid)
        .call(WAIT4, &[ANY, NONE, NONE, NONE])
        .take(Of(pid));
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
fn a_read_is_interrupted_or_made_again() {
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
fn suspend_waits_for_the_signal_it_unblocks() {
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
fn faults_are_signals() {
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
    let cases: [(&dyn Fn(&mut Script), u64); 6] =
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
fn wild_pointers_fail() {
    let mut init = with_console();
    for address in [NONE, Value(0x1234_5678), Value(0xffff_ffff_8008_0000), Value(u64::MAX - 3)] {
        for (number, _) in renga_process::user::IMPLEMENTED {
            // Calls that end, wait, or change what the rest needs.
            if [93, 94, 133, 137, 139, 220, 57, 24, 1000, 1002, 101, 115, 260, 95, 73, 72, 129, 157].contains(number) {
                continue;
            }
            init.call(*number, &[address, address, address, address, address, address]);
            init.call(*number, &[NONE, address, address, address, address, address]);
        }
        init.call(WRITE, &[NONE, address, Value(10)]).expect(error(14), 1);
        init.call(READ, &[NONE, address, NONE]).expect(NONE, 2);
    }
    say(&mut init, "alive\n");
    exit(&mut init, 0);
    let system = System::solo(&init);
    assert_eq!(system.status(), 0, "{}", system.screen());
    assert!(system.screen().ends_with("alive\n"));
}

#[test]
fn unknown_calls_are_logged_once() {
    let mut init = Script::new();
    init.call(198, &[]).expect(error(38), 1).call(198, &[]).call(4000, &[]);
    init.expect(error(38), 2);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
    let log = System::log();
    let unknown: Vec<&str> = log.iter().filter_map(|line| line.split_once("not implemented: ")).map(|p| p.1).collect();
    assert_eq!(unknown, ["socket [198, 1]", "no name [4000, 1]"]);
}

#[test]
fn vfork_shares_memory_until_exec_or_exit() {
    const VFORK: Argument = Value(0x4000 | 0x100 | 17);
    let mut other = Script::new();
    exit(&mut other, 3);
    let mut init = Script::new();
    let (word, child) = (init.variable(), init.label());
    let path = init.string("/bin/other");
    let stack = init.bytes(&[0; 256]);
    init.call(CLONE, &[VFORK, stack, NONE, NONE, NONE]).jump_if_zero(child);
    init.take(Of(word)).expect(Value(77), 1);
    wait_status(&mut init);
    init.expect(Value(3 << 8), 2);
    exit(&mut init, 0);
    init.place(child).take(Value(77)).write_word(word.address());
    let arguments = init.vector(&[path]);
    init.call(EXECVE, &[path, arguments, NONE]);
    exit(&mut init, 9);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]);
    assert_eq!(system.status(), 0);
}

#[test]
fn the_keyboard_interrupts_the_foreground() {
    let mut init = with_console();
    let (child, group) = (init.label(), init.variable());
    let buffer = init.bytes(&[0; 64]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(group).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(2), 1);
    say(&mut init, "interrupted\n");
    exit(&mut init, 0);
    init.place(child).call(154, &[NONE, NONE]).call(GETPID, &[]).keep(group);
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
fn slots_run_out_with_an_errno() {
    let mut init = Script::new();
    let (count, child, again, full) = (init.variable(), init.label(), init.label(), init.label());
    let forever = init.bytes(&[0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    init.place(again).call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.jump_if(error(11), full);
    init.take(Of(count)).add(ONE).keep(count).jump(again);
    init.place(full).take(Of(count)).expect(Value(support::SLOTS as u64 - 1), 1);
    init.call(KILL, &[ANY, Value(9)]).expect(NONE, 2);
    wait_status(&mut init);
    init.expect(Value(9), 3);
    exit(&mut init, 0);
    init.place(child).call(NANOSLEEP, &[forever, NONE]);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}

#[test]
fn memory_runs_out_with_a_signal() {
    let mut init = Script::new();
    let child = init.label();
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    wait_status(&mut init);
    init.expect(Value(9), 1);
    exit(&mut init, 0);
    let (again, place) = (init.label(), init.variable());
    init.place(child);
    // The second one lies below the first.
    init.call(MMAP, &[NONE, Value(500 * 4096), Value(3), Value(0x22), ANY, NONE]);
    init.call(MMAP, &[NONE, Value(500 * 4096), Value(3), Value(0x22), ANY, NONE]).keep(place);
    init.place(again).take(Of(place)).read_word();
    init.take(ONE).write_word(Argument::Of(place));
    init.take(Of(place)).add(Value(4096)).keep(place).jump(again);
    assert_eq!(System::solo(&init).status(), 0);
}
