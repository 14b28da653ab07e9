//! What each I/O of one program has to wait, without calls and without a clock.
//!
//! - I/O time control: an I/O that took t is followed by (factor - 1) * t. What a delay was too long or too short is made
//!   up for in the next, so that lateness does not add up; what is too short for a sleep is kept until it is worth one.
//! - I/O count control: an I/O beyond those of its period waits for the next.
//!
//! An I/O that waited for others' I/O waits as much less afterwards: its own time counts, so that several programs are
//! controlled at once, each as if it were alone, as long as the medium has time for all.
//!
//! The time from the program's trap until its process measures, and back, is of the I/O too. It is seen from outside: it is
//! what passed between two calls and was not the program's own; the least ever seen, as other programs' turns are in it.
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
pub struct Crossing {
    /// Now.
    pub now_ns: u64,
    /// What is charged to its own instructions.
    pub user_ns: u64,
}

/// An I/O of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Io {
    /// When it began, ns.
    pub began_ns: u64,
    /// How long of it others had what it needed, ns.
    pub waited_ns: u64,
}

/// The state of one program's control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Governor {
    /// What its I/O has to wait beside the next delay; below 0: what it waited too long.
    owed_ns: i64,
    /// When it was let go last.
    left: Option<Crossing>,
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
        (self.owed_ns, self.period_ns, self.in_period) = (0, 0, 0);
    }

    /// The program traps.
    pub fn trapped(&mut self, at: Crossing) {
        if let Some(left) = self.left.take() {
            let own_ns = at.user_ns.saturating_sub(left.user_ns);
            let others_ns = at.now_ns.saturating_sub(left.now_ns).saturating_sub(own_ns);
            self.crossing_ns = Some(self.crossing_ns.map_or(others_ns, |least_ns| least_ns.min(others_ns)));
        }
    }

    /// The program is let go.
    pub fn leaves(&mut self, at: Crossing) {
        self.left = Some(at);
    }

    /// An I/O is to begin at `now_ns`: until when it waits, to be asked again then. `None`: it begins.
    pub fn before(&mut self, pace: Pace, now_ns: u64) -> Option<u64> {
        let Pace::Count { most, period_ms, own_period } = pace else { return None };
        let length_ns = u64::from(period_ms) * NS_PER_MS;
        let end_ns = self.period_ns.saturating_add(length_ns);
        if now_ns >= end_ns || self.in_period == 0 {
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

    /// `io` is done at `now_ns`: until when the program waits, if it does.
    pub fn after(&mut self, pace: Pace, io: Io, now_ns: u64) -> Option<u64> {
        let Pace::Time { factor, .. } = pace else { return None };
        let took_ns = now_ns.saturating_sub(io.began_ns);
        let waited_ns = io.waited_ns.min(took_ns);
        let own_ns = (took_ns - waited_ns).saturating_add(self.crossing_ns.unwrap_or(0));
        let more_ns = own_ns.saturating_mul((factor - FACTOR_ONE).into()) / u64::from(FACTOR_ONE);
        let [more_ns, waited_ns] = [more_ns, waited_ns].map(|ns| ns.min(DELAY_NS_MAX) as i64);
        let delay_ns = more_ns.saturating_sub(waited_ns).saturating_add(self.owed_ns).min(DELAY_NS_MAX as i64);
        if delay_ns < WORTHWHILE_NS as i64 {
            self.owed_ns = delay_ns.max(-(LATE_NS_MAX as i64));
            return None;
        }
        Some(now_ns.saturating_add(delay_ns as u64))
    }

    /// The delay until `until_ns` has ended at `now_ns`, early if something interrupted it.
    pub fn waited(&mut self, until_ns: u64, now_ns: u64) {
        self.owed_ns = match until_ns.checked_sub(now_ns) {
            Some(left_ns) => left_ns.min(DELAY_NS_MAX) as i64,
            None => -((now_ns - until_ns).min(LATE_NS_MAX) as i64),
        };
    }
}

#[cfg(test)]
mod tests;
