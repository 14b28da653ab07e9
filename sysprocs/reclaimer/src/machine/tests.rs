//! Tables of cases: when either begins, how much, when it pauses, gives up and samples again.

mod random;

use super::{
    BATCHES_PER_PIECE, LARGE_STEP, MemorySample, PAUSE_NS, RETRY_FIRST_NS, RETRY_MOST_NS, ReclaimMachine, ReclaimStep,
    ReclaimWork, SAMPLE_NS, SMALL_BATCH, WorkCounts,
};
use crate::settings::{ReclaimSettings, ReclaimThreshold};
use renga_proto::memory::MemoryFacts;
use std::vec::Vec;

/// Low mark 512, high mark 1,024.
pub(super) const TOTAL: u32 = 16_384;
const LOW: u32 = 512;
const HIGH: u32 = 1_024;

pub(super) fn seen(now_ns: u64, free: u32, arrived: u32) -> MemorySample {
    MemorySample { now_ns, memory: MemoryFacts { total: TOTAL, free }, arrived }
}

/// On, from 1,500 pages a second and under 4,096 free ones, batches of 6,000.
pub(super) fn batching() -> ReclaimSettings {
    let mut settings = ReclaimSettings::of(TOTAL);
    settings.batching = true;
    assert!(
        settings.thresholds.set(ReclaimThreshold::FreePages as usize, 4_096)
            && settings.thresholds.set(ReclaimThreshold::BatchPages as usize, 6_000)
    );
    settings
}

/// A machine that is woken at `now_ns` and sees that.
fn woken(machine: &mut ReclaimMachine, settings: &ReclaimSettings, seen: MemorySample) -> ReclaimStep {
    machine.woken(settings, seen.now_ns);
    assert_eq!(machine.next(settings, seen.now_ns, false), ReclaimStep::Sample);
    machine.sampled(settings, seen);
    machine.next(settings, seen.now_ns, false)
}

/// Holds: reclaim-batcher.
#[test]
fn reclaim_enough_free_does_nothing() {
    let (mut machine, settings) = (ReclaimMachine::default(), ReclaimSettings::of(TOTAL));
    assert_eq!(machine.next(&settings, 5, true), ReclaimStep::Wait(None));
    assert_eq!(woken(&mut machine, &settings, seen(7, LOW, 0)), ReclaimStep::Wait(None));
    assert_eq!(
        (machine.counts(ReclaimWork::Ordinary), machine.counts(ReclaimWork::Batch)),
        (WorkCounts::default(), WorkCounts::default())
    );
}

/// Holds: reclaim-marks.
#[test]
fn reclaim_low_mark_frees_up_to_high_mark() {
    let (mut machine, settings) = (ReclaimMachine::default(), ReclaimSettings::of(TOTAL));
    let mut step = woken(&mut machine, &settings, seen(7, LOW - 1, 0));
    let mut freed = 0;
    while let ReclaimStep::Free { frames, wanted } = step {
        assert_eq!((frames, wanted), (SMALL_BATCH.min(HIGH - LOW + 1 - freed), HIGH - LOW + 1 - freed));
        machine.freed(7, frames, frames, false);
        freed += frames;
        step = machine.next(&settings, 7, false);
    }
    assert_eq!((freed, step), (HIGH - LOW + 1, ReclaimStep::Sample));
    // Others have taken some meanwhile.
    machine.sampled(&settings, seen(8, LOW - 1, 0));
    assert!(matches!(machine.next(&settings, 8, false), ReclaimStep::Free { .. }));
    let counts = machine.counts(ReclaimWork::Ordinary);
    assert_eq!((counts.begun, counts.steps, counts.pages), (2, 17, u64::from(freed)));
}

#[test]
fn reclaim_ready_programs_run_between_steps() {
    let (mut machine, settings) = (ReclaimMachine::default(), ReclaimSettings::of(TOTAL));
    woken(&mut machine, &settings, seen(7, LOW - 1, 0));
    for _ in 0..BATCHES_PER_PIECE {
        assert!(matches!(machine.next(&settings, 7, true), ReclaimStep::Free { .. }));
        machine.freed(7, SMALL_BATCH, SMALL_BATCH, false);
    }
    assert_eq!(machine.next(&settings, 7, true), ReclaimStep::Wait(Some(7 + PAUSE_NS)));
    machine.woken(&settings, 8); // by a changed setting
    assert_eq!(machine.next(&settings, 8, true), ReclaimStep::Wait(Some(7 + PAUSE_NS)));
    machine.woken(&settings, 7 + PAUSE_NS);
    assert!(matches!(machine.next(&settings, 7 + PAUSE_NS, true), ReclaimStep::Free { .. }));
}

