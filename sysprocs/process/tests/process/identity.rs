//! Scripted programs on one board: calls with a constant reply, or one that only depends on the caller.

use crate::support::System;
use crate::support::calls::{ANY, NONE, ONE, error, exit, expect_word, set, words};
use crate::support::script::{Argument, Script};
use Argument::Value;

const EPERM: i64 = 1;
const ESRCH: i64 = 3;
const ENOMEM: i64 = 12;
const EINVAL: i64 = 22;
const ENOSYS: i64 = 38;
/// Init's pid.
const SELF: Argument = ONE;

/// Makes each call and expects its result.
fn expect_all(mut script: Script, calls: &[(u64, &[Argument], Argument)]) {
    for (place, (number, arguments, expected)) in calls.iter().enumerate() {
        script.call(*number, arguments).expect(*expected, place as u64 + 1);
    }
    exit(&mut script, 0);
    assert_eq!(System::solo(&script).status(), 0, "the number of the call that came to something else");
}

/// Holds: no-attributes.
#[test]
fn identity_facts_match_linux() {
    let mut script = Script::new();
    let ids = words(&mut script, &[7; 3]);
    let calls: &[(u64, &[Argument], Argument)] = &[
        (92, &[ANY], NONE),                 // personality
        (96, &[NONE], SELF),                // set_tid_address
        (142, &[NONE], error(EPERM)),       // reboot
        (156, &[NONE], SELF),               // getsid
        (161, &[ids, ONE], error(EPERM)),   // sethostname
        (166, &[Value(0o77)], Value(0o22)), // umask
        (166, &[Value(0o22)], Value(0o77)),
        (167, &[Value(3)], ONE), // prctl: dumpable
        (167, &[Value(4), NONE], NONE),
        (167, &[Value(3)], NONE),
        (167, &[Value(4), Value(2)], error(EINVAL)), // only the kernel makes it so
        (167, &[Value(53)], error(EINVAL)),
        (172, &[], SELF),                   // getpid
        (173, &[], NONE),                   // getppid
        (178, &[], SELF),                   // gettid
        (293, &[ids, NONE], error(ENOSYS)), // rseq
        (500, &[], error(ENOSYS)),          // none of Linux's
    ];
    expect_all(script, calls);
}

#[test]
fn ids_follow_linux_rules() {
    let mut script = Script::new();
    let (groups, one_too_many) = (words(&mut script, &[5 | 3 << 32]), words(&mut script, &[0; 17]));
    let places = [0; 3].map(|word| words(&mut script, &[word]));
    let (header, sets) = (words(&mut script, &[0x2008_0522]), words(&mut script, &[0; 3]));
    let calls: &[(u64, &[Argument], Argument)] = &[
        (174, &[], NONE),                 // getuid
        (159, &[Value(2), groups], NONE), // setgroups
        (159, &[Value(33), one_too_many], error(EINVAL)),
        (158, &[NONE, NONE], Value(2)), // getgroups
        (158, &[ONE, groups], error(EINVAL)),
        (158, &[Value(2), groups], Value(2)),
        (143, &[Value(7), Value(8)], NONE),  // setregid
        (176, &[], Value(7)),                // getgid
        (177, &[], Value(8)),                // getegid
        (144, &[Value(9)], NONE),            // setgid
        (149, &[ANY, Value(10), ANY], NONE), // setresgid
        (150, &places, NONE),                // getresgid
        (152, &[Value(11)], Value(10)),      // setfsgid
        (152, &[ANY], Value(11)),
        (90, &[header, sets], NONE),                           // capget
        (91, &[header, sets], NONE),                           // capset
        (147, &[Value(1000), Value(2000), Value(3000)], NONE), // setresuid
        (91, &[header, sets], error(EPERM)),
        (174, &[], Value(1000)),
        (175, &[], Value(2000)), // geteuid
        (159, &[NONE, NONE], error(EPERM)),
        (146, &[Value(5)], error(EPERM)), // setuid
        (146, &[ANY], error(EINVAL)),
        (146, &[Value(3000)], NONE),
        (145, &[ANY, NONE], error(EPERM)), // setreuid
        (147, &[ANY, Value(2000), ANY], error(EPERM)),
        (151, &[Value(1000)], Value(3000)), // setfsuid
        (151, &[Value(77)], Value(1000)),
        (151, &[Value(77)], Value(1000)),
        (148, &places, NONE),     // getresuid
        (167, &[Value(3)], NONE), // prctl: not dumpable any more
    ];
    for (place, (number, arguments, expected)) in calls.iter().enumerate() {
        script.call(*number, arguments).expect(*expected, place as u64 + 1);
    }
    expect_word(&mut script, groups, 3 | 5 << 32, 90);
    for (place, id) in places.into_iter().zip([1000, 3000, 3000]) {
        expect_word(&mut script, place, id, 91);
    }
    exit(&mut script, 0);
    assert_eq!(System::solo(&script).status(), 0, "the number of the call that came to something else");
}

