//! With any samples and settings, no job stays suspended for ever, and none is without a reason.

use super::{
    BOARDS_MAX, MS, RegulationPolicy, RegulatorMachine, RegulatorSettings, RegulatorThreshold, Sample, Samples,
};
use proptest::prelude::*;
use std::vec::Vec;

fn a_policy() -> impl Strategy<Value = RegulationPolicy> {
    prop_oneof![Just(RegulationPolicy::Off), Just(RegulationPolicy::Eii), Just(RegulationPolicy::Ipd)]
}

fn a_sample() -> impl Strategy<Value = Option<Sample>> {
    let used = || (prop_oneof![Just(0), any::<u64>()], 0..3u64, 0..3u64).prop_map(<[u64; 3]>::from);
    let ago_ns = prop_oneof![0..1_000 * MS, Just(u64::MAX)];
    let sample = (1..=1_000 * MS, 0..=100u64, used(), used(), ago_ns).prop_map(
        |(elapsed_ns, idle, foreground, background, front_used_ago_ns)| {
            let idle_ns = elapsed_ns / 100 * idle;
            Some(Sample { elapsed_ns, idle_ns, foreground, background, jobs: 1, suspended: 0, front_used_ago_ns })
        },
    );
    prop_oneof![9 => sample, 1 => Just(None)]
}

fn samples() -> impl Strategy<Value = Samples> {
    [a_sample(), a_sample()].prop_map(|seen| {
        let mut samples = [None; BOARDS_MAX];
        samples[..2].copy_from_slice(&seen);
        samples
    })
}

fn settings() -> impl Strategy<Value = RegulatorSettings> {
    (a_policy(), 10..5_000u32, 10..20_000u32, 0..2_000u32).prop_map(|(policy, first, most, quiet)| {
        let mut settings = RegulatorSettings::of(policy);
        let set = [
            (RegulatorThreshold::EiiFirstMs, first),
            (RegulatorThreshold::EiiMostMs, most),
            (RegulatorThreshold::IpdQuietMs, quiet),
        ];
        set.into_iter().for_each(|(threshold, value)| assert!(settings.thresholds.set(threshold as usize, value)));
        settings
    })
}

fn steps() -> impl Strategy<Value = Vec<(RegulatorSettings, Samples, u64)>> {
    prop::collection::vec((settings(), samples(), 1..500 * MS), 1..40)
}

/// Samples of boards on which no program runs.
fn quiet() -> Samples {
    let mut samples = [None; BOARDS_MAX];
    let idle = Sample { elapsed_ns: MS, idle_ns: MS, jobs: 1, suspended: 1, ..Sample::default() };
    samples[..2].fill(Some(idle));
    samples
}

proptest! {
    /// Holds: jobs-lease.
    #[test]
    fn regulation_random_jobs_are_released(steps in steps(), last in settings()) {
        let (mut machine, mut now_ns) = (RegulatorMachine::default(), 0);
        for (settings, samples, elapsed_ns) in steps {
            now_ns += elapsed_ns;
            machine.step(&settings, now_ns, &samples);
        }
        let longest = [RegulatorThreshold::EiiFirstMs, RegulatorThreshold::EiiMostMs, RegulatorThreshold::IpdQuietMs].map(|threshold| last.get(threshold));
        let longest_ns = u64::from(longest.into_iter().max().unwrap_or(0)) * MS;
        // One sample begins the wait, one ends it.
        machine.step(&last, now_ns + 1, &quiet());
        prop_assert_eq!(machine.step(&last, now_ns + 1 + longest_ns, &quiet()), [0; BOARDS_MAX]);
    }

    #[test]
    fn regulation_random_orders_follow_use(steps in steps()) {
        let (mut machine, mut now_ns, mut used) = (RegulatorMachine::default(), 0, [0u8; BOARDS_MAX]);
        for (settings, samples, elapsed_ns) in steps {
            now_ns += elapsed_ns;
            let orders = machine.step(&settings, now_ns, &samples);
            for board in 0..BOARDS_MAX {
                if let Some(sample) = samples[board] {
                    used[board] |= (0..3).fold(0, |bits, at| bits | u8::from(sample.background[at] > 0) << at);
                }
                prop_assert_eq!(orders[board] & !used[board], 0);
                prop_assert!(samples[board].is_some() || orders[board] == 0);
                prop_assert!(settings.policy != RegulationPolicy::Off || orders[board] == 0);
            }
        }
    }
}
