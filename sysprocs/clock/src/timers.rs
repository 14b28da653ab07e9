//! The rules of a program's timer, without calls.
//!
//! Invariant: a timer whose signal is pending is not due until the program takes the signal. It then counts the
//! expiries that it has missed (POSIX's overruns), so an ignored timer costs nothing. Called by: `server.rs`. Not here:
//! the heap (`due.rs`).

use renga_proto::clock::{Counted, INTERVAL_TIMER, Left, TimerSignal};
use renga_proto::procs::{Cause, Sender};

/// `si_code`: a timer expired.
const SI_TIMER: i32 = -2;
/// The shortest time between two ignored expiries, ns, as Linux' tick.
pub const UNHEARD_NS_MIN: u64 = 1_000_000;

/// Times as a timer may count them, ns.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    pub time_ns: u64,
    /// Calendar time at boot.
    pub epoch_ns: u64,
    /// What its program's instructions took.
    pub own_ns: u64,
    /// And what was done for the program.
    pub used_ns: u64,
}

renga_rt::with_defaults! {
    /// One timer.
    #[derive(Clone, Copy, Debug)]
    pub struct Timer {
        /// Whose; 0: it is free.
        pub pid: u32 = 0,
        /// The slot that runs it.
        pub slot: u16 = 0,
        signal: u8 = 0,
        /// The thread that gets it; 0: any of the process.
        thread: u32 = 0,
        /// The clock that it was created with, and the one it counts since it was set: a relative time is not calendar
        /// time.
        made: Counted = Counted::Time,
        counted: Counted = Counted::Time,
        id: u32 = 0,
        value: u64 = 0,
        /// When it expires next, of what it counts; 0: it is not set.
        at_ns: u64 = 0,
        interval_ns: u64 = 0,
        /// Its signal waits to be taken.
        queued: bool = false,
        overruns: u32 = 0,
    }
    /// None.
    pub const FREE;
}

/// What is to be done about a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing, until its program or its setting says so.
    Nothing,
    /// Check it again at this time since boot.
    Check(u64),
    /// Its signal is to be sent.
    Send,
}

impl Timer {
    /// A timer that is not set.
    pub fn new(pid: u32, slot: u16, made: Counted, sends: TimerSignal, id: u32, value: u64) -> Timer {
        let TimerSignal { signal, thread } = sends;
        Timer { pid, slot, made, counted: made, signal, thread, id, value, ..Timer::FREE }
    }

    /// Who gets the signal, which, and why it comes; the clock has the timer at `number`.
    pub fn news(&self, number: usize) -> (u32, u8, Cause) {
        let timer = (number as u32 + 1) | if self.thread != 0 { Cause::TIMER_OF_THREAD } else { 0 };
        let cause = match self.id {
            INTERVAL_TIMER => Cause { timer, ..Cause::KERNEL },
            id => Cause { code: SI_TIMER, sender: Sender::of(id), value: self.value, timer },
        };
        (if self.thread != 0 { self.thread } else { self.pid }, self.signal, cause)
    }

    /// The time that it counts.
    fn now_ns(&self, now: Now) -> u64 {
        match self.counted {
            Counted::Time => now.time_ns,
            Counted::Calendar => now.epoch_ns.saturating_add(now.time_ns),
            Counted::OwnTime => now.own_ns,
            Counted::UsedTime => now.used_ns,
        }
    }

    /// Whether it follows calendar time.
    pub fn follows_calendar(&self) -> bool {
        self.pid != 0 && self.counted == Counted::Calendar
    }

    /// Sets it.
    pub fn set(&mut self, now: Now, at_ns: u64, interval_ns: u64, absolute: bool) -> Next {
        self.counted = if absolute || self.made != Counted::Calendar { self.made } else { Counted::Time };
        self.at_ns = match at_ns {
            0 => 0,
            at_ns if absolute => at_ns,
            left_ns => self.now_ns(now).saturating_add(left_ns),
        };
        self.interval_ns = if at_ns == 0 { 0 } else { interval_ns };
        self.next(now)
    }

    /// What is to be done about it now.
    pub fn next(&self, now: Now) -> Next {
        if self.at_ns == 0 || self.signal == 0 {
            return Next::Nothing; // without a signal, programs only read the time left
        }
        match self.at_ns.saturating_sub(self.now_ns(now)) {
            0 if self.queued => Next::Nothing,
            0 => Next::Send,
            // Time that is used cannot go faster than time.
            left_ns => Next::Check(now.time_ns.saturating_add(left_ns)),
        }
    }

    /// Its signal was sent, and waits or (not `kept`) leads to nothing.
    pub fn sent(&mut self, now: Now, kept: bool) -> Next {
        self.queued = kept;
        if self.interval_ns == 0 {
            self.at_ns = 0;
            return Next::Nothing;
        }
        if kept {
            return Next::Nothing;
        }
        self.pass(now);
        match self.next(now) {
            Next::Check(at_ns) => Next::Check(at_ns.max(now.time_ns + UNHEARD_NS_MIN)),
            other => other,
        }
    }

    /// Its signal was taken.
    pub fn signal_taken(&mut self, now: Now) -> Next {
        self.queued = false;
        self.overruns = 0;
        if self.at_ns != 0 && self.interval_ns != 0 && self.at_ns <= self.now_ns(now) {
            self.overruns = u32::try_from(self.pass(now) - 1).unwrap_or(i32::MAX as u32).min(i32::MAX as u32);
        }
        self.next(now)
    }

    /// Moves its next time, which has come, beyond now; by how many intervals.
    fn pass(&mut self, now: Now) -> u64 {
        let times = (self.now_ns(now).saturating_sub(self.at_ns) / self.interval_ns).saturating_add(1);
        self.at_ns = self.at_ns.saturating_add(times.saturating_mul(self.interval_ns));
        times
    }

    /// What is left of it.
    pub fn left(&self, now: Now) -> Left {
        let (now_ns, interval_ns) = (self.now_ns(now), self.interval_ns);
        let left_ns = match self.at_ns {
            0 => 0,
            at_ns if at_ns > now_ns => at_ns - now_ns,
            at_ns if interval_ns != 0 => interval_ns - (now_ns - at_ns) % interval_ns,
            // It is about to expire; one without a signal has.
            _ => u64::from(self.signal != 0),
        };
        Left { left_ns, interval_ns }
    }

    /// How often it had expired when its signal was taken last, beyond the first time.
    pub fn overruns(&self) -> u32 {
        self.overruns
    }
}
