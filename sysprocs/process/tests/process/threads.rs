//! Scripted programs with threads.

use crate::support::System;
use crate::support::calls::{
    ANY, CLONE, CLOSE, EXECVE, EXIT, FUTEX, GETPID, KILL, MMAP, NANOSLEEP, NONE, ONE, PIPE2, READ, SIGCHLD, WRITE,
    error, exit, expect_word, handle, time, wait_status, with_console, words,
};
use crate::support::script::{Argument, Label, Script};
use Argument::{Code, Of, Value};

const MS: u64 = 1_000_000;
/// What the C library asks for: memory, files and signals shared, with the number stored and cleared.
const THREAD: u64 = 0x3d_0f00;
const EXIT_THREAD: u64 = 93;
const TKILL: u64 = 130;
const TGKILL: u64 = 131;
const GETTID: u64 = 178;
/// Enough for a signal's frame.
const STACK_BYTES: u64 = 0x2000;
const FUTEX_WAIT: Argument = NONE;
const FUTEX_WAKE: Argument = ONE;
const EINVAL: i64 = 22;

/// Runs the program on one board; when it ended.
fn run(init: &Script, status: u8) -> u64 {
    let system = System::new(1, &[("/sbin/init", init)]);
    assert_eq!(system.status(), status, "{:?}", System::log());
    system.boards[0].core.now_ns()
}

/// Makes a thread that goes on at `body`, whose number is at the returned address until it ends.
fn begin_thread(script: &mut Script, body: Label) -> Argument {
    let (number, stack) = (words(script, &[0]), script.variable());
    let bytes = Value(STACK_BYTES);
    script.call(MMAP, &[NONE, bytes, Value(3), Value(0x22), ANY, NONE]).add(bytes).keep(stack);
    script.call(CLONE, &[Value(THREAD), Of(stack), number, NONE, number]).jump_if_zero(body);
    number
}

/// Waits until the thread with its number at `number` has ended.
fn join(script: &mut Script, number: Argument) {
    let (again, over) = (script.label(), script.label());
    script.place(again);
    script.take(number).read_word().jump_if_zero(over);
    let tid = script.variable();
    script.keep(tid);
    script.call(FUTEX, &[number, FUTEX_WAIT, Of(tid), NONE]).jump(again);
    script.place(over);
}

fn exit_thread(script: &mut Script) {
    script.call(EXIT_THREAD, &[NONE]);
}

fn sleep(script: &mut Script, ms: u64) {
    let time = time(script, ms);
    script.call(NANOSLEEP, &[time, NONE]);
}

#[test]
fn thread_shares_memory_files_and_number_of_process() {
    let mut init = with_console();
    let (body, pid, ends, word) = (init.label(), init.variable(), init.bytes(&[0; 8]), words(&mut init, &[0]));
    init.call(GETPID, &[]).keep(pid);
    let number = begin_thread(&mut init, body);
    join(&mut init, number);
    expect_word(&mut init, word, 77, 1);
    // The pipe that it made is open here.
    init.call(WRITE, &[Value(2), word, ONE]).expect(ONE, 2);
    init.call(READ, &[ONE, word, ONE]).expect(ONE, 3);
    exit(&mut init, 0);
    init.place(body);
    init.call(GETPID, &[]).expect(Of(pid), 4);
    let own = init.variable();
    init.call(GETTID, &[]).keep(own).jump_if(Of(pid), body);
    init.take(number).read_word().expect(Of(own), 5);
    init.call(PIPE2, &[ends, NONE]).expect(NONE, 6);
    init.take(Value(77)).write_word(word);
    exit_thread(&mut init);
    run(&init, 0);
}

#[test]
fn thread_that_waits_leaves_the_program_to_others() {
    let mut init = with_console();
    let (body, ends) = (init.label(), init.bytes(&[0; 8]));
    let room = words(&mut init, &[0, 0]);
    init.call(PIPE2, &[ends, NONE]).expect(NONE, 1);
    let number = begin_thread(&mut init, body);
    // It waits for what this thread will write, while this one sleeps, reads a file and writes.
    sleep(&mut init, 5);
    init.call(WRITE, &[Value(2), ends, Value(8)]).expect(Value(8), 2);
    join(&mut init, number);
    init.call(CLOSE, &[ONE]).expect(NONE, 3);
    exit(&mut init, 0);
    init.place(body);
    init.call(READ, &[ONE, room, Value(8)]).expect(Value(8), 4);
    exit_thread(&mut init);
    let end_ns = run(&init, 0);
    assert!((5 * MS..6 * MS).contains(&end_ns), "at {end_ns} ns");
}

