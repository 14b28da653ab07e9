//! The data returner: has files flushed that this board has written, when much of that is dirty or frames are scarce;
//! and those whose leases are orphaned, when there is a session with the board of the inodes again.
//!
//! Not here: what is dirty or orphaned (`renga_pages`), the flush (`inode/lease_flush.rs`).

use renga_proto::inode::{Inode, LeaseWrite};
use renga_proto::pages::{CountDirty, Dirty, DiscardOrphaned, FileId, FindOrphaned, OldestLeased, Pages};
use renga_rt::{Client, Errno, Family, Me, Never, Retry};

/// The first and the longest pause before it calls a board again that did not reply, ns.
const PAUSE_NS_MIN: u64 = 50_000_000;
const PAUSE_NS_MAX: u64 = 2_000_000_000;

struct FlusherState {
    pages: Client<Pages>,
    inodes: Family<Inode, { LeaseWrite::BIT }>,
}

/// Serves no calls: the page cache of its board wakes it.
pub async fn lease_flusher(mut me: Me, pages: Client<Pages>, inodes: Family<Inode, { LeaseWrite::BIT }>) -> Never {
    let (mut state, mut pause_ns) = (FlusherState { pages, inodes }, PAUSE_NS_MIN);
    loop {
        me.notified().await;
        if state.reclaim_orphaned().await.is_ok() {
            pause_ns = PAUSE_NS_MIN;
            state.flush_oldest().await;
        } else {
            let at_ns = me.now_ns() + pause_ns;
            me.notify_at(Some(at_ns));
            pause_ns = (2 * pause_ns).min(PAUSE_NS_MAX);
        }
    }
}

impl FlusherState {
    /// Has inode `ino` flushed, at least in part; whether there is more.
    async fn flush_lease(&mut self, slot: u16, ino: u32) -> Result<bool, Errno> {
        let board = (0..self.inodes.boards()).find(|&board| self.inodes.count(board) > 0).ok_or(Errno::EIO)?;
        let mut inode = self.inodes.at(board, slot.into()).ok_or(Errno::EIO)?;
        let lease = inode.call_retrying(LeaseWrite::flush(ino), ()).await;
        lease.map(|lease| lease.below > 0)
    }

    /// Flushes all orphaned leases. What the inodes' processes do not know of is lost.
    async fn reclaim_orphaned(&mut self) -> Result<(), Errno> {
        let (mut from, mut reported) = (0, Ok(()));
        // Each iteration takes pages, ends an orphaned lease, or passes one.
        while let Ok(orphaned) = self.pages.call(FindOrphaned { file: FileId::ANY, from }, ()).await {
            match self.flush_lease(orphaned.slot, orphaned.file.ino).await {
                Ok(true) => {}
                Ok(false) => {
                    self.pages.call(DiscardOrphaned { file: orphaned.file, lease: orphaned.lease }, ()).await?
                }
                // Nor will others come.
                Err(Errno::EHOSTDOWN) => return Err(Errno::EHOSTDOWN),
                Err(errno) => (from, reported) = (orphaned.record.saturating_add(1), Err(errno)),
            }
        }
        reported
    }

    async fn flush_oldest(&mut self) {
        let Ok(Dirty { pages: dirty, spare, .. }) = self.pages.call(CountDirty {}, ()).await else { return };
        let mut before = dirty;
        // Each iteration flushes pages.
        for _ in spare..dirty {
            let Ok(oldest) = self.pages.call(OldestLeased {}, ()).await else { break };
            // A page that cannot come stays, until there is room for it or its board is reachable.
            if self.flush_lease(oldest.slot, oldest.file.ino).await.is_err() {
                break;
            }
            let left = self.pages.call(CountDirty {}, ()).await;
            // Or nothing has come: its inode's process does not know of it.
            if !left.is_ok_and(|left| left.pages > left.spare && left.pages < before) {
                break;
            }
            before = left.map_or(0, |left| left.pages);
        }
    }
}
