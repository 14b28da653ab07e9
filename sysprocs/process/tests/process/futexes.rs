//! Scripted programs that wait for words of memory.

use crate::support::System;
use crate::support::calls::{
    ANY, CLONE, FUTEX, GET_ROBUST_LIST, GETPID, KILL, MMAP, NANOSLEEP, NONE, ONE, SET_ROBUST_LIST, SIGCHLD, behind,
    error, exit, expect_word, handle, time, wait_status, with_console, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Code, Of, Value};

const MS: u64 = 1_000_000;
const WAIT: Argument = NONE;
const WAKE: Argument = ONE;
const REQUEUE: Argument = Value(3);
const COMPARE_AND_REQUEUE: Argument = Value(4);
const WAIT_BITS: Argument = Value(9);
const WAKE_BITS: Argument = Value(10);
const WAIT_PRIVATE: Argument = Value(0x80);
const WAKE_PRIVATE: Argument = Value(0x81);
const LOCK_INHERITING: Argument = Value(6);
/// A page that parent and child share, and further words in it.
const SHARED: u64 = 0x4000_0000;
const WORD: Argument = Value(SHARED);
const OTHER_WORD: Argument = Value(SHARED + 8);
const PAGE: Argument = Value(0x1000);
const FIXED_SHARED_ANONYMOUS: Argument = Value(0x31);
const READ_WRITE: Argument = Value(3);
const ALL: Argument = Value(i32::MAX as u64);
const EINTR: i64 = 4;
const EAGAIN: i64 = 11;
const EFAULT: i64 = 14;
const EINVAL: i64 = 22;
const ENOSYS: i64 = 38;
const ETIMEDOUT: i64 = 110;

/// Runs the program on one board; when it ended.
fn run(init: &Script) -> u64 {
    let system = System::new(1, &[("/sbin/init", init)]);
    assert_eq!(system.status(), 0, "{:?}", System::log());
    system.boards[0].core.now_ns()
}

fn with_shared_page() -> Script {
    let mut script = with_console();
    script.call(MMAP, &[WORD, PAGE, READ_WRITE, FIXED_SHARED_ANONYMOUS, ANY, NONE]).expect(WORD, 100);
    script
}

fn sleep(script: &mut Script, ms: u64) {
    let time = time(script, ms);
    script.call(NANOSLEEP, &[time, NONE]);
}

#[test]
fn futex_bad_calls_fail_as_on_linux() {
    let mut init = with_shared_page();
    let word = words(&mut init, &[7]);
    let bad_time = words(&mut init, &[0, 1_000_000_000]);
    for (otherwise, (arguments, result)) in (1..).zip([
        ([word, WAIT, Value(8), NONE, NONE, NONE], error(EAGAIN)),
        ([word, WAIT_PRIVATE, Value(6), NONE, NONE, NONE], error(EAGAIN)),
        ([Value(SHARED + 2), WAIT, NONE, NONE, NONE, NONE], error(EINVAL)),
        ([Value(SHARED + 2), WAKE, NONE, NONE, NONE, NONE], error(EINVAL)),
        ([Value(0x10_0000), WAIT, NONE, NONE, NONE, NONE], error(EFAULT)),
        ([Value(0x10_0000), WAKE, ONE, NONE, NONE, NONE], error(EFAULT)),
        ([word, WAIT, Value(7), bad_time, NONE, NONE], error(EINVAL)),
        ([word, WAIT_BITS, Value(7), NONE, NONE, NONE], error(EINVAL)),
        ([word, WAKE_BITS, ONE, NONE, NONE, NONE], error(EINVAL)),
        ([word, COMPARE_AND_REQUEUE, ONE, ONE, WORD, Value(6)], error(EAGAIN)),
        ([word, REQUEUE, ANY, ONE, WORD, NONE], error(EINVAL)),
        ([word, LOCK_INHERITING, NONE, NONE, NONE, NONE], error(ENOSYS)),
        ([word, WAKE, ALL, NONE, NONE, NONE], NONE),
        ([word, WAKE_PRIVATE, ALL, NONE, NONE, NONE], NONE),
        ([word, COMPARE_AND_REQUEUE, ONE, ONE, WORD, Value(7)], NONE),
    ]) {
        init.call(FUTEX, &arguments).expect(result, otherwise);
    }
    init.call(SET_ROBUST_LIST, &[word, Value(16)]).expect(error(EINVAL), 90);
    exit(&mut init, 0);
    run(&init);
}

#[test]
fn futex_wait_ends_at_its_time() {
    let mut init = with_shared_page();
    let (three, nine) = (time(&mut init, 3), time(&mut init, 9));
    init.call(FUTEX, &[WORD, WAIT, NONE, three]).expect(error(ETIMEDOUT), 1);
    // Of one with bits, the time is that of the clock.
    init.call(FUTEX, &[WORD, WAIT_BITS, NONE, nine, NONE, ONE]).expect(error(ETIMEDOUT), 2);
    init.call(FUTEX, &[WORD, WAIT_BITS, NONE, three, NONE, ONE]).expect(error(ETIMEDOUT), 3);
    exit(&mut init, 0);
    let end_ns = run(&init);
    assert!((9 * MS..10 * MS).contains(&end_ns), "at {end_ns} ns");
}

