//! When the next commit is due, shared by the allocator, the two directories and the commit timer.
//!
//! Invariant: all of them run on one core. A change of the due time notifies the commit timer.
//! Not here: the commits (`volume/commit_timer.rs`).

use core::cell::Cell;
use renga_abi::OsTimes;
use renga_rt::Notifier;

renga_rt::with_defaults! {
    /// When the next commit is due: the allocator sets it for `commit_timer`.
    pub struct CommitDue {
        commit_timer: Option<Notifier> = commit_timer,
        writeback_age_ns: u64 = times.writeback_age_ns,
        commit_interval_ns: u64 = times.commit_interval_ns,
        at_ns: Cell<Option<u64>> = Cell::new(None),
        failed: Cell<bool> = Cell::new(false),
        freeing: Cell<bool> = Cell::new(false),
        pub(crate) awaited: Cell<bool> = Cell::new(false),
    }
    /// Nothing is due yet; without a process to notify, only requested commits happen.
    pub const fn new(commit_timer: Option<Notifier>, times: &OsTimes);
}

impl CommitDue {
    /// From a change to its commit, unless a sync comes sooner, ns.
    pub(crate) fn writeback_age_ns(&self) -> u64 {
        self.writeback_age_ns
    }
    /// So long data is flushed before what has come is committed, ns.
    pub(crate) fn commit_interval_ns(&self) -> u64 {
        self.commit_interval_ns
    }
    /// When, ns since boot; `None`: nothing has been changed since the last commit.
    pub(crate) fn at_ns(&self) -> Option<u64> {
        self.at_ns.get()
    }
    pub(crate) fn set(&self, at_ns: Option<u64>) {
        if self.at_ns.replace(at_ns) != at_ns
            && let Some(commit_timer) = &self.commit_timer
        {
            commit_timer.notify();
        }
    }
    /// A commit is due now, if anything has been changed; not if the last one failed, which is tried again in
    /// its time.
    pub(crate) fn hurry(&self, now_ns: u64) {
        self.awaited.set(true);
        if self.at_ns().is_some_and(|at_ns| at_ns > now_ns) && !self.failed.get() {
            self.set(Some(now_ns));
        }
    }
    pub(crate) fn set_freeing(&self, freeing: bool) {
        self.freeing.set(freeing);
    }
    /// Whether inodes are being freed, so that there may soon be more room.
    pub(crate) fn is_freeing(&self) -> bool {
        self.freeing.get()
    }
    pub(crate) fn set_failed(&self, failed: bool) {
        self.failed.set(failed);
    }
}
