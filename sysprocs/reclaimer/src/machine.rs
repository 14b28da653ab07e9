//! When how much is reclaimed, without calls and without a clock.
//!
//! The ordinary reclaimer begins when fewer frames are free than the low mark and ends at the high mark, a small batch
//! at a time; behind so many of them programs run for a while. The batcher samples once a second: if in the last one at
//! least so many pages came in, and fewer frames are free than its threshold, it reclaims one batch, without a pause
//! between its steps.
//!
//! Invariant: a step is at most [`PAGES_PER_STEP_MAX`] pages. A waiting reclaimer wakes up: by an alarm, or by the
//! notification when frames become few again. While they stay few and none can be freed, it samples again at
//! intervals that double. Not here: which pages go.

use crate::settings::{ReclaimSettings, ReclaimThreshold};
use renga_proto::memory::MemoryFacts;

/// Pages of a small batch, as Linux's kswapd has it (`SWAP_CLUSTER_MAX`).
const SMALL_BATCH: u32 = 32;
/// Small batches between two pauses.
const BATCHES_PER_PIECE: u32 = 8;
/// How long programs run between two pieces, if some want to: what a piece takes, and more.
const PAUSE_NS: u64 = 100_000;
/// Pages of a step of a large batch: one list of frames.
const LARGE_STEP: u32 = 256;
/// Most pages that a step gives up.
pub const PAGES_PER_STEP_MAX: u32 = LARGE_STEP;
/// How often the batcher samples (the paper's 3.2).
pub(crate) const SAMPLE_NS: u64 = 1_000_000_000;
/// When few are free and none are to be had: the first interval, and the longest.
const RETRY_FIRST_NS: u64 = 100_000_000;
const RETRY_MOST_NS: u64 = 1_600_000_000;

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReclaimStep {
    /// See how much is free, and what came in: [`ReclaimMachine::sampled`].
    Sample,
    /// Have `frames` given back, of `wanted`: [`ReclaimMachine::freed`].
    Free {
        /// In this step.
        frames: u32,
        /// In this and those that follow.
        wanted: u32,
    },
    /// Wait until then, or until woken or a setting changes: [`ReclaimMachine::woken`]. `None`: no alarm.
    Wait(Option<u64>),
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySample {
    /// When.
    pub now_ns: u64,
    /// Frames.
    pub memory: MemoryFacts,
    /// Pages that have come into the cache since boot, modulo 2^32; counted only if the batcher is on.
    pub arrived: u32,
}

/// The two kinds of reclaim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReclaimWork {
    /// The ordinary reclaimer.
    Ordinary,
    /// The batcher.
    Batch,
}

/// The work of either kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCounts {
    /// Times that it began.
    pub begun: u64,
    /// Steps.
    pub steps: u64,
    /// Pages given up.
    pub pages: u64,
    /// How long it took, ns.
    pub ns: u64,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReclaimPhase {
    Asleep,
    /// It is to be seen what is to do.
    Awake,
    Frees {
        work: ReclaimWork,
        wanted: u32,
        batches: u32,
    },
    /// Programs run; it goes on then.
    Pauses {
        wanted: u32,
        until_ns: u64,
    },
}

/// When the batcher sampled last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastSample {
    at_ns: u64,
    arrived: u32,
}

renga_rt::with_defaults! {
    /// The state of one board's reclaimer.
    #[derive(Clone, Debug)]
    pub struct ReclaimMachine {
        state: ReclaimPhase = ReclaimPhase::Asleep,
        last: Option<LastSample> = None,
        /// Frames are few and none are to be had: sample again then, and the interval after that.
        retry: Option<(u64, u64)> = None,
        /// Of either kind of work.
        counts: [WorkCounts; 2] = [WorkCounts::default(); 2],
    }
    impl Default;
}

impl ReclaimMachine {
    /// The work of either kind.
    pub fn counts(&self, work: ReclaimWork) -> WorkCounts {
        self.counts[work as usize]
    }

    /// Time that a step took.
    pub fn spent(&mut self, work: ReclaimWork, ns: u64) {
        self.counts[work as usize].ns += ns;
    }

    /// The active reclaimer, if any.
    pub fn work(&self) -> Option<ReclaimWork> {
        match self.state {
            ReclaimPhase::Frees { work, .. } => Some(work),
            ReclaimPhase::Pauses { .. } => Some(ReclaimWork::Ordinary),
            ReclaimPhase::Asleep | ReclaimPhase::Awake => None,
        }
    }

