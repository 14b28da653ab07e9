//! Write leases: a board that writes in its own cache, and what the inode's process takes home from it.
//!
//! Invariant: while the inode's process takes a file home it does nothing else. Whoever needs the file home is not told
//! apart here: it may be taken at any time. Not here: clean pages (`world.rs`).

use super::Mutant;
use super::world::{BOARDS, Change, PAGES, World};
use renga_proto::pages::TO_END;

/// A write lease that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ask {
    ticket: u8,
    life: u8,
    /// The file's size, when the inode's process has given it.
    answer: Option<u8>,
}

/// What a board has given back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Given {
    /// A page, what it holds, and the size.
    Page(usize, u8, u8),
    /// Nothing is dirty.
    Nothing,
}

/// How far a file has been taken home.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Taking {
    from: usize,
    given: Option<Given>,
}

impl World {
    pub(super) fn ask_lease(&mut self, board: usize) -> Option<()> {
        self.left.leases = self.left.leases.checked_sub(1)?;
        let cache = &mut self.caches[board];
        if cache.behind || cache.ask.is_some() {
            return None;
        }
        cache.ask = Some(Ask { ticket: cache.since, life: cache.life, answer: None });
        Some(())
    }

    pub(super) fn lend(&mut self, board: usize) -> Option<()> {
        let cache = &self.caches[board];
        cache.ask.filter(|ask| ask.answer.is_none() && !cache.behind)?;
        let free = self.lent.is_none() || self.is(Mutant::TwoHold);
        match self.lent {
            _ if self.taking.is_some() || self.change.is_some() => None,
            Some(lent) if lent == board => {
                self.grant_lease(board);
                Some(())
            }
            _ if free => self.begin_lending(board),
            _ => None,
        }
    }

    pub(super) fn grant_lease(&mut self, board: usize) {
        self.lent = Some(board);
        self.holders.grant(board as u8, PAGES as u32 - 1);
        if let Some(ask) = &mut self.caches[board].ask {
            ask.answer = Some(self.size);
        }
    }

    pub(super) fn hold(&mut self, board: usize) -> Option<()> {
        let (any_ticket, any_life) = (self.is(Mutant::LeaseOutlivesTaking), self.is(Mutant::FormerLife));
        let cache = &mut self.caches[board];
        let ask = cache.ask.filter(|ask| ask.answer.is_some())?;
        cache.ask = None;
        let known = ask.life == cache.life || any_life;
        if known && (ask.ticket == cache.since || any_ticket) {
            if !cache.held {
                cache.size = ask.answer;
            }
            cache.held = true;
        }
        Some(())
    }

    pub(super) fn write_held(&mut self, board: usize, page: usize, grows: bool) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        let cache = &mut self.caches[board];
        if !cache.held || cache.behind {
            return None;
        }
        self.latest[page] += 1;
        self.latest_size += u8::from(grows);
        (cache.pages[page], cache.dirty[page]) = (Some(self.latest[page]), true);
        if grows {
            cache.size = Some(self.latest_size);
        }
        Some(())
    }

    pub(super) fn take(&mut self) -> Option<()> {
        let lent = self.lent.filter(|_| self.change.is_none())?;
        let Some(taking) = self.taking else {
            self.taking = Some(Taking { from: 0, given: None });
            return Some(());
        };
        match taking.given? {
            Given::Page(page, content, size) => {
                (self.content[page], self.size) = (content, self.size.max(size));
                self.taking = Some(Taking { from: page + 1, given: None });
            }
            Given::Nothing => (self.lent, self.taking) = (None, None),
        }
        debug_assert!(lent < BOARDS);
        Some(())
    }

    pub(super) fn give_back(&mut self) -> Option<()> {
        let (goes_on, clean_first) = (self.is(Mutant::WritesWhileTaken), self.is(Mutant::TakenInOneStep));
        let taking = self.taking.filter(|taking| taking.given.is_none())?;
        let cache = &mut self.caches[self.lent?];
        if cache.behind {
            return None;
        }
        cache.held &= goes_on;
        cache.renew();
        cache.dirty[..taking.from].fill(false);
        let first = (taking.from..PAGES).find(|&page| cache.dirty[page] && !clean_first);
        let given = first.and_then(|page| Some(Given::Page(page, cache.pages[page]?, cache.size?)));
        if given.is_none() {
            cache.dirty = [false; PAGES];
        }
        self.taking = Some(Taking { given: Some(given.unwrap_or(Given::Nothing)), ..taking });
        Some(())
    }

    /// The board is dead: what it wrote and nobody has taken is lost.
    pub(super) fn lose_held(&mut self, board: usize) {
        if self.lent != Some(board) {
            return;
        }
        (self.latest, self.latest_size) = (self.content, self.size);
        match &mut self.taking {
            Some(Taking { given: Some(Given::Page(page, content, size)), .. }) => {
                (self.latest[*page], self.latest_size) = (*content, self.size.max(*size));
            }
            Some(taking) => taking.given = Some(Given::Nothing),
            None => {}
        }
        // Whoever asks may be told what is left.
        self.lower_floors();
    }

    /// What was written last is lost, so that nobody can be given it.
    pub(super) fn lower_floors(&mut self) {
        let (latest, latest_size) = (self.latest, self.latest_size);
        for fill in self.caches.iter_mut().filter_map(|cache| cache.fill.as_mut()) {
            fill.floor = (fill.floor.0.min(latest[fill.page]), fill.floor.1.min(latest_size));
        }
    }

    pub(super) fn begin_lending(&mut self, board: usize) -> Option<()> {
        let (from, to, next) = (0, TO_END, if self.is(Mutant::OthersKeepPages) { BOARDS } else { 0 });
        let change = Change { from, to, asked: None, answer: None, next, applied: true, lessee: Some(board) };
        self.change.replace(change).is_none().then_some(())
    }
}