#[test]
fn futex_of_shared_page_is_woken_by_child() {
    let mut init = with_shared_page();
    let child = init.label();
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    init.call(FUTEX, &[WORD, WAIT, NONE, NONE]).expect(NONE, 1);
    expect_word(&mut init, WORD, 1, 2);
    wait_status(&mut init);
    init.expect(NONE, 3);
    exit(&mut init, 0);
    init.place(child);
    sleep(&mut init, 5);
    init.take(ONE).write_word(WORD);
    init.call(FUTEX, &[OTHER_WORD, WAKE, ALL]).expect(NONE, 4);
    init.call(FUTEX, &[WORD, WAKE_PRIVATE, ALL]).expect(NONE, 5);
    init.call(FUTEX, &[WORD, WAKE, ALL]).expect(ONE, 6);
    init.call(FUTEX, &[WORD, WAKE, ALL]).expect(NONE, 7);
    exit(&mut init, 0);
    let end_ns = run(&init);
    assert!((5 * MS..6 * MS).contains(&end_ns), "at {end_ns} ns");
}

#[test]
fn futex_of_private_page_is_not_woken_by_child() {
    let mut init = with_console();
    let (child, word, ten) = (init.label(), words(&mut init, &[0]), time(&mut init, 10));
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    init.call(FUTEX, &[word, WAIT, NONE, ten]).expect(error(ETIMEDOUT), 1);
    wait_status(&mut init);
    init.expect(NONE, 2);
    exit(&mut init, 0);
    init.place(child);
    sleep(&mut init, 5);
    init.call(FUTEX, &[word, WAKE, ALL]).expect(NONE, 3);
    exit(&mut init, 0);
    run(&init);
}

/// Of two that wait for a word, one is woken and the other waits for the second word from then on.
#[test]
fn futex_requeued_waiter_is_woken_at_the_other_word() {
    let mut init = with_shared_page();
    let child = init.label();
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
    sleep(&mut init, 5);
    init.call(FUTEX, &[WORD, COMPARE_AND_REQUEUE, ONE, ALL, OTHER_WORD, NONE]).expect(Value(2), 1);
    init.call(FUTEX, &[WORD, WAKE, ALL]).expect(NONE, 2);
    wait_status(&mut init);
    init.expect(NONE, 3);
    init.call(FUTEX, &[OTHER_WORD, WAKE, ALL]).expect(ONE, 4);
    wait_status(&mut init);
    init.expect(NONE, 5);
    exit(&mut init, 0);
    init.place(child);
    init.call(FUTEX, &[WORD, WAIT, NONE, NONE]).expect(NONE, 6);
    exit(&mut init, 0);
    run(&init);
}

#[test]
fn futex_wait_ends_by_a_handled_signal_and_leaves_the_queue() {
    const SA_RESTART: u64 = 0x1000_0000;
    for (flags, result, woken) in [(0, error(EINTR), NONE), (SA_RESTART, NONE, ONE)] {
        let mut init = with_shared_page();
        let (child, handler, parent) = (init.label(), init.label(), init.variable());
        init.call(GETPID, &[]).keep(parent);
        handle(&mut init, 10, Code(handler), flags);
        init.call(CLONE, &[SIGCHLD]).jump_if_zero(child);
        init.call(FUTEX, &[WORD, WAIT, NONE, NONE]).expect(result, 1);
        wait_status(&mut init);
        init.expect(NONE, 2);
        exit(&mut init, 0);
        init.place(handler).end_handler();
        init.place(child);
        sleep(&mut init, 5);
        init.call(KILL, &[Of(parent), Value(10)]).expect(NONE, 3);
        sleep(&mut init, 5);
        init.call(FUTEX, &[WORD, WAKE, ALL]).expect(woken, 4);
        exit(&mut init, 0);
        run(&init);
    }
}

/// A program that ends with a lock leaves it to who waits for it, whether it is in its list or about to be.
#[test]
fn futex_lock_of_ended_program_is_given_on() {
    const OFFSET: u64 = 0x20;
    const OWNER_DIED_AND_WAITERS: u64 = 0xc000_0000;
    for pending in [false, true] {
        let mut init = with_shared_page();
        let (child, owner) = (init.label(), init.variable());
        let entry = Value(SHARED + 0x100);
        let lock = Value(SHARED + 0x100 + OFFSET);
        let head = words(&mut init, &[0, OFFSET, 0]);
        let Argument::Address(head_address) = head else { unreachable!("data has an address") };
        init.call(CLONE, &[SIGCHLD]).keep(owner).jump_if_zero(child);
        sleep(&mut init, 5);
        init.call(FUTEX, &[lock, WAIT, Of(owner), NONE]).expect(NONE, 1);
        expect_word(&mut init, lock, OWNER_DIED_AND_WAITERS, 2);
        wait_status(&mut init);
        init.expect(NONE, 3);
        exit(&mut init, 0);
        init.place(child);
        init.call(GETPID, &[]).write_word(lock);
        init.take(head).write_word(if pending { head } else { entry });
        init.take(if pending { head } else { entry }).write_word(head);
        init.take(if pending { entry } else { NONE }).write_word(Value(head_address + 16));
        init.call(SET_ROBUST_LIST, &[head, Value(24)]).expect(NONE, 4);
        let found = words(&mut init, &[0, 0]);
        init.call(GET_ROBUST_LIST, &[NONE, found, behind(found, 8)]).expect(NONE, 5);
        expect_word(&mut init, found, head_address, 6);
        expect_word(&mut init, behind(found, 8), 24, 7);
        sleep(&mut init, 10);
        exit(&mut init, 0);
        run(&init);
    }
}