#[test]
fn exit_group_of_any_thread_ends_all() {
    // The first thread waits for ever, and so does a third.
    let mut init = with_console();
    let (waits, ends, word) = (init.label(), init.label(), words(&mut init, &[0]));
    begin_thread(&mut init, waits);
    begin_thread(&mut init, ends);
    init.place(waits);
    init.call(FUTEX, &[word, FUTEX_WAIT, NONE, NONE]).expect(NONE, 1);
    exit(&mut init, 2);
    init.place(ends);
    sleep(&mut init, 5);
    init.call(EXIT, &[Value(9)]);
    run(&init, 9);
}

#[test]
fn first_thread_that_exits_leaves_the_others_running() {
    let mut init = with_console();
    let (body, child) = (init.label(), init.label());
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    let status = wait_status(&mut init);
    init.take(Of(status)).expect(Value(0), 1);
    exit(&mut init, 0);
    init.place(child);
    begin_thread(&mut init, body);
    exit_thread(&mut init);
    init.place(body);
    sleep(&mut init, 5);
    exit_thread(&mut init);
    let end_ns = run(&init, 0);
    assert!((5 * MS..6 * MS).contains(&end_ns), "at {end_ns} ns");
}

/// The first thread waits blocked; the signal for the process is the other's, those with a number are that thread's.
#[test]
fn signals_reach_the_thread_that_they_are_for() {
    const SIGUSR1: u64 = 10;
    let mut init = with_console();
    let (body, handler, pid, word) = (init.label(), init.label(), init.variable(), words(&mut init, &[0]));
    let seen = words(&mut init, &[0]);
    init.call(GETPID, &[]).keep(pid);
    handle(&mut init, SIGUSR1, Code(handler), 0);
    let number = begin_thread(&mut init, body);
    init.take(number).read_word();
    let tid = init.variable();
    init.keep(tid);
    sleep(&mut init, 5);
    init.call(TGKILL, &[Of(pid), Of(tid), Value(SIGUSR1)]).expect(NONE, 1);
    sleep(&mut init, 5);
    init.take(seen).read_word().expect(Of(tid), 2);
    init.call(TKILL, &[Of(pid), Value(SIGUSR1)]).expect(NONE, 3);
    init.take(seen).read_word().expect(Of(pid), 4);
    init.call(FUTEX, &[word, FUTEX_WAKE, ONE]).expect(ONE, 5);
    join(&mut init, number);
    exit(&mut init, 0);
    init.place(handler);
    init.call(GETTID, &[]).write_word(seen).end_handler();
    init.place(body);
    // Interrupted once, woken then.
    init.call(FUTEX, &[word, FUTEX_WAIT, NONE, NONE]).expect(error(4), 6);
    init.call(FUTEX, &[word, FUTEX_WAIT, NONE, NONE]).expect(NONE, 7);
    exit_thread(&mut init);
    run(&init, 0);
}

#[test]
fn fatal_signal_of_one_thread_ends_the_program() {
    let mut init = with_console();
    let (body, child, pid) = (init.label(), init.label(), init.variable());
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    let status = wait_status(&mut init);
    init.take(Of(status)).expect(Value(5), 1);
    exit(&mut init, 0);
    init.place(child);
    begin_thread(&mut init, body);
    init.call(GETPID, &[]).keep(pid);
    let forever = init.label();
    init.place(forever);
    sleep(&mut init, 900);
    init.jump(forever);
    init.place(body);
    sleep(&mut init, 5);
    init.breakpoint();
    exit_thread(&mut init);
    run(&init, 0);
}

#[test]
fn exec_of_first_thread_ends_the_others() {
    let mut init = with_console();
    let (body, path) = (init.label(), init.string("/bin/other"));
    let arguments = init.vector(&[path]);
    begin_thread(&mut init, body);
    sleep(&mut init, 5);
    init.call(EXECVE, &[path, arguments, NONE]).expect(NONE, 1);
    init.place(body);
    sleep(&mut init, 900);
    exit(&mut init, 2);
    let mut other = Script::new();
    sleep(&mut other, 1);
    exit(&mut other, 0);
    let system = System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    assert!((6 * MS..7 * MS).contains(&system.boards[0].core.now_ns()));
}