    /// Frames have become few, or an alarm rings.
    pub fn woken(&mut self, settings: &ReclaimSettings, now_ns: u64) {
        match self.state {
            ReclaimPhase::Pauses { wanted, until_ns } if now_ns >= until_ns => {
                self.state = ReclaimPhase::Frees { work: ReclaimWork::Ordinary, wanted, batches: 0 };
            }
            ReclaimPhase::Asleep => self.state = ReclaimPhase::Awake,
            ReclaimPhase::Pauses { .. } | ReclaimPhase::Awake | ReclaimPhase::Frees { .. } => {}
        }
        if !settings.batching {
            self.last = None;
        }
    }

    /// The next step; `programs_wait`: a program would run if it paused.
    pub fn next(&mut self, settings: &ReclaimSettings, now_ns: u64, programs_wait: bool) -> ReclaimStep {
        if let ReclaimPhase::Frees { work: ReclaimWork::Ordinary, wanted, batches } = self.state
            && batches >= BATCHES_PER_PIECE
            && programs_wait
        {
            self.state = ReclaimPhase::Pauses { wanted, until_ns: now_ns + PAUSE_NS };
        }
        match self.state {
            ReclaimPhase::Awake => ReclaimStep::Sample,
            ReclaimPhase::Frees { work, wanted, .. } => {
                let most = if work == ReclaimWork::Batch { LARGE_STEP } else { SMALL_BATCH };
                ReclaimStep::Free { frames: wanted.min(most), wanted }
            }
            ReclaimPhase::Pauses { until_ns, .. } => ReclaimStep::Wait(Some(until_ns)),
            ReclaimPhase::Asleep => {
                let sample_ns = settings.batching.then(|| self.last.map_or(now_ns, |last| last.at_ns + SAMPLE_NS));
                let retry_ns = self.retry.map(|(at_ns, _)| at_ns);
                ReclaimStep::Wait(sample_ns.into_iter().chain(retry_ns).min())
            }
        }
    }

    /// Takes in a sample.
    pub fn sampled(&mut self, settings: &ReclaimSettings, seen: MemorySample) {
        let MemoryFacts { free, .. } = seen.memory;
        let (low, high) = (seen.memory.low_mark(), seen.memory.high_mark());
        let batch = self.is_for_batch(settings, seen);
        self.state = if batch {
            self.begin(ReclaimWork::Batch, settings.get(ReclaimThreshold::BatchPages))
        } else if free < low {
            self.begin(ReclaimWork::Ordinary, high - free)
        } else {
            ReclaimPhase::Asleep
        };
        if free >= low {
            self.retry = None;
        }
    }

    fn begin(&mut self, work: ReclaimWork, wanted: u32) -> ReclaimPhase {
        self.counts[work as usize].begun += 1;
        ReclaimPhase::Frees { work, wanted, batches: 0 }
    }

    /// If it is time: whether many pages have come in, and frames are few because of that.
    fn is_for_batch(&mut self, settings: &ReclaimSettings, seen: MemorySample) -> bool {
        if !settings.batching || self.last.is_some_and(|last| seen.now_ns < last.at_ns + SAMPLE_NS) {
            return false;
        }
        let Some(last) = self.last.replace(LastSample { at_ns: seen.now_ns, arrived: seen.arrived }) else {
            return false;
        };
        let (came, ns) = (seen.arrived.wrapping_sub(last.arrived), seen.now_ns - last.at_ns);
        let many = u128::from(came) * u128::from(SAMPLE_NS)
            >= u128::from(settings.get(ReclaimThreshold::Requests)) * u128::from(ns);
        many && seen.memory.free < settings.get(ReclaimThreshold::FreePages)
    }

    /// `freed` of the last step's `frames` are free, and there may be `more`.
    pub fn freed(&mut self, now_ns: u64, frames: u32, freed: u32, more: bool) {
        let ReclaimPhase::Frees { work, wanted, batches } = self.state else { return };
        let counts = &mut self.counts[work as usize];
        counts.steps += 1;
        counts.pages += u64::from(freed);
        let wanted = wanted.saturating_sub(freed);
        self.state = if wanted == 0 {
            // Programs may have taken as many meanwhile, and then no notification comes.
            ReclaimPhase::Awake
        } else if freed >= frames || more {
            ReclaimPhase::Frees { work, wanted, batches: batches.saturating_add(1) }
        } else {
            let interval_ns = self.retry.map_or(RETRY_FIRST_NS, |(_, interval_ns)| interval_ns);
            self.retry = Some((now_ns + interval_ns, (2 * interval_ns).min(RETRY_MOST_NS)));
            ReclaimPhase::Asleep
        };
    }
}

#[cfg(test)]
mod tests;
