//! Whatever programs do and boards are late: delays are bounded, and what is requested is achieved.

use super::{DELAY_NS_MAX, Governor, IoTimes, MS, TrapTimes};
use crate::machine::LATE_NS_MAX;
use proptest::prelude::*;
use renga_abi::pace::Pace;
use std::vec::Vec;

/// What passes before an I/O, what it takes by itself, how long it waits for others, and how late its delay ends.
fn ios() -> impl Strategy<Value = Vec<[u64; 4]>> {
    let seldom = || prop_oneof![3 => Just(0), 1 => 0..2 * MS];
    prop::collection::vec((0..5 * MS, 100..20 * MS, seldom(), seldom()).prop_map(<[u64; 4]>::from), 1..200)
}

/// Any pace.
pub(crate) fn a_pace() -> impl Strategy<Value = Pace> {
    prop_oneof![
        Just(Pace::Free),
        (1_000..=1_000_000u32, any::<bool>()).prop_map(|(factor, spins)| Pace::Time { factor, spins }),
        (1..=9_999u32, 1..=1_000u32, any::<bool>()).prop_map(|(most, steps, own_period)| Pace::Count {
            most,
            period_ms: 10 * steps,
            own_period
        }),
    ]
}

proptest! {
    /// Holds: iospeed-factor.
    #[test]
    fn pace_random_ios_reach_factor(factor in 1_100..=100_000u32, late: bool, ios in ios()) {
        let pace = Pace::Time { factor, spins: false };
        let (mut governor, mut now_ns, mut took, mut lasted) = (Governor::default(), 0, 0, 0);
        for [before, takes, waited_ns, late_ns] in ios {
            now_ns += before;
            let asked_ns = now_ns;
            let io = IoTimes { asked_ns, began_ns: asked_ns, ended_ns: asked_ns + takes + waited_ns, waited_ns };
            now_ns = governor.after(pace, io).unwrap_or(io.ended_ns) + if late { late_ns } else { 0 };
            governor.leaves(TrapTimes { now_ns, user_ns: 0 });
            // Later than is made up for.
            prop_assume!(governor.owed_ns > -(LATE_NS_MAX as i64));
            took += takes;
            lasted += now_ns - asked_ns;
        }
        let wanted = (u128::from(took) * u128::from(factor) / 1_000) as u64;
        let owed_ns = governor.owed_ns;
        // Nothing is lost but what is rounded: what there is too much or too little is owed.
        prop_assert!((lasted as i64 + owed_ns - wanted as i64).abs() <= 200, "{lasted} of {wanted}, owed {owed_ns}");
    }

    /// Holds: iospeed-rate.
    #[test]
    fn pace_fixed_period_never_exceeds_count(most in 1..20u32, steps in 1..10u32, gaps in gaps()) {
        let pace = Pace::Count { most, period_ms: 10 * steps, own_period: false };
        let length_ns = u64::from(10 * steps) * MS;
        let mut in_periods = std::collections::BTreeMap::new();
        for at in begins(pace, &gaps) {
            *in_periods.entry(at / length_ns).or_insert(0) += 1;
        }
        prop_assert!(in_periods.values().all(|&ios| ios <= most), "{in_periods:?}");
    }

    /// Holds: iospeed-rate.
    #[test]
    fn pace_variable_period_never_exceeds_count(most in 1..20u32, steps in 1..10u32, gaps in gaps()) {
        let pace = Pace::Count { most, period_ms: 10 * steps, own_period: true };
        let length_ns = u64::from(10 * steps) * MS;
        let begins = begins(pace, &gaps);
        // One beyond those of a period and the next one's is not within one length.
        for (first, last) in begins.iter().zip(begins.iter().skip(2 * most as usize)) {
            prop_assert!(last - first >= length_ns, "{begins:?}");
        }
    }

    /// Holds: iospeed-control.
    #[test]
    fn pace_any_input_delay_is_bounded(
        pace in a_pace(),
        steps in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()), 1..100),
    ) {
        let mut governor = Governor::default();
        for (asked_ns, began_ns, ended_ns, waited_ns, left_ns) in steps {
            governor.trapped(TrapTimes { now_ns: asked_ns, user_ns: waited_ns });
            if let Some(until_ns) = governor.before(pace, asked_ns) {
                prop_assert!(until_ns > asked_ns && until_ns - asked_ns <= 10_000 * MS);
            }
            if let Some(until_ns) = governor.after(pace, IoTimes { asked_ns, began_ns, ended_ns, waited_ns }) {
                prop_assert!(until_ns >= ended_ns && until_ns - ended_ns <= DELAY_NS_MAX);
            }
            governor.leaves(TrapTimes { now_ns: left_ns, user_ns: began_ns });
            prop_assert!(governor.owed_ns >= -(LATE_NS_MAX as i64) && governor.owed_ns <= DELAY_NS_MAX as i64);
        }
    }
}

/// The time before each request of an I/O.
fn gaps() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![Just(0), 0..20 * MS], 1..200)
}

/// When the I/Os of these requests begin.
fn begins(pace: Pace, gaps: &[u64]) -> Vec<u64> {
    let (mut governor, mut now_ns) = (Governor::default(), 0);
    let begin = |gap: &u64| {
        now_ns += gap;
        // Ends: each iteration is a period later.
        while let Some(until_ns) = governor.before(pace, now_ns) {
            assert!(until_ns > now_ns, "it would wait for ever");
            now_ns = until_ns;
        }
        now_ns
    };
    gaps.iter().map(begin).collect()
}
