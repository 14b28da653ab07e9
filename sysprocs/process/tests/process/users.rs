//! What programs of other users than root may do to other programs, and what only root may: from the board of the
//! other program, and from another one.

use crate::support::System;
use crate::support::calls::{
    ANY, CLOCK_SETTIME, CLONE, FORK_ON, GETPID, KILL, NONE, ONE, SETRLIMIT, SIGCHLD, WAIT4, behind, error, exit,
    expect_word, words,
};
use crate::support::script::{Argument, Script, Variable};
use Argument::{Of, Value};

const EPERM: i64 = 1;
const ESRCH: i64 = 3;
const EACCES: i64 = 13;
const EINVAL: i64 = 22;
const SETRESUID: u64 = 147;
const SETPRIORITY: u64 = 140;
const SIGUSR1: Argument = Value(10);
const SIGCONT: Argument = Value(18);
const USER: Argument = Value(1000);

/// What the user's program, a child of init, attempts; `sibling` is root's, in the same session.
fn attempt_all(script: &mut Script, sibling: Variable) {
    let (limit, time) = (words(script, &[5, u64::MAX]), words(script, &[1, 0]));
    let (lower, priority) = (words(script, &[5, 5]), words(script, &[1]));
    script.call(SETRLIMIT, &[Value(8), lower]).expect(NONE, 40);
    let own = script.variable();
    script.call(GETPID, &[]).keep(own);
    script.call(SETRESUID, &[USER, USER, USER]).expect(NONE, 41);
    let calls: &[(u64, &[Argument], Argument)] = &[
        (KILL, &[ONE, NONE], error(EPERM)),
        (KILL, &[Of(sibling), SIGUSR1], error(EPERM)),
        (KILL, &[Of(sibling), Value(65)], error(EINVAL)),
        (KILL, &[Value(4711), NONE], error(ESRCH)),
        (131, &[Of(sibling), Of(sibling), SIGUSR1], error(EPERM)), // tgkill
        (KILL, &[Of(sibling), SIGCONT], NONE),
        (KILL, &[Of(own), NONE], NONE),
        (KILL, &[Value(-1_i64 as u64), SIGUSR1], NONE),
        (SETPRIORITY, &[NONE, ONE, Value(5)], error(EPERM)),
        (SETPRIORITY, &[NONE, NONE, Value(5)], NONE),
        (SETPRIORITY, &[NONE, NONE, Value(4)], error(EACCES)),
        (119, &[NONE, ONE, priority], error(EPERM)), // sched_setscheduler
        (SETRLIMIT, &[Value(8), limit], error(EPERM)),
        (CLOCK_SETTIME, &[NONE, time], error(EPERM)),
    ];
    for (place, (number, arguments, expected)) in calls.iter().enumerate() {
        script.call(*number, arguments).expect(*expected, place as u64 + 50);
    }
}

/// Root's program, whose handler would notice a signal, waits for the user's, which init makes by `make`.
fn status_of(boards: usize, make: (u64, &[Argument])) -> u8 {
    let mut init = Script::new();
    let (sibling, waits, child, status) = (init.variable(), init.label(), init.label(), init.variable());
    let (ends, byte) = (init.variable(), init.variable());
    init.call(59, &[ends.address(), NONE]);
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).keep(sibling).jump_if_zero(waits);
    init.call(make.0, make.1).jump_if_zero(child);
    init.call(WAIT4, &[ANY, status.address(), NONE, NONE]);
    init.take(Of(status)).expect(NONE, 1);
    init.call(64, &[ONE, byte.address(), ONE]).expect(ONE, 2);
    init.call(WAIT4, &[ANY, status.address(), NONE, NONE]);
    init.take(Of(status)).expect(NONE, 3);
    exit(&mut init, 0);
    // A signal would end it.
    init.place(waits).call(63, &[NONE, byte.address(), ONE]).expect(ONE, 4);
    exit(&mut init, 0);
    init.place(child);
    attempt_all(&mut init, sibling);
    exit(&mut init, 0);
    System::new(boards, &[("/sbin/init", &init)]).status()
}

#[test]
fn other_users_may_not_touch_roots_programs() {
    assert_eq!(status_of(1, (CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE])), 0, "on its board");
    assert_eq!(status_of(2, (FORK_ON, &[ONE])), 0, "from another board");
}

#[test]
fn signal_names_the_senders_user() {
    let mut init = Script::new();
    let (own, signals, info) = (init.variable(), words(&mut init, &[1 << 9]), words(&mut init, &[0; 16]));
    init.call(GETPID, &[]).keep(own);
    init.call(SETRESUID, &[USER, NONE, NONE]).expect(NONE, 1);
    init.call(135, &[NONE, signals, NONE, Value(8)]).expect(NONE, 2);
    init.call(KILL, &[Of(own), SIGUSR1]).expect(NONE, 3);
    init.call(137, &[signals, info, NONE, Value(8)]).expect(SIGUSR1, 4);
    expect_word(&mut init, behind(info, 16), 1 | 1000 << 32, 5);
    exit(&mut init, 0);
    assert_eq!(System::solo(&init).status(), 0);
}
