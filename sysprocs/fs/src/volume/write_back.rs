//! Writing back: changes reach the medium a while after they were made, though nobody asks for it.
//!
//! It sleeps while nothing is changed: the allocator, which is told of every change, says when the next
//! commit is due. Both are on one core, as one notifies the other.

use core::cell::Cell;
use renga_proto::inode::{CommitAll, InodeDirectory};
use renga_rt::{Client, Me, Never, Notifier};

/// When the next commit is due: what the allocator tells `write_back`.
pub struct Due {
    write_back: Option<Notifier>,
    at_ns: Cell<Option<u64>>,
}

impl Due {
    /// Nothing is due yet; without a process to be told there are only the commits that are asked for.
    pub const fn new(write_back: Option<Notifier>) -> Due {
        Due { write_back, at_ns: Cell::new(None) }
    }
    /// When, ns since boot.
    pub(crate) fn at_ns(&self) -> Option<u64> {
        self.at_ns.get()
    }
    pub(crate) fn set(&self, at_ns: Option<u64>) {
        if self.at_ns.replace(at_ns) != at_ns
            && let Some(write_back) = &self.write_back
        {
            write_back.notify();
        }
    }
}

/// Commits whenever that is due.
pub async fn write_back(mut me: Me, mut inode_directory: Client<InodeDirectory>, due: &'static Due) -> Never {
    loop {
        me.notify_at(due.at_ns());
        me.notified().await;
        if due.at_ns().is_some_and(|at_ns| at_ns <= me.now_ns()) {
            // One that fails is due again.
            let _ = inode_directory.call(CommitAll { whole: true }, ()).await;
        }
    }
}
