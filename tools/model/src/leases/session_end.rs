//! Sessions that end while both boards live: dirty pages on the board with the lease stay there, orphaned, and the
//! lease stands until they have been flushed, or another board has changed the file.
//!
//! Not here: flushing (`write_lease.rs`).

use super::LeasesMutant;
use super::world::{BoardCache, LeasesWorld, PAGES};
use super::write_lease::LeaseHolder;

impl BoardCache {
    /// The session is over: what is clean goes, and all grants with it; what is dirty stays unless that is dropped,
    /// too.
    pub(super) fn orphan(&mut self, drops: bool) {
        for page in 0..PAGES {
            if !self.dirty[page] || drops {
                (self.pages[page], self.dirty[page]) = (None, false);
            }
        }
        self.orphaned = self.dirty != [false; PAGES];
        (self.leased, self.mapped, self.ended) = (false, [false; PAGES], 0);
        if !self.orphaned {
            self.size = None;
        }
        // Sessions do not end here while something is set; one with a board that died has lost it.
        (self.changed, self.status) = (None, None);
        self.renew();
    }
}

impl LeasesWorld {
    /// Whether the board is not there for the inode's process.
    pub(super) fn is_unreachable(&self, board: usize) -> bool {
        self.write_lease.is_some_and(|write_lease| write_lease.board == board && write_lease.unreachable)
    }

    pub(super) fn end_session(&mut self, board: usize) -> Option<()> {
        self.left.session_ends = self.left.session_ends.checked_sub(1)?;
        if board == 0 || self.caches[board].behind {
            return None;
        }
        self.caches[board].behind = true;
        // Pages of its lease that are flushed later stay cached there, too: so the board stays noted.
        if self.is(LeasesMutant::NotesEndWithSession) {
            self.holders.forget(board as u8);
        }
        if let Some(change) = self.change.as_mut().filter(|change| change.asked == Some(board)) {
            change.answer = Some(0);
        }
        if let Some(write_lease) = self.write_lease.as_mut().filter(|write_lease| write_lease.board == board) {
            write_lease.unreachable = true;
            // The flush restarts: pages that had arrived are still dirty there.
            self.taking = None;
        }
        Some(())
    }

    /// Another board changes the file: the unreachable board's writes are lost.
    pub(super) fn lose_lease(&mut self) {
        self.write_lease = None;
        (self.latest, self.latest_size) = (self.content, self.size);
        self.lower_floors();
    }

    /// The inode's process does not know of the lease any more.
    pub(super) fn drop_orphaned(&mut self, board: usize) -> Option<()> {
        let stands =
            |LeaseHolder { board: of, lease, .. }: LeaseHolder| (of, lease) == (board, self.caches[board].lease);
        if !self.caches[board].orphaned || self.caches[board].behind || self.write_lease.is_some_and(stands) {
            return None;
        }
        self.caches[board].lose_dirty();
        Some(())
    }
}
