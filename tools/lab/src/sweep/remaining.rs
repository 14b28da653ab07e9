//! How many jobs of long work are left, and how long they may take.
//!
//! Invariant: an estimate is made of what was measured, and is not given before anything was.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The remaining jobs, which all workers report.
pub struct Remaining {
    all: u32,
    workers: usize,
    begun: AtomicU32,
    /// How many are done, and what they took, one after the other.
    done: Mutex<(u32, Duration)>,
}

impl Remaining {
    /// Of `all` jobs, done by `workers` at once.
    pub fn of(all: u32, workers: usize) -> Remaining {
        Remaining { all, workers, begun: AtomicU32::new(0), done: Mutex::default() }
    }

    /// One was done.
    pub fn one_done(&self, taken: Duration) {
        let mut sums = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *sums = (sums.0 + 1, sums.1 + taken);
    }

    /// One begins: says which, of how many, and how long all may take.
    pub fn one_begun(&self) -> String {
        let (done, taken) = *self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, all) = (self.begun.fetch_add(1, Ordering::Relaxed) + 1, self.all);
        match taken.checked_div(done) {
            Some(each) => {
                let left_s = each.as_secs_f64() * f64::from(all.saturating_sub(done)) / self.workers.max(1) as f64;
                format!(" ({number} of {all}, about {left_s:.0} s left)")
            }
            None => format!(" ({number} of {all})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Remaining;
    use std::time::Duration;

    /// Holds: sweep-eta.
    #[test]
    fn remaining_time_follows_measured_pace() {
        let remaining = Remaining::of(10, 2);
        assert_eq!(remaining.one_begun(), " (1 of 10)");
        remaining.one_done(Duration::from_secs(4));
        remaining.one_done(Duration::from_secs(8));
        assert_eq!(remaining.one_begun(), " (2 of 10, about 24 s left)");
    }
}
