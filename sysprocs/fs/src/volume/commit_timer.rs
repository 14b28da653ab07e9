//! Timed writeback: changes reach the medium a while after they were made, without a sync.
//!
//! It sleeps while nothing is changed: the allocator, which is notified of every change, says when the next
//! commit is due. All of them are on one core, as they share that and notify.

use crate::commit_due::CommitDue;
use renga_pages::{FlushSpares, flush_until};
use renga_proto::inode::{CommitAll, CommitExtent, Inode, InodeDirectory, LeaseWrite, NextLeased};
use renga_rt::{Client, Family, Me, Never};

/// The time until the next check of spared files, if nothing else is due, ns.
const CHECK_AGAIN_NS: u64 = 5_000_000_000;
/// So long what background jobs have written is left where it is while they are suspended, ns.
const SPARED_NS_MAX: u64 = 30_000_000_000;

#[derive(Default)]
struct Spared {
    since_ns: Option<u64>,
}

impl Spared {
    /// Whether data written by suspended jobs may stay where they are.
    fn may_go_on(&self, now_ns: u64) -> bool {
        self.since_ns.is_none_or(|since_ns| now_ns.saturating_sub(since_ns) < SPARED_NS_MAX)
    }

    /// Notes whether something is left where it is.
    fn note(&mut self, now_ns: u64, any: bool) {
        self.since_ns = if any { self.since_ns.or(Some(now_ns)) } else { None };
    }
}

/// Commits whenever that is due. It flushes the other boards' leases first; after a commit, if an inode waits for
/// room, as it may be one of those.
pub async fn commit_timer(
    mut me: Me,
    mut inode_directory: Client<InodeDirectory>,
    mut inodes: Family<Inode, { LeaseWrite::BIT }>,
    due: &'static CommitDue,
) -> Never {
    let mut spared = Spared::default();
    loop {
        me.notify_at(due.at_ns());
        me.notified().await;
        let began = due.at_ns();
        if began.is_some_and(|at_ns| at_ns <= me.now_ns()) {
            let mut all = Ok(false);
            // Each iteration flushes data, of which there is no more than the boards' memory.
            while all == Ok(false) {
                let urgent = due.awaited.take();
                if urgent {
                    let _ = inode_directory.call(CommitAll { extent: CommitExtent::Journal }, ()).await;
                }
                let until_ns = me.now_ns() + due.commit_interval_ns();
                // A caller that waits for room waits for all that is kept for others.
                let is_over = || !urgent && me.now_ns() >= until_ns;
                // What cannot come, or a commit that fails, is due again.
                let may_spare = !urgent && spared.may_go_on(me.now_ns());
                let spares = if may_spare { FlushSpares::Young } else { FlushSpares::Nothing };
                all = flush_until(&mut inode_directory, &mut inodes, spares, is_over).await;
                let _ = inode_directory.call(CommitAll { extent: CommitExtent::Places }, ()).await;
                let left = inode_directory.call(NextLeased { from: 0, spares: false }, ()).await;
                spared.note(me.now_ns(), spares != FlushSpares::Nothing && left.is_ok());
            }
            // Nothing was committed, as all there is was spared.
            if due.at_ns() == began {
                due.set(Some(me.now_ns() + CHECK_AGAIN_NS));
            }
        }
    }
}
