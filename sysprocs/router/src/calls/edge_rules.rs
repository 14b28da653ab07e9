//! The placement's rules for calls to other boards: which exist, which may be asynchronous, which may wait.

use renga_rt::WordCounts;

/// The rule for calls of some local processes to some servers of another board, all of one kind.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRule {
    /// First and last local caller, by index.
    pub callers: (u16, u16),
    /// First and last server, by index.
    pub servers: (u16, u16),
    /// Entries of the servers' protocol that return no result.
    pub releases: u32,
    /// Of these, the entries whose callers are to be released early.
    pub asynchronous: u32,
    /// Entries that return data and travel in paired form, as two rendezvous of which neither returns anything.
    pub paired: u32,
    /// Entries whose reply may wait for another client: the caller has a proxy of its own for them.
    pub may_wait: u32,
    /// Whether the callers' long messages go in the background.
    pub background: bool,
    /// How many words the calls have, by entry.
    pub word_counts: &'static WordCounts,
    /// The proxies that the callers share for the other entries: their place in [`crate::LinkPlan::pools`].
    pub pool: u16,
}

impl EdgeRule {
    /// Whether it is for calls of `caller` to `server`.
    pub(crate) fn covers(&self, caller: u16, server: u16) -> bool {
        (self.servers.0..=self.servers.1).contains(&server) && (self.callers.0..=self.callers.1).contains(&caller)
    }
    /// How many rendezvous a call to entry `op` is that return nothing.
    pub(crate) fn returning_nothing(&self, op: u32) -> u32 {
        (self.releases >> op & 1) + 2 * (self.paired >> op & 1)
    }
    /// Whether entry `op` travels as two rendezvous.
    pub(crate) fn is_paired(&self, op: u32) -> bool {
        self.paired >> op & 1 != 0
    }
    /// Whether callers of entry `op` are released early.
    pub(crate) fn is_asynchronous(&self, op: u32) -> bool {
        (self.releases & self.asynchronous) >> op & 1 != 0
    }
    /// The pool whose proxies make calls to entry `op`, unless the caller has one of its own for that.
    pub(crate) fn pool(&self, op: u32) -> Option<u16> {
        (self.may_wait >> op & 1 == 0).then_some(self.pool)
    }
}

/// The place of the first of `rules`, those of one board, for calls of `caller` to `server`.
pub(crate) fn find(rules: &[EdgeRule], caller: u16, server: u16) -> Option<usize> {
    rules.iter().position(|rule| rule.covers(caller, server))
}