#[test]
fn reclaim_without_candidates_backs_off() {
    let (mut machine, settings) = (ReclaimMachine::default(), ReclaimSettings::of(TOTAL));
    let (mut now_ns, mut interval_ns) = (7, RETRY_FIRST_NS);
    for _ in 0..8 {
        assert!(matches!(woken(&mut machine, &settings, seen(now_ns, 0, 0)), ReclaimStep::Free { .. }));
        machine.freed(now_ns, SMALL_BATCH, 0, true);
        assert!(matches!(machine.next(&settings, now_ns, false), ReclaimStep::Free { .. }), "there may be more");
        machine.freed(now_ns, SMALL_BATCH, 0, false);
        assert_eq!(machine.next(&settings, now_ns, false), ReclaimStep::Wait(Some(now_ns + interval_ns)));
        now_ns += interval_ns;
        interval_ns = (2 * interval_ns).min(RETRY_MOST_NS);
    }
    assert_eq!(woken(&mut machine, &settings, seen(now_ns, LOW, 0)), ReclaimStep::Wait(None), "enough again");
    woken(&mut machine, &settings, seen(now_ns, 0, 0));
    machine.freed(now_ns, SMALL_BATCH, 0, false);
    assert_eq!(machine.next(&settings, now_ns, false), ReclaimStep::Wait(Some(now_ns + RETRY_FIRST_NS)));
}

/// The batcher a second after its first sample.
/// Holds: reclaim-batcher.
#[test]
fn batch_starts_on_many_requests_and_few_free_pages() {
    let cases = [
        ("both", SAMPLE_NS, 1_500, 4_095, true),
        ("too few come", SAMPLE_NS, 1_499, 4_095, false),
        ("enough are free", SAMPLE_NS, 9_999, 4_096, false),
        ("memory is short for other reasons", SAMPLE_NS, 0, LOW, false),
        ("in a longer time as many a second", 2 * SAMPLE_NS, 2_999, 4_095, false),
        ("and more", 2 * SAMPLE_NS, 3_000, 4_095, true),
        ("under the low mark too", SAMPLE_NS, 1_500, 3, true),
    ];
    for (what, after_ns, came, free, batch) in cases {
        let (mut machine, settings, before) = (ReclaimMachine::default(), batching(), u32::MAX - 100);
        let first = woken(&mut machine, &settings, seen(7, 8_000, before));
        assert_eq!(first, ReclaimStep::Wait(Some(7 + SAMPLE_NS)), "{what}: the first sample has no rate");
        let step = woken(&mut machine, &settings, seen(7 + after_ns, free, before.wrapping_add(came)));
        let wanted = match batch {
            true => ReclaimStep::Free { frames: LARGE_STEP, wanted: 6_000 },
            false => ReclaimStep::Wait(Some(7 + after_ns + SAMPLE_NS)),
        };
        assert_eq!(step, wanted, "{what}");
    }
}

#[test]
fn batch_runs_without_pause_once_a_second() {
    let (mut machine, settings) = (ReclaimMachine::default(), batching());
    woken(&mut machine, &settings, seen(7, 4_000, 0));
    let mut step = woken(&mut machine, &settings, seen(7 + SAMPLE_NS, 600, 5_600));
    let mut steps = Vec::new();
    while let ReclaimStep::Free { frames, .. } = step {
        machine.freed(8 + SAMPLE_NS, frames, frames, false);
        steps.push(frames);
        step = machine.next(&settings, 8 + SAMPLE_NS, true);
    }
    assert_eq!((steps.iter().sum::<u32>(), steps.len()), (6_000, 24));
    assert_eq!(step, ReclaimStep::Sample);
    machine.sampled(&settings, seen(9 + SAMPLE_NS, 700, 9_000));
    assert_eq!(
        machine.next(&settings, 9 + SAMPLE_NS, true),
        ReclaimStep::Wait(Some(7 + 2 * SAMPLE_NS)),
        "it has its sample already"
    );
}

/// Holds: reclaim-batcher.
#[test]
fn batch_switch_off_ends_it() {
    let (mut machine, mut settings) = (ReclaimMachine::default(), ReclaimSettings::of(TOTAL));
    settings.batching = true;
    woken(&mut machine, &settings, seen(7, 4_000, 0));
    settings.batching = false;
    assert_eq!(woken(&mut machine, &settings, seen(9, 4_000, 0)), ReclaimStep::Wait(None));
    settings = batching();
    // Pages that came while it was off do not count for the last second.
    assert_eq!(
        woken(&mut machine, &settings, seen(SAMPLE_NS + 9, 600, 50_000)),
        ReclaimStep::Wait(Some(2 * SAMPLE_NS + 9))
    );
}