/// In a child, whose number the thread takes over: with the first thread waiting, or ended; a refused one ends nobody.
#[test]
fn exec_of_further_thread_keeps_the_number_of_the_process() {
    let mut other = Script::new();
    let (number, body) = (other.variable(), other.label());
    other.call(GETPID, &[]).keep(number).call(GETTID, &[]).expect(Of(number), 1);
    let joined = begin_thread(&mut other, body);
    join(&mut other, joined);
    exit(&mut other, 7);
    other.place(body);
    exit_thread(&mut other);
    for first_ends in [false, true] {
        let mut init = with_console();
        let (child, body, waits) = (init.label(), init.label(), init.label());
        let (path, none) = (init.string("/bin/other"), init.string("/bin/none"));
        let arguments = init.vector(&[path]);
        let number = init.variable();
        init.call(CLONE, &[SIGCHLD]).keep(number).jump_if_zero(child);
        let status = wait_status(&mut init);
        init.expect(Value(7 << 8), 1);
        let _ = status;
        exit(&mut init, 0);
        init.place(child);
        begin_thread(&mut init, waits);
        begin_thread(&mut init, body);
        if first_ends {
            exit_thread(&mut init);
        }
        init.place(waits);
        sleep(&mut init, 900);
        exit(&mut init, 2);
        init.place(body);
        sleep(&mut init, 5);
        init.call(EXECVE, &[none, arguments, NONE]).expect(error(2), 3);
        init.call(EXECVE, &[path, arguments, NONE]).expect(NONE, 4);
        let system = System::new(1, &[("/sbin/init", &init), ("/bin/other", &other)]);
        assert_eq!(system.status(), 0, "{:?}", System::log());
        assert!((5 * MS..7 * MS).contains(&system.boards[0].core.now_ns()));
    }
}

/// As many as there are slots, again and again: each slot is free after its thread.
#[test]
fn threads_beyond_slots_are_refused_and_slots_come_back() {
    let mut init = with_console();
    let body = init.label();
    for _ in 0..3 {
        let numbers: Vec<Argument> = (0..crate::support::SLOTS - 1).map(|_| begin_thread(&mut init, body)).collect();
        let stack = init.bytes(&[0; 16]);
        init.call(CLONE, &[Value(THREAD), stack, stack, NONE, stack]).expect(error(11), 1);
        numbers.into_iter().for_each(|number| join(&mut init, number));
    }
    init.call(CLONE, &[Value(THREAD & !0x200), NONE]).expect(error(EINVAL), 2);
    let pid = init.variable();
    init.call(GETPID, &[]).keep(pid);
    init.call(KILL, &[Of(pid), NONE]).expect(NONE, 3);
    exit(&mut init, 0);
    init.place(body);
    sleep(&mut init, 2);
    exit_thread(&mut init);
    run(&init, 0);
}

/// A handler that a thread sets is the program's: the signal of a child's end is kept for it.
#[test]
fn handler_of_further_thread_is_the_programs() {
    const SIGCHLD_NUMBER: u64 = 17;
    let mut init = with_console();
    let (body, handler, child) = (init.label(), init.label(), init.label());
    let seen = words(&mut init, &[0]);
    let number = begin_thread(&mut init, body);
    join(&mut init, number);
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    sleep(&mut init, 5);
    expect_word(&mut init, seen, 1, 1);
    exit(&mut init, 0);
    init.place(handler);
    init.take(ONE).write_word(seen).end_handler();
    init.place(body);
    handle(&mut init, SIGCHLD_NUMBER, Code(handler), 0);
    exit_thread(&mut init);
    init.place(child);
    exit(&mut init, 0);
    run(&init, 0);
}

/// A thread that waits for a signal of its own is made while the others end: nothing of the program is left.
#[test]
fn exit_group_ends_a_thread_that_is_about_to_make_one() {
    let mut init = with_console();
    let (child, makes, idle) = (init.label(), init.label(), init.label());
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    let status = wait_status(&mut init);
    init.take(Of(status)).expect(Value(3 << 8), 1);
    exit(&mut init, 0);
    init.place(child);
    begin_thread(&mut init, makes);
    sleep(&mut init, 3);
    exit(&mut init, 3);
    init.place(makes);
    begin_thread(&mut init, idle);
    init.jump(makes);
    init.place(idle);
    exit_thread(&mut init);
    let end_ns = run(&init, 0);
    assert!((3 * MS..5 * MS).contains(&end_ns), "at {end_ns} ns");
}

/// No program claims to be a thread that has its siblings killed.
#[test]
fn cause_of_siblings_is_nobodys_to_claim() {
    const SIGQUEUE: u64 = 138;
    const SIGCONT: u64 = 18;
    let mut init = with_console();
    let (child, number) = (init.label(), init.variable());
    let mut info = [0u8; 128];
    info[8..12].copy_from_slice(&i32::MIN.to_le_bytes());
    let info = init.bytes(&info);
    init.call(CLONE, &[SIGCHLD]).keep(number).jump_if_zero(child);
    init.call(SIGQUEUE, &[Of(number), Value(SIGCONT), info]).expect(error(1), 1);
    let status = wait_status(&mut init);
    init.take(Of(status)).expect(NONE, 2);
    exit(&mut init, 0);
    init.place(child);
    sleep(&mut init, 5);
    exit(&mut init, 0);
    run(&init, 0);
}
