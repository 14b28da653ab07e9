//! What each I/O has to wait: cases, then whatever programs and boards do.

mod random;

pub(crate) use random::a_pace;

use super::{DELAY_NS_MAX, Governor, IoTimes, TrapTimes};
use renga_abi::pace::Pace;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

const fn wait(factor: u32) -> Pace {
    Pace::Time { factor, spins: false }
}

const fn count(most: u32, own_period: bool) -> Pace {
    Pace::Count { most, period_ms: 10, own_period }
}

const fn io(began_ns: u64, ended_ns: u64) -> IoTimes {
    IoTimes { asked_ns: began_ns, began_ns, ended_ns, waited_ns: 0 }
}

const fn at(now_ns: u64, user_ns: u64) -> TrapTimes {
    TrapTimes { now_ns, user_ns }
}

/// Holds: iospeed-factor.
#[test]
fn pace_factor_stretches_io() {
    // Factor, what it takes, what it waits then.
    let cases: &[(u32, u64, u64)] = &[
        (1_000, 100 * MS, 0),
        (1_100, MS, 100 * US),
        (2_000, MS, MS),
        (10_000, 600 * US, 5_400 * US),
        (100_000, 3 * US, 297 * US),
        (1_000_000, MS, 999 * MS),
        (1_000_000, 10_000 * MS, DELAY_NS_MAX),
        (1_000_000, u64::MAX / 2, DELAY_NS_MAX),
    ];
    for &(factor, took_ns, delay_ns) in cases {
        let until_ns = Governor::default().after(wait(factor), io(5, 5 + took_ns));
        assert_eq!(until_ns, (delay_ns > 0).then_some(5 + took_ns + delay_ns), "{factor} * {took_ns}");
    }
    assert_eq!(Governor::default().after(Pace::Free, io(5, MS)), None);
    assert_eq!(Governor::default().after(count(1, false), io(5, MS)), None);
}

#[test]
fn pace_short_delay_is_carried_over() {
    let mut governor = Governor::default();
    // 3 us each: the seventh makes it 21.
    for which in 0..6 {
        assert_eq!(governor.after(wait(2_000), io(0, 3 * US)), None, "{which}");
        governor.leaves(at(3 * US, 0));
    }
    assert_eq!(governor.after(wait(2_000), io(0, 3 * US)), Some(24 * US));
    governor.leaves(at(24 * US, 0));
    assert_eq!(governor.after(wait(2_000), io(0, 3 * US)), None);
}

/// Holds: iospeed-factor.
#[test]
fn pace_late_or_early_io_is_compensated() {
    let mut governor = Governor::default();
    assert_eq!(governor.after(wait(3_000), io(0, MS)), Some(3 * MS));
    governor.leaves(at(3 * MS + 200 * US, 0));
    assert_eq!(governor.after(wait(3_000), io(4 * MS, 5 * MS)), Some(7 * MS - 200 * US), "it was late");
    governor.leaves(at(6 * MS, 0));
    assert_eq!(governor.after(wait(3_000), io(8 * MS, 9 * MS)), Some(11 * MS + 800 * US), "it was interrupted");
    governor.leaves(at(11 * MS + 800 * US, 0));
    let slowly = IoTimes { asked_ns: 0, began_ns: 300 * US, ended_ns: 1_300 * US, waited_ns: 0 };
    assert_eq!(governor.after(wait(3_000), slowly), Some(3 * MS), "what is done before it is no I/O");
    // A program stopped for an hour does not go unpaced for an hour.
    governor.leaves(at(3_600_000 * MS, 0));
    assert_eq!(governor.after(wait(2_000), io(0, 300 * MS)), Some(600 * MS - 100 * MS));
    governor.leaves(at(400 * MS, 0));
    governor.begin();
    assert_eq!(governor.after(wait(2_000), io(0, MS)), Some(2 * MS), "another pace starts from zero");
}

/// Holds: iospeed-factor.
#[test]
fn pace_io_queued_behind_others_is_delayed_less() {
    // Factor, what it took, how long of that others had what it needed, what it waits then; what it waits after another
    // ms.
    type Case = (u32, u64, u64, Option<u64>, Option<u64>);
    let cases: &[Case] = &[
        (10_000, 3 * MS, 2 * MS, Some(7 * MS), Some(9 * MS)),
        (3_000, 3 * MS, 2 * MS, None, Some(2 * MS)),
        (2_000, 3 * MS, 2 * MS, None, None), // 1 ms too late, then in time
        (2_000, 300 * MS, 300 * MS, None, None),
        (2_000, 3 * MS, 9 * MS, None, None), // others had it longer than it was there
    ];
    for &(factor, took_ns, waited_ns, delay_ns, next_ns) in cases {
        let mut governor = Governor::default();
        let until_ns = governor.after(wait(factor), IoTimes { waited_ns, ..io(0, took_ns) });
        assert_eq!(until_ns, delay_ns.map(|delay_ns| took_ns + delay_ns), "{factor}, {waited_ns} of {took_ns}");
        governor.leaves(at(until_ns.unwrap_or(took_ns), 0));
        assert_eq!(governor.after(wait(factor), io(0, MS)), next_ns.map(|next_ns| MS + next_ns), "{factor}, {took_ns}");
    }
}

#[test]
fn pace_trap_and_return_count_as_io_time() {
    let mut governor = Governor::default();
    governor.trapped(at(0, 0));
    assert_eq!(governor.crossing_ns, None, "it was not let go before");
    governor.leaves(at(1_000, 50));
    governor.trapped(at(1_700, 350));
    assert_eq!(governor.crossing_ns, Some(400));
    // Another program ran.
    governor.leaves(at(2_000, 350));
    governor.trapped(at(9_000, 1_350));
    assert_eq!(governor.crossing_ns, Some(400), "the least of all");
    governor.leaves(at(10_000, 1_350));
    governor.trapped(at(10_300, 1_350));
    assert_eq!(governor.crossing_ns, Some(300));
    assert_eq!(governor.after(wait(2_000), io(0, 29_700)), Some(29_700 + 30_000));
}

/// Holds: iospeed-rate.
#[test]
fn pace_count_period_admits_limit() {
    // The time of each request, ms; the time of its retry.
    let fixed: &[(u64, Option<u64>)] = &[
        (3, None),
        (4, None),
        (5, Some(10)),
        (10, None),
        (19, None),
        (19, Some(20)),
        (47, None), // of the period from 40 on
        (48, None),
        (49, Some(50)),
    ];
    let variable: &[(u64, Option<u64>)] = &[
        (3, None),
        (4, None),
        (5, Some(13)),
        (13, None),
        (14, None),
        (14, Some(23)),
        (25, None), // of the period from 23 on
        (26, None),
        (27, Some(33)),
        (47, None), // no request from 43 on
        (48, None),
        (49, Some(57)),
    ];
    for (requests, own_period) in [(fixed, false), (variable, true)] {
        let mut governor = Governor::default();
        for &(now_ms, until_ms) in requests {
            let until_ns = governor.before(count(2, own_period), now_ms * MS);
            assert_eq!(until_ns, until_ms.map(|until_ms| until_ms * MS), "{now_ms} ms, own period {own_period}");
        }
    }
    assert_eq!(Governor::default().before(wait(2_000), 7), None);
    assert_eq!(Governor::default().before(Pace::Free, 7), None);
}
