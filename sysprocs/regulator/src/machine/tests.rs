//! Tables of cases: contention by resource and board, intervals, idle periods.

use super::{Orders, RegulatorMachine, Samples};
use crate::settings::{RegulationPolicy, RegulatorSettings, RegulatorThreshold};
use renga_proto::regulation::{DISK, LINK, PROCESSOR, ResourceUse, Sample};
use renga_rt::BOARDS_MAX;
use std::vec::Vec;

const MS: u64 = 1_000_000;
const PERIOD_NS: u64 = 100 * MS;

/// A board sampled after a period of which `idle` per cent were idle.
fn board(idle: u64, foreground: [u64; 3], background: [u64; 3]) -> Option<Sample> {
    let idle_ns = PERIOD_NS / 100 * idle;
    Some(Sample { elapsed_ns: PERIOD_NS, idle_ns, foreground, background, jobs: 1, ..Sample::default() })
}

fn boards(seen: &[Option<Sample>]) -> Samples {
    let mut samples = [None; BOARDS_MAX];
    samples[..seen.len()].copy_from_slice(seen);
    samples
}

/// A new machine's orders after one sample.
fn first(policy: RegulationPolicy, seen: &[Option<Sample>]) -> Orders {
    RegulatorMachine::default().step(&RegulatorSettings::of(policy), 0, &boards(seen))
}

const CPU_BIT: u8 = 1 << PROCESSOR;
const DISK_BIT: u8 = 1 << DISK;
const LINK_BIT: u8 = 1 << LINK;

