//! The share of real-time tasks: while a task of another class is runnable they have 950 ms of each second, as with
//! Linux's `sched_rt_runtime_us`. So a shell and calls from other boards get in, however a real-time task spins.
//!
//! Invariant: time is counted from a real-time task's slice to the next pick. Once the share is spent, all of them rank
//! behind every other task until the second is over. Not here: other ranks (`run_queue.rs`).

use core::cell::Cell;
use renga_abi::policy::{RANK_CANCELLED, RANK_FAIR, RANK_IDLE, Rank};

/// The period of the share, ns.
const PERIOD_NS: u64 = 1_000_000_000;
/// How long real-time programs run in a period while others wait, ns.
const RUN_NS_MAX: u64 = 950_000_000;
/// Of real-time programs whose time is spent.
pub(crate) const RANK_SPENT: Rank = RANK_IDLE + 1;

/// The time of the real-time programs of one core.
pub(crate) struct RealTime {
    /// Since when one has had the core, ns; 0: none has.
    since_ns: Cell<u64>,
    ran_ns: Cell<u64>,
    period_end_ns: Cell<u64>,
    spent: Cell<bool>,
}

impl RealTime {
    pub const fn new() -> RealTime {
        RealTime { since_ns: Cell::new(0), ran_ns: Cell::new(0), period_end_ns: Cell::new(0), spent: Cell::new(false) }
    }

    /// Whether a pick has to update it.
    #[inline(always)]
    pub fn is_active(&self) -> bool {
        self.since_ns.get() != 0 || self.spent.get()
    }

    /// Whether real-time programs come last for now.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// One gets the core.
    pub fn begin(&self, now_ns: u64) {
        if now_ns >= self.period_end_ns.get() && !self.spent.get() {
            self.period_end_ns.set(now_ns + PERIOD_NS);
            self.ran_ns.set(0);
        }
        self.since_ns.set(now_ns.max(1));
    }

    /// Until they have to stop, ns.
    pub fn left_ns(&self) -> u64 {
        RUN_NS_MAX.saturating_sub(self.ran_ns.get())
    }

    /// Until when they are throttled, ns.
    pub fn spent_for_ns(&self, now_ns: u64) -> u64 {
        self.period_end_ns.get().saturating_sub(now_ns)
    }

    /// Counts their time until `now_ns`, after which one `goes_on`: the ranks of queued tasks that change, if any do.
    pub fn update(&self, now_ns: u64, goes_on: impl FnOnce() -> bool) -> Option<fn(Rank) -> bool> {
        let since_ns = self.since_ns.replace(0);
        if since_ns != 0 {
            self.ran_ns.set(self.ran_ns.get() + now_ns.saturating_sub(since_ns));
            self.since_ns.set(if goes_on() { now_ns.max(1) } else { 0 });
        }
        if now_ns >= self.period_end_ns.get() {
            self.period_end_ns.set(now_ns + PERIOD_NS);
            self.ran_ns.set(0);
            return self.spent.replace(false).then_some(|rank| rank == RANK_SPENT);
        }
        let is_spent = self.ran_ns.get() >= RUN_NS_MAX && !self.spent.replace(true);
        is_spent.then_some(|rank| rank != RANK_CANCELLED && rank < RANK_FAIR)
    }
}
