//! Processes and threads that are made by a structure (`clone3`).

use crate::support::System;
use crate::support::calls::{
    EXIT, FUTEX, GETPID, KILL, MMAP, NONE, SIGCHLD, behind, error, exit, handle, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Address, Code, Of, Value};

const CLONE3: u64 = 435;
const BYTES: Argument = Value(88);
const ANY: Argument = Value(u64::MAX);
const SIGUSR1: u64 = 10;
const CLEAR_HANDLERS: u64 = 1 << 32;
/// As the C library makes threads.
const THREAD: u64 = 0x3d_0f00;
const STACK_BYTES: u64 = 0x2000;
const EBADF: i64 = 9;
const E2BIG: i64 = 7;
const EPERM: i64 = 1;
const EFAULT: i64 = 14;
const EINVAL: i64 = 22;

fn run(init: &Script) {
    let system = System::new(1, &[("/sbin/init", init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
}

/// A `struct clone_args` with these words, by their places.
fn structure(script: &mut Script, set: &[(usize, u64)]) -> Argument {
    let mut all = [0; 12];
    set.iter().for_each(|&(at, word)| all[at] = word);
    words(script, &all)
}

#[test]
fn clone3_thread_runs_on_its_stack_and_has_a_number() {
    let mut init = with_console();
    let (number, stack, body) = (words(&mut init, &[0]), init.variable(), init.label());
    let Address(at) = number else { unreachable!("data has an address") };
    let made = structure(&mut init, &[(0, THREAD), (2, at), (3, at), (6, STACK_BYTES)]);
    init.call(MMAP, &[NONE, Value(STACK_BYTES), Value(3), Value(0x22), ANY, NONE]).keep(stack);
    init.take(Of(stack)).write_word(behind(made, 5 * 8));
    init.call(CLONE3, &[made, BYTES]).jump_if_zero(body);
    let (tid, again, over) = (init.variable(), init.label(), init.label());
    init.keep(tid);
    init.place(again);
    init.take(number).read_word().jump_if_zero(over).expect(Of(tid), 1);
    init.call(FUTEX, &[number, NONE, Of(tid), NONE]).jump(again);
    init.place(over);
    exit(&mut init, 0);
    init.place(body);
    init.call(93, &[NONE]);
    run(&init);
}

#[test]
fn clone3_child_has_no_handlers_if_asked() {
    let mut init = with_console();
    let handler = init.label();
    handle(&mut init, SIGUSR1, Code(handler), 0);
    for (flags, wanted) in [(0, 3 << 8), (CLEAR_HANDLERS, SIGUSR1)] {
        let (child, pid) = (init.label(), init.variable());
        let Value(signal) = SIGCHLD else { unreachable!("a number") };
        let made = structure(&mut init, &[(0, flags), (4, signal)]);
        let parent = init.label();
        init.call(CLONE3, &[made, BYTES]).jump_if_zero(child).jump(parent);
        init.place(child);
        init.call(GETPID, &[]).keep(pid);
        init.call(KILL, &[Of(pid), Value(SIGUSR1)]);
        exit(&mut init, 4);
        init.place(parent);
        let status = wait_status(&mut init);
        init.take(Of(status)).expect(Value(wanted), 2);
    }
    exit(&mut init, 0);
    init.place(handler);
    init.call(EXIT, &[Value(3)]);
    run(&init);
}

#[test]
fn clone3_refuses_what_linux_refuses() {
    let mut init = with_console();
    let plain = structure(&mut init, &[(4, 17)]);
    let mut long = [0; 20];
    (long[4], long[15]) = (17, 1);
    let long = words(&mut init, &long);
    for (place, bytes, errno) in [
        (plain, 63, EINVAL),
        (plain, 0, EINVAL),
        (plain, u64::MAX, E2BIG),
        (plain, 4097, E2BIG),
        (NONE, 88, EFAULT),
        (Value(64), 88, EFAULT),
        (long, 160, E2BIG),
    ] {
        init.call(CLONE3, &[place, Value(bytes)]).expect(error(errno), 1);
    }
    for (set, errno) in [
        (&[(0, 1 << 34)][..], EINVAL),
        (&[(0, 17)], EINVAL),
        (&[(0, 0x40_0000)], EINVAL),
        (&[(0, 0x900 | CLEAR_HANDLERS)], EINVAL),
        (&[(0, 0x900)], EINVAL),
        (&[(0, THREAD), (4, 17)], EINVAL),
        (&[(4, 65)], EINVAL),
        (&[(4, 1 << 32 | 17)], EINVAL),
        (&[(5, 0x10000)], EINVAL),
        (&[(6, 0x10000)], EINVAL),
        (&[(5, 0x10000), (6, u64::MAX)], EINVAL),
        (&[(8, 0x10000)], EINVAL),
        (&[(9, 1)], EINVAL),
        (&[(8, 0x10000), (9, 33)], EINVAL),
        (&[(8, 0x10000), (9, 1)], EPERM),
        (&[(0, 1 << 33), (10, u64::MAX)], EINVAL),
        (&[(0, 1 << 33), (10, 77)], EBADF),
    ] {
        let made = structure(&mut init, set);
        init.call(CLONE3, &[made, BYTES]).expect(error(errno), 2);
    }
    // The first form has no group.
    let made = structure(&mut init, &[(0, 1 << 33)]);
    init.call(CLONE3, &[made, Value(80)]).expect(error(EINVAL), 3);
    exit(&mut init, 0);
    run(&init);
}
