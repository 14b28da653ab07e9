//! Writing by mappings: a cache that maps a page for writing makes it dirty itself, and later stores of programs are
//! not reported.
//!
//! A cache delays a revocation until programs have run; any order of events includes that. Not here: progress, which is
//! a matter of time (`tools/sim/tests/system/mapped.rs`).

use super::LeasesMutant;
use super::world::{BoardCache, LeasesWorld, Purpose};

impl LeasesWorld {
    /// On a board that holds the file.
    pub(super) fn show(&mut self, board: usize, page: usize) -> Option<()> {
        self.left.shows = self.left.shows.checked_sub(1)?;
        let (cleanly, same) = (self.is(LeasesMutant::StoredClean), self.is(LeasesMutant::StoredWhilePushed));
        let cache = &mut self.caches[board];
        if !cache.leased || cache.pages[page].is_none() || cache.mapped[page] {
            return None;
        }
        (cache.mapped[page], cache.dirty[page]) = (true, cache.dirty[page] || !cleanly);
        cache.sent[page] &= same;
        Some(())
    }

    pub(super) fn store(&mut self, board: usize, page: usize) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        if !self.caches[board].mapped[page] {
            return None;
        }
        let BoardCache { dirty, sent, .. } = self.caches[board];
        self.write_there(board, page, false);
        // The store itself is not noticed.
        (self.caches[board].dirty[page], self.caches[board].sent[page]) = (dirty[page], sent[page]);
        Some(())
    }

    /// On the inode's board no other cache may have the page.
    pub(super) fn show_home(&mut self, page: usize) -> Option<()> {
        self.left.shows = self.left.shows.checked_sub(1)?;
        self.begin_change(page as u32, page as u32 + 1, Purpose::Mapping(page))
    }

    pub(super) fn store_home(&mut self, page: usize) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        if !self.sole[page] {
            return None;
        }
        self.content[page] += 1;
        self.latest[page] = self.content[page];
        Some(())
    }
}
