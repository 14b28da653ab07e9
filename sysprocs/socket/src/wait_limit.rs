//! The time limit of a queue of calls that wait.
//!
//! Invariant: it counts for the first call, from when that is the first. Not here: which calls (`server/timeouts.rs`).

/// The limit of one queue.
#[derive(Clone, Copy)]
pub(crate) struct WaitLimit {
    /// How long its first call waits, ns; 0: for ever.
    pub(crate) limit_ns: u64,
    /// When the first call's time is over, if one waits.
    pub(crate) until_ns: Option<u64>,
    /// Calls that waited when this was last looked at.
    length: usize,
}

impl WaitLimit {
    pub(crate) const NONE: WaitLimit = WaitLimit { limit_ns: 0, until_ns: None, length: 0 };

    /// Another call is the first one.
    pub(crate) fn restart(&mut self) {
        self.until_ns = None;
    }

    /// The time of the first of `length` calls begins, if there is one.
    pub(crate) fn begin(&mut self, length: usize, now_ns: u64) {
        (self.length, self.until_ns) = (length, None);
        if length > 0 {
            self.until_ns = Some(now_ns.saturating_add(self.limit_ns));
        }
    }

    /// Whether the first of `length` calls has waited long enough.
    pub(crate) fn is_over(&mut self, length: usize, now_ns: u64) -> bool {
        if length < self.length || length == 0 || self.limit_ns == 0 {
            self.restart();
        }
        self.length = length;
        if length == 0 || self.limit_ns == 0 {
            return false;
        }
        *self.until_ns.get_or_insert(now_ns.saturating_add(self.limit_ns)) <= now_ns
    }
}