/// Holds: jobs-held.
#[test]
fn regulation_small_share_is_contention() {
    type Case = (&'static str, u64, ResourceUse, ResourceUse, u8);
    let cases: [Case; 12] = [
        ("no program", 100, [0, 0, 0], [0, 0, 0], 0),
        ("a job alone", 0, [0, 0, 0], [100, 9, 9], 0),
        ("the foreground alone", 0, [100, 9, 9], [0, 0, 0], 0),
        ("half of a busy processor", 0, [50, 0, 0], [50, 0, 0], CPU_BIT),
        ("a small part of an idle one: the paper's 5 % beside 60 %", 35, [60, 0, 0], [5, 0, 0], 0),
        ("idle just too much", 25, [50, 0, 0], [25, 0, 0], 0),
        ("idle just too little", 24, [50, 0, 0], [26, 0, 0], CPU_BIT),
        ("the share that is enough", 0, [15, 0, 0], [85, 0, 0], 0),
        ("just less", 0, [16, 0, 0], [84, 0, 0], CPU_BIT),
        ("any block of others, however idle the processor", 90, [0, 1, 0], [0, 1000, 0], DISK_BIT),
        ("any frame of others", 90, [0, 0, 1], [0, 0, 1000], LINK_BIT),
        ("all", 0, [50, 1, 1], [50, 1, 1], CPU_BIT | DISK_BIT | LINK_BIT),
    ];
    for (what, idle, foreground, background, wanted) in cases {
        for policy in [RegulationPolicy::Eii, RegulationPolicy::Ipd] {
            assert_eq!(first(policy, &[board(idle, foreground, background)])[0], wanted, "{what}, {policy:?}");
        }
        assert_eq!(first(RegulationPolicy::Off, &[board(idle, foreground, background)])[0], 0, "{what}, off");
    }
}

#[test]
fn regulation_disk_and_link_are_cluster_wide() {
    let seen = [board(0, [100, 5, 0], [0, 0, 0]), board(0, [0, 0, 0], [100, 5, 0])];
    assert_eq!(first(RegulationPolicy::Eii, &seen)[..2], [0, DISK_BIT], "a job on b yields to who reads on a");
    let [a, b] = seen;
    assert_eq!(first(RegulationPolicy::Eii, &[b, a])[..2], [DISK_BIT, 0], "and the other way round");
    assert_eq!(first(RegulationPolicy::Eii, &[a, None, b])[..3], [0, 0, DISK_BIT], "past a board that is down");
}

/// When jobs are resumed and suspended again, in ms, while `contended` gives the sample of a period in which they
/// ran.
fn changes(settings: &RegulatorSettings, until_ms: u64, contended: impl Fn(u64) -> bool) -> Vec<(u64, bool)> {
    let (mut machine, mut changes, mut suspended) = (RegulatorMachine::default(), Vec::new(), false);
    for now_ms in (100..=until_ms).step_by(100) {
        let used = if suspended { [0, 0, 0] } else { [0, 9, 0] };
        let foreground = [0, u64::from(contended(now_ms)), 0];
        let orders = machine.step(settings, now_ms * MS, &boards(&[board(50, foreground, used)]));
        if (orders[0] != 0) != suspended {
            suspended = !suspended;
            changes.push((now_ms, suspended));
        }
    }
    changes
}

/// Holds: jobs-policies.
#[test]
fn regulation_eii_intervals_double_and_restart() {
    let suspended_at: Vec<u64> = changes(&RegulatorSettings::of(RegulationPolicy::Eii), 60_000, |_| true)
        .into_iter()
        .filter_map(|(now_ms, suspended)| suspended.then_some(now_ms))
        .collect();
    // Each wait, and the period of the next sample.
    assert_eq!(suspended_at, [100, 1_200, 3_300, 7_400, 15_500, 31_600, 47_700]);
    let pause = 3_400..20_000;
    let seen = changes(&RegulatorSettings::of(RegulationPolicy::Eii), 30_000, |now_ms| !pause.contains(&now_ms));
    let wanted = [(100, true), (1_100, false), (1_200, true), (3_200, false), (3_300, true), (7_300, false)];
    assert_eq!(seen[..6], wanted);
    assert_eq!(
        seen[6..],
        [
            (20_000, true),
            (21_000, false),
            (21_100, true),
            (23_100, false),
            (23_200, true),
            (27_200, false),
            (27_300, true)
        ],
        "from the first interval on"
    );
}

/// Holds: jobs-policies.
#[test]
fn regulation_ipd_idle_period_releases_jobs() {
    let settings = RegulatorSettings::of(RegulationPolicy::Ipd);
    let mut machine = RegulatorMachine::default();
    let mut at = |now_ms: u64, seen| machine.step(&settings, now_ms * MS, &boards(&[seen]))[0];
    assert_eq!(at(100, board(0, [50, 0, 0], [50, 0, 0])), CPU_BIT);
    assert_eq!(at(200, board(62, [38, 0, 0], [0, 0, 0])), CPU_BIT, "62 % is not over 62 %");
    assert_eq!(at(300, board(63, [37, 0, 0], [0, 0, 0])), CPU_BIT, "idle since now");
    assert_eq!(at(500, board(90, [10, 1, 0], [0, 0, 0])), CPU_BIT, "but a program read");
    assert_eq!(at(600, board(90, [10, 0, 0], [0, 0, 0])), CPU_BIT);
    assert_eq!(at(899, board(90, [10, 0, 0], [0, 0, 0])), CPU_BIT);
    assert_eq!(at(900, board(90, [10, 0, 0], [0, 0, 0])), 0, "300 ms of idleness");
    assert_eq!(at(1_000, board(90, [0, 0, 0], [10, 0, 0])), 0, "alone it goes on");
}

/// No program runs, and the living foreground programs ran last so long ago.
fn still(ago_ms: u64) -> Option<Sample> {
    let front_used_ago_ns = ago_ms.saturating_mul(MS);
    board(98, [0, 0, 0], [0, 0, 0]).map(|sample| Sample { front_used_ago_ns, ..sample })
}

/// Holds: jobs-policies.
#[test]
fn regulation_exited_foreground_releases_jobs() {
    let contended = board(50, [0, 1, 0], [0, 9, 0]);
    // The user of the disk is gone, but only just.
    let ended_now = board(98, [0, 1, 0], [0, 0, 0]).map(|sample| Sample { front_used_ago_ns: u64::MAX, ..sample });
    for (policy, seen, wanted) in [
        (RegulationPolicy::Eii, still(u64::MAX), 0),
        (RegulationPolicy::Ipd, still(u64::MAX), 0),
        (RegulationPolicy::Eii, still(300), 0),
        (RegulationPolicy::Ipd, still(300), 0),
        (RegulationPolicy::Eii, still(299), DISK_BIT),
        (RegulationPolicy::Ipd, still(299), DISK_BIT),
        (RegulationPolicy::Eii, ended_now, DISK_BIT),
        (RegulationPolicy::Ipd, ended_now, DISK_BIT),
    ] {
        let (settings, mut machine) = (RegulatorSettings::of(policy), RegulatorMachine::default());
        assert_eq!(machine.step(&settings, 100 * MS, &boards(&[contended])), first(policy, &[contended]));
        assert_eq!(machine.step(&settings, 200 * MS, &boards(&[seen]))[0], wanted, "{policy:?}, {seen:?}");
        let mut machine = RegulatorMachine::default();
        machine.step(&settings, 100 * MS, &boards(&[contended, still(0)]));
        let both = machine.step(&settings, 200 * MS, &boards(&[seen, still(0)]));
        assert_eq!(both[0], DISK_BIT, "a program of another board ran: {policy:?}, {seen:?}");
    }
}

/// Holds: jobs-policies.
#[test]
fn regulation_wrong_guess_happens_once_per_interval() {
    let settings = RegulatorSettings::of(RegulationPolicy::Eii);
    let mut machine = RegulatorMachine::default();
    let (contended, gone) = (board(50, [0, 1, 0], [0, 9, 0]), still(u64::MAX));
    let mut suspends = |now_ms: u64, seen| machine.step(&settings, now_ms * MS, &boards(&[seen]))[0] != 0;
    assert!(suspends(100, contended) && !suspends(200, gone) && suspends(300, contended));
    assert!((400..2_300).step_by(100).all(|now_ms| suspends(now_ms, gone)), "twice as long, whatever is seen");
    assert!(!suspends(2_300, gone) && suspends(2_400, contended) && !suspends(2_500, gone), "and then once again");
    assert!(
        suspends(2_600, contended) && suspends(10_500, gone) && !suspends(10_600, gone),
        "the intervals go on growing"
    );
    assert!(!suspends(10_700, board(50, [0, 0, 0], [0, 9, 0])), "alone it goes on");
}

/// Holds: jobs-counted.
#[test]
fn regulation_contention_is_reported_under_any_policy() {
    let seen = boards(&[board(0, [50, 1, 0], [50, 1, 1]), board(0, [0, 0, 0], [0, 0, 1])]);
    for policy in [RegulationPolicy::Off, RegulationPolicy::Eii, RegulationPolicy::Ipd] {
        let mut machine = RegulatorMachine::default();
        machine.step(&RegulatorSettings::of(policy), 0, &seen);
        assert_eq!(machine.contended()[..2], [CPU_BIT | DISK_BIT, 0]);
        machine.step(&RegulatorSettings::of(policy), 1, &boards(&[]));
        assert_eq!(machine.contended()[..2], [0, 0]);
    }
}

#[test]
fn regulation_thresholds_decide_contention() {
    let sample = board(0, [20, 1, 1], [80, 9, 9]);
    for (threshold, value, wanted) in [
        (RegulatorThreshold::Cpu, 80, DISK_BIT | LINK_BIT),
        (RegulatorThreshold::Disk, 90, CPU_BIT | LINK_BIT),
        (RegulatorThreshold::Link, 90, CPU_BIT | DISK_BIT),
        (RegulatorThreshold::CpuIdle, 0, DISK_BIT | LINK_BIT),
    ] {
        let mut settings = RegulatorSettings::of(RegulationPolicy::Eii);
        assert!(settings.thresholds.set(threshold as usize, value));
        assert_eq!(RegulatorMachine::default().step(&settings, 0, &boards(&[sample]))[0], wanted, "{threshold:?}");
    }
}

mod random;
