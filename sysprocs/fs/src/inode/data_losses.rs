//! Losses of data that were written: each open file reports each once, as with Linux' `errseq_t`.
//!
//! Owns: how many losses there were, and the last one. Called by: `active_inode.rs`, `lease_flush.rs`.
//! Not here: what a file has reported (`file/loss_mark.rs`); refused writes, which concern their writer alone.

use renga_proto::inode::LossReport;
use renga_rt::Errno;

#[derive(Clone, Copy, Default)]
pub(crate) struct DataLosses {
    count: u32,
    errno: u16,
    last_ns: u64,
}

impl DataLosses {
    /// A loss at `ns`, which may be before one that is recorded.
    pub(crate) fn record(&mut self, errno: Errno, ns: u64) {
        *self = DataLosses { count: self.count.wrapping_add(1).max(1), errno: errno.0, last_ns: self.last_ns.max(ns) };
    }

    /// The last loss goes on.
    pub(crate) fn prolong(&mut self, now_ns: u64) {
        self.last_ns = now_ns;
    }

    pub(crate) fn report(&self, now_ns: u64) -> LossReport {
        LossReport { count: self.count, errno: self.errno, ns_ago: now_ns.saturating_sub(self.last_ns) }
    }
}
