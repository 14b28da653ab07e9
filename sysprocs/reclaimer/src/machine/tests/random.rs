//! Any course of events: memory is brought back over the low mark while pages are to be had, steps stay bounded, and
//! what is waited for comes.

use super::{TOTAL, batching, seen};
use crate::machine::{PAGES_PER_STEP_MAX, RETRY_MOST_NS, ReclaimMachine, ReclaimStep, ReclaimWork, SAMPLE_NS};
use crate::settings::ReclaimSettings;
use proptest::prelude::*;

/// Something that happens on the board.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// So many frames are taken: by cached pages, or by programs.
    Take { frames: u32, cached: bool },
    /// Programs give so many back.
    Give(u32),
    /// So much time passes.
    Pass(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0..4_000_u32, any::<bool>()).prop_map(|(frames, cached)| Event::Take { frames, cached }),
        (0..4_000_u32).prop_map(Event::Give),
        (0..3 * SAMPLE_NS).prop_map(Event::Pass),
    ]
}

/// A board with its frames, and its reclaimer.
struct Board {
    machine: ReclaimMachine,
    settings: ReclaimSettings,
    now_ns: u64,
    free: u32,
    cached: u32,
    arrived: u32,
    scarce: bool,
}

/// Steps until it waits, at most: all frames in the smallest ones, and samples between.
const STEPS_MAX: u32 = 4 * TOTAL;

impl Board {
    fn low(&self) -> u32 {
        seen(0, 0, 0).memory.low_mark()
    }

    /// As the memory process wakes it.
    fn notify(&mut self) {
        let is_scarce = self.free < self.low();
        let was_scarce = core::mem::replace(&mut self.scarce, is_scarce);
        if is_scarce && !was_scarce {
            self.machine.woken(&self.settings, self.now_ns);
        }
    }

    fn happen(&mut self, event: Event, programs_wait: bool) {
        match event {
            Event::Take { frames, cached } => {
                let frames = frames.min(self.free);
                self.free -= frames;
                if cached {
                    self.cached += frames;
                    self.arrived = self.arrived.wrapping_add(frames);
                }
                self.notify();
            }
            Event::Give(frames) => {
                self.free += frames.min(TOTAL - self.free - self.cached);
                self.notify();
            }
            Event::Pass(ns) => self.run(self.now_ns + ns, programs_wait),
        }
    }

    /// Until it waits; when it is to be woken.
    fn work(&mut self, programs_wait: bool) -> Option<u64> {
        for _ in 0..STEPS_MAX {
            match self.machine.next(&self.settings, self.now_ns, programs_wait) {
                ReclaimStep::Wait(until_ns) => return until_ns,
                ReclaimStep::Sample => self.machine.sampled(&self.settings, seen(self.now_ns, self.free, self.arrived)),
                ReclaimStep::Free { frames, wanted } => {
                    assert!((1..=PAGES_PER_STEP_MAX).contains(&frames) && frames <= wanted, "{frames} of {wanted}");
                    assert!(wanted <= TOTAL, "never more than there are");
                    let freed = frames.min(self.cached);
                    (self.cached, self.free) = (self.cached - freed, self.free + freed);
                    self.machine.freed(self.now_ns, frames, freed, false);
                    self.notify();
                }
            }
        }
        panic!("it does not come to an end");
    }

    /// Until `until_ns`, with its alarms.
    fn run(&mut self, until_ns: u64, programs_wait: bool) {
        while let Some(at_ns) = self.work(programs_wait).filter(|at_ns| *at_ns <= until_ns) {
            self.now_ns = self.now_ns.max(at_ns);
            self.machine.woken(&self.settings, self.now_ns);
        }
        self.now_ns = until_ns;
    }
}

proptest! {
    /// Holds: reclaim-marks.
    #[test]
    fn reclaim_random_load_recovers_free_pages(
        events in prop::collection::vec((event(), any::<bool>()), 1..60),
        batches in any::<bool>(),
    ) {
        let settings = if batches { batching() } else { ReclaimSettings::of(TOTAL) };
        let machine = ReclaimMachine::default();
        let mut board = Board { machine, settings, now_ns: 0, free: TOTAL, cached: 0, arrived: 0, scarce: false };
        board.machine.woken(&board.settings, 0);
        for (event, programs_wait) in events {
            board.happen(event, programs_wait);
        }
        // While there was nothing to be had it may have slept.
        board.run(board.now_ns + 2 * RETRY_MOST_NS, true);
        prop_assert!(board.free >= board.low() || board.cached == 0, "{} free, {} cached", board.free, board.cached);
        let counts = [ReclaimWork::Ordinary, ReclaimWork::Batch].map(|work| board.machine.counts(work));
        prop_assert!(batches || counts[1].pages == 0);
        prop_assert!(counts.iter().all(|counts| counts.pages <= counts.steps * u64::from(PAGES_PER_STEP_MAX)));
    }
}
