//! One event file: a count, the times of a timer, notices, or a process.
//!
//! Invariant: an expired timer is due again only after a read, so an unread timer costs nothing.
//! Called by: `server.rs`. Not here: references and waiters (`server.rs`).

use super::notices::NoticeQueue;
use renga_proto::clock::Left;
use renga_proto::events::{COUNT_MAX, EventKind, WatchedProcess};
use renga_proto::pipe::{READABLE, WRITABLE};
use renga_rt::{BoardReferences, Errno, Generation, Waiters};

renga_rt::with_defaults! {
    /// An event file, or a free place for one. Boot provides them.
    #[derive(Debug)]
    pub struct EventPlace {
        /// Which generation it is in, once it has had one.
        pub(super) generation: Option<Generation> = None,
        pub(super) references: BoardReferences = BoardReferences::NONE,
        pub(super) waiters: Waiters = Waiters::NONE,
        pub(super) edges: u32 = 1,
        pub(super) kind: EventKind = EventKind::Count,
        /// Opened with `O_NONBLOCK`: no program waits for it.
        pub(super) nonblocking: bool = false,
        /// Of a counter.
        pub(super) count: u64 = 0,
        pub(super) timer: Times = Times::NONE,
        /// Of changed files.
        pub(super) notices: NoticeQueue = NoticeQueue::EMPTY,
        /// Of a process.
        pub(super) process: WatchedProcess = WatchedProcess { pid: 0, ended: false },
    }
    /// Free, and never used.
    pub const FREE;
}

impl EventPlace {
    pub(super) fn is_timer(&self) -> bool {
        matches!(self.kind, EventKind::Timer | EventKind::CalendarTimer)
    }

    /// Whether it is in `generation`.
    pub(super) fn is(&self, generation: u32) -> bool {
        self.generation.is_some_and(|is| is.number() == generation)
    }

    /// Something has happened that others may wait for.
    pub(super) fn note_edge(&mut self) {
        self.edges = self.edges.wrapping_add(1).max(1);
    }

    /// The current events.
    pub(super) fn events(&self) -> u32 {
        let (readable, writable) = match self.kind {
            EventKind::Timer | EventKind::CalendarTimer => (self.timer.expired || self.timer.canceled, false),
            EventKind::Count | EventKind::Semaphore => (self.count > 0, self.count < COUNT_MAX),
            EventKind::Watches => (false, false), // its program polls the watched objects
            EventKind::Notices => (self.notices.is_readable(), false),
            EventKind::Process => (self.process.ended, false),
        };
        (u32::from(readable) * READABLE) | (u32::from(writable) * WRITABLE)
    }

    /// Takes what a read of it takes; `now_ns` is of the time that it counts.
    pub(super) fn take(&mut self, now_ns: u64) -> Result<u64, Errno> {
        match self.kind {
            EventKind::Timer | EventKind::CalendarTimer => self.timer.take(now_ns),
            EventKind::Watches | EventKind::Notices | EventKind::Process => Err(Errno::EINVAL),
            _ if self.count == 0 => Err(Errno::EAGAIN),
            EventKind::Count => Ok(core::mem::take(&mut self.count)),
            EventKind::Semaphore => {
                self.count -= 1;
                Ok(1)
            }
        }
    }

    pub(super) fn add(&mut self, add: u64) -> Result<(), Errno> {
        if !matches!(self.kind, EventKind::Count | EventKind::Semaphore) {
            return Err(Errno::EINVAL);
        }
        let count = self.count.checked_add(add).filter(|&count| count <= COUNT_MAX);
        self.count = count.ok_or(Errno::EAGAIN)?;
        Ok(())
    }
}

/// The times of a timer, of what it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// When it expires next, or did; 0: it is not set.
    at_ns: u64,
    interval_ns: u64,
    /// They are of calendar time, however that is set; else of the time since boot.
    pub(super) follows: bool,
    /// It has expired, and the expiry is unread.
    pub(super) expired: bool,
    /// A read is to fail once calendar time was set; that has happened.
    cancel_on_set: bool,
    canceled: bool,
}

impl Times {
    pub(super) const NONE: Times =
        Times { at_ns: 0, interval_ns: 0, follows: false, expired: false, cancel_on_set: false, canceled: false };

    /// Expires at `at_ns` (0: never) and then every `interval_ns`.
    pub(super) fn set(&mut self, at_ns: u64, interval_ns: u64, follows: bool, cancel_on_set: bool) {
        *self = Times { at_ns, interval_ns, follows, cancel_on_set, ..Times::NONE };
    }

    /// When it is due.
    pub(super) fn due_ns(&self) -> Option<u64> {
        (self.at_ns != 0 && !self.expired).then_some(self.at_ns)
    }

    pub(super) fn left(&self, now_ns: u64) -> Left {
        let (at_ns, interval_ns) = (self.at_ns, self.interval_ns);
        let left_ns = match at_ns.saturating_sub(now_ns) {
            _ if at_ns == 0 => 0,
            0 if interval_ns > 0 => interval_ns - (now_ns - at_ns) % interval_ns,
            // Never that it is not set while it still is.
            0 if !self.expired => 1,
            left_ns => left_ns,
        };
        Left { left_ns, interval_ns }
    }

    /// Takes the expiries since the last read.
    fn take(&mut self, now_ns: u64) -> Result<u64, Errno> {
        if core::mem::take(&mut self.canceled) {
            if core::mem::take(&mut self.expired) {
                self.at_ns = 0; // not reported any more, as on Linux
            }
            return Err(Errno::ECANCELED);
        }
        if !core::mem::take(&mut self.expired) {
            return Err(Errno::EAGAIN);
        }
        if self.interval_ns == 0 {
            self.at_ns = 0;
            return Ok(1);
        }
        let more = now_ns.saturating_sub(self.at_ns) / self.interval_ns;
        self.at_ns = self.at_ns.saturating_add((more + 1).saturating_mul(self.interval_ns));
        Ok(more + 1)
    }

    /// Calendar time was set; whether a read is to fail for that.
    pub(super) fn cancel(&mut self) -> bool {
        self.canceled |= self.cancel_on_set && self.at_ns != 0;
        self.canceled
    }
}
