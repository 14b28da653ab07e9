//! How long calls of one sort wait at a side of a socket.
//!
//! Invariant: each call has its own deadline, from the limit that counts when it begins to wait. Its note is that, so
//! the deadlines of any number of calls take no memory. Not here: which calls (`server/timeouts.rs`).

use renga_rt::{Call, CallQueue, Entry};

/// The note of a call whose wait begins.
pub(crate) const BEGINS: u64 = 0;
/// The note of a call that waits for ever.
const FOR_EVER: u64 = u64::MAX;

/// The limit of the calls of one sort at one side.
#[derive(Clone, Copy)]
pub(crate) struct WaitLimit {
    /// How long a call waits, ns; 0: for ever.
    limit_ns: u64,
    /// There was a limit, so that calls which wait have notes.
    used: bool,
}

impl WaitLimit {
    pub(crate) const NONE: WaitLimit = WaitLimit { limit_ns: 0, used: false };

    /// Calls that come from now on wait for `limit_ns`. At the first limit those that wait already have no notes.
    pub(crate) fn set(&mut self, limit_ns: u64) {
        (self.limit_ns, self.used) = (limit_ns, self.used || limit_ns != 0);
    }

    /// Whether calls have notes.
    #[inline(always)]
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// When the call of this note fails; `None`: it waits for ever.
    fn until_ns(&self, note: u64, now_ns: u64) -> Option<u64> {
        match note {
            BEGINS if self.limit_ns == 0 => None,
            BEGINS => Some(now_ns.saturating_add(self.limit_ns).min(FOR_EVER - 1)),
            FOR_EVER => None,
            until_ns => Some(until_ns),
        }
    }

    /// Whether the call waits for a limited time, so that no signal has it made again.
    pub(crate) fn is_limited<E: Entry>(&self, call: &Call<E>) -> bool {
        self.used && self.until_ns(call.note().get(), 0).is_some()
    }

    /// Whether the call has waited long enough at `now_ns`; if not, `next_ns` is at most when it will have.
    pub(crate) fn is_over<E: Entry>(&self, call: &Call<E>, now_ns: u64, next_ns: &mut u64) -> bool {
        let until_ns = self.until_ns(call.note().get(), now_ns).unwrap_or(FOR_EVER);
        call.note().set(until_ns);
        if until_ns > now_ns {
            *next_ns = until_ns.min(*next_ns);
        }
        until_ns <= now_ns
    }
}

/// The calls of the queue wait for ever: they came before the first limit.
pub(crate) fn wait_for_ever<E: Entry>(queue: &mut CallQueue<E>) {
    queue.retain(|call| {
        call.note().set(FOR_EVER);
        Some(call)
    });
}
