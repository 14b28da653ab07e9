//! What is lost: files that a cache forgets, boards that die, and what a board learns of that.
//!
//! Not here: the writes of a failed board (`write_lease.rs`, `attributes.rs`).

use super::LeasesMutant;
use super::world::PUSHES;
use super::world::{BoardCache, LeasesWorld, PAGES};
use renga_fs::Holders;

impl LeasesWorld {
    pub(super) fn forget(&mut self, board: usize) -> Option<()> {
        self.left.evictions = self.left.evictions.checked_sub(1)?;
        let (again, drops) = (self.is(LeasesMutant::GenerationUsedTwice), self.is(LeasesMutant::DirtyForgotten));
        let cache = &mut self.caches[board];
        if (cache.dirty != [false; PAGES] || cache.changed.is_some()) && !drops {
            return None;
        }
        cache.changed = None;
        (cache.pages, cache.size, cache.leased, cache.dirty) = ([None; PAGES], None, false, [false; PAGES]);
        (cache.mapped, cache.orphaned) = ([false; PAGES], false);
        if self.mutant == Some(LeasesMutant::EndForgotten) {
            cache.ended = 0;
        }
        cache.last_since = if again { 1 } else { cache.last_since + 1 };
        cache.since = cache.last_since;
        Some(())
    }

    pub(super) fn die(&mut self, board: usize) -> Option<()> {
        if board != 0 {
            self.left.deaths = self.left.deaths.checked_sub(1)?;
            let BoardCache { incarnation, behind, fill, ask, pushes, .. } = self.caches[board];
            // Numbers restart with each incarnation.
            self.caches[board] = BoardCache {
                since: 1,
                last_since: 1,
                incarnation: incarnation + 1,
                behind,
                fill,
                ask,
                pushes,
                ..BoardCache::default()
            };
            self.lose_leased(board);
            if let Some(change) = self.change.as_mut().filter(|change| change.asked == Some(board)) {
                change.answer = Some(0);
            }
            return Some(());
        }
        self.left.inode_deaths = self.left.inode_deaths.checked_sub(1)?;
        (self.holders, self.change, self.write_lease, self.taking) = (Holders::default(), None, None, None);
        self.sole = [false; PAGES];
        (self.latest, self.latest_size) = (self.content, self.size);
        (self.latest_mode, self.asking) = (self.mode, None);
        self.lower_floors();
        let incarnation = self.caches[0].incarnation + 1;
        self.caches[0] = BoardCache { since: 1, last_since: 1, incarnation, ..BoardCache::default() };
        for cache in &mut self.caches[1..] {
            cache.behind = true;
        }
        Some(())
    }

    pub(super) fn learn(&mut self, board: usize) -> Option<()> {
        let (keeps, drops) = (self.is(LeasesMutant::PagesOutliveInode), self.is(LeasesMutant::DirtyEndsWithSession));
        let cache = &mut self.caches[board];
        if !core::mem::take(&mut cache.behind) {
            return None;
        }
        if !keeps {
            cache.orphan(drops);
        }
        // Its calls ended with the session.
        (cache.fill, cache.ask, cache.pushes) = (None, None, [None; PUSHES]);
        Some(())
    }
}
