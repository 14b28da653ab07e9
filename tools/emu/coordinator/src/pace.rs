//! Virtual time tied to the host's, for a person at the console.
//!
//! Invariant: with pacing, virtual time is never ahead of the host's by more than a round.

use std::time::{Duration, Instant};

/// A board that computes longer than the host can follow falls behind; it makes up for at most this, in nanoseconds,
/// so that a `sleep 1` after long work still takes about a second.
const LAG_NS_MAX: u64 = 200_000_000;

/// The tie.
#[derive(Debug)]
pub struct RealTimePace {
    begin: Instant,
    /// Given up as lag so far, ns.
    given_up_ns: u64,
}

impl RealTimePace {
    /// Virtual time 0 is now.
    pub fn new() -> Self {
        Self { begin: Instant::now(), given_up_ns: 0 }
    }

    /// The virtual time that the host's corresponds to, ns.
    pub fn now_ns(&self) -> u64 {
        let elapsed_ns = u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        elapsed_ns.saturating_sub(self.given_up_ns)
    }

    /// How long the host has to wait before the boards may be at `time_ns`.
    pub fn wait(&mut self, time_ns: u64) -> Option<Duration> {
        let now_ns = self.now_ns();
        if time_ns > now_ns {
            return Some(Duration::from_nanos(time_ns - now_ns));
        }
        self.given_up_ns += (now_ns - time_ns).saturating_sub(LAG_NS_MAX);
        None
    }
}
