//! What each I/O of one program has to wait, without calls and without a clock.
//!
//! - I/O time control: an I/O that takes t by itself is to take factor * t. What it took too long or too short, for
//!   whatever reason, is made up for in the next, so that lateness does not add up; what is too short for a sleep is
//!   kept until it is worth one.
//! - I/O count control: an I/O beyond those of its period waits for the next.
//!
//! An I/O that waited for others' I/O waits as much less afterwards: its own time counts, so that several programs are
//! controlled at once, each as if it were alone, as long as the medium has time for all.
//!
//! The time from the program's trap until its process measures, and back, is of the I/O too. The governor estimates
//! it as the time between two calls less the program's own, and takes the least ever seen, as other programs run in
//! between.
//!
//! Invariant: a delay is at most [`DELAY_NS_MAX`], and what is made up for is bounded too.

use renga_abi::pace::{FACTOR_ONE, Pace};

/// The longest delay of one I/O, ns.
pub const DELAY_NS_MAX: u64 = 600_000_000_000;
/// The shortest delay that is waited for, ns: shorter ones are kept. A sleep costs some hundred instructions.
const WORTHWHILE_NS: u64 = 20_000;
/// Most lateness that is made up for, ns: who was stopped for long does not go unpaced for as long.
const LATE_NS_MAX: u64 = 100_000_000;
const NS_PER_MS: u64 = 1_000_000;

/// When a program was let go or trapped, and what it had run until then by itself, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapTimes {
    /// Now.
    pub now_ns: u64,
    /// What is charged to its own instructions.
    pub user_ns: u64,
}

/// An I/O of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoTimes {
    /// When the program requested it, ns.
    pub asked_ns: u64,
    /// When it was begun, ns.
    pub began_ns: u64,
    /// When it was done, ns.
    pub ended_ns: u64,
    /// How long of it others had what it needed, ns.
    pub waited_ns: u64,
}

/// The state of one program's control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Governor {
    /// What its I/O has to wait beside the next delay; below 0: what it waited too long.
    owed_ns: i64,
    /// When it is to be let go after its I/O.
    due_ns: Option<u64>,
    /// When it was let go last.
    left: Option<TrapTimes>,
    /// The least time that going to the program and back has taken; `None`: not known yet.
    crossing_ns: Option<u64>,
    /// When the present period began, ns.
    period_ns: u64,
    /// I/Os that began in it.
    in_period: u32,
}

impl Governor {
    /// Another pace: what was owed by the one before is forgotten.
    pub fn begin(&mut self) {
        (self.owed_ns, self.due_ns, self.period_ns, self.in_period) = (0, None, 0, 0);
    }

    /// The program traps.
    pub fn trapped(&mut self, at: TrapTimes) {
        if let Some(left) = self.left.take() {
            let own_ns = at.user_ns.saturating_sub(left.user_ns);
            let others_ns = at.now_ns.saturating_sub(left.now_ns).saturating_sub(own_ns);
            self.crossing_ns = Some(self.crossing_ns.map_or(others_ns, |least_ns| least_ns.min(others_ns)));
        }
    }

    /// The program is let go: later than it was to be, or earlier, if something interrupted its delay.
    pub fn leaves(&mut self, at: TrapTimes) {
        if let Some(due_ns) = self.due_ns.take() {
            self.owed_ns = match due_ns.checked_sub(at.now_ns) {
                Some(early_ns) => early_ns.min(DELAY_NS_MAX) as i64,
                None => -((at.now_ns - due_ns).min(LATE_NS_MAX) as i64),
            };
        }
        self.left = Some(at);
    }

    /// An I/O is about to begin at `now_ns`. Returns when to try again, or `None`: it begins.
    pub fn before(&mut self, pace: Pace, now_ns: u64) -> Option<u64> {
        let Pace::Count { most, period_ms, own_period } = pace else { return None };
        let length_ns = u64::from(period_ms) * NS_PER_MS;
        let end_ns = self.period_ns.saturating_add(length_ns);
        if !(self.period_ns..end_ns).contains(&now_ns) || self.in_period == 0 {
            self.period_ns = match own_period {
                false => now_ns - now_ns % length_ns,
                // The next one, unless it has passed without an I/O.
                true if self.in_period != 0 && now_ns < end_ns.saturating_add(length_ns) => end_ns,
                true => now_ns,
            };
            self.in_period = 0;
        }
        if self.in_period >= most {
            return Some(self.period_ns.saturating_add(length_ns));
        }
        self.in_period += 1;
        None
    }

    /// `io` is done: until when the program waits, if it does.
    pub fn after(&mut self, pace: Pace, io: IoTimes) -> Option<u64> {
        let Pace::Time { factor, .. } = pace else { return None };
        let crossing_ns = self.crossing_ns.unwrap_or(0);
        let took_ns = io.ended_ns.saturating_sub(io.began_ns).saturating_sub(io.waited_ns);
        let own_ns = took_ns.saturating_add(crossing_ns);
        // The way to the program and back passes without anything done for it.
        let more_ns = own_ns.saturating_mul((factor - FACTOR_ONE).into()) / u64::from(FACTOR_ONE);
        let whole_ns = took_ns.saturating_add(more_ns);
        let due_ns = io.asked_ns.saturating_add(whole_ns).saturating_add_signed(self.owed_ns);
        let due_ns = due_ns.min(io.ended_ns.saturating_add(DELAY_NS_MAX));
        self.due_ns = Some(due_ns);
        Some(due_ns).filter(|due_ns| due_ns.saturating_sub(io.ended_ns) >= WORTHWHILE_NS)
    }
}

#[cfg(test)]
pub(crate) mod tests;