/// Holds: no-paging.
#[test]
fn mlock_calls_succeed_on_mapped_memory() {
    let mut script = Script::new();
    let mapped = words(&mut script, &[0]);
    let calls: &[(u64, &[Argument], Argument)] = &[
        (228, &[mapped, ONE], NONE), // mlock
        (229, &[mapped, ONE], NONE), // munlock
        (228, &[Value(0x10_0000), ONE], error(ENOMEM)),
        (284, &[mapped, ONE, ONE], NONE), // mlock2
        (284, &[mapped, ONE, Value(2)], error(EINVAL)),
        (230, &[Value(3)], NONE), // mlockall
        (230, &[NONE], error(EINVAL)),
        (230, &[Value(4)], error(EINVAL)),
        (230, &[Value(8)], error(EINVAL)),
        (231, &[], NONE), // munlockall
    ];
    expect_all(script, calls);
}

#[test]
fn tkill_signals_the_process() {
    let mut script = Script::new();
    let (signals, info) = (set(&mut script, &[10, 34]), words(&mut script, &[34, u64::from(u32::MAX), 1, 9]));
    let (received, now) = (words(&mut script, &[0; 16]), words(&mut script, &[0, 0]));
    const TAKE: u64 = 137;
    let calls: &[(u64, &[Argument], Argument)] = &[
        (135, &[NONE, signals, NONE, Value(8)], NONE),
        (130, &[SELF, Value(10)], NONE), // tkill
        (TAKE, &[signals, received, now, Value(8)], Value(10)),
        (131, &[SELF, SELF, Value(10)], NONE), // tgkill
        (TAKE, &[signals, received, now, Value(8)], Value(10)),
        (131, &[SELF, Value(2), Value(10)], error(ESRCH)),
        (130, &[NONE, Value(10)], error(EINVAL)),
        (130, &[Value(77), Value(10)], error(ESRCH)),
        (240, &[SELF, SELF, Value(34), info], NONE), // rt_tgsigqueueinfo
        (240, &[SELF, Value(2), Value(34), info], error(ESRCH)),
        (TAKE, &[signals, received, now, Value(8)], Value(34)),
    ];
    expect_all(script, calls);
}

#[test]
fn scheduler_priorities_match_linux() {
    let mut script = Script::new();
    let (time, mask) = (words(&mut script, &[0; 2]), words(&mut script, &[0; 16]));
    let calls: &[(u64, &[Argument], Argument)] = &[
        (114, &[ONE, time], NONE), // clock_getres
        (114, &[Value(77), time], error(EINVAL)),
        (120, &[NONE], NONE),                     // sched_getscheduler
        (123, &[NONE, Value(8), mask], Value(8)), // sched_getaffinity
        (124, &[], NONE),                         // sched_yield
        (125, &[ONE], Value(99)),                 // sched_get_priority_max
        (125, &[NONE], NONE),
        (126, &[ONE], ONE),              // sched_get_priority_min
        (127, &[NONE, time], NONE),      // sched_rr_get_interval
        (141, &[NONE, NONE], Value(20)), // getpriority: 20 less the nice value
    ];
    for (place, (number, arguments, expected)) in calls.iter().enumerate() {
        script.call(*number, arguments).expect(*expected, place as u64 + 1);
    }
    expect_word(&mut script, mask, 1, 90);
    exit(&mut script, 0);
    assert_eq!(System::solo(&script).status(), 0, "the number of the call that came to something else");
}
