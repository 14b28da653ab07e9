//! Write leases: a board that writes in its own cache, and the pages that the inode's process flushes from it.
//!
//! Invariant: while the inode's process flushes a file it does nothing else. The cause of the flush does not matter
//! here: it may start at any time. Not here: clean pages (`world.rs`).

use super::LeasesMutant;
use super::world::{BoardCache, LeasesWorld, PAGES, Purpose};
use renga_proto::pages::TO_END;

/// The lease and its holder.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeaseHolder {
    pub(super) board: usize,
    /// No other lease has had that number.
    pub(super) lease: u8,
    /// The session has ended in which it was given.
    pub(super) unreachable: bool,
}

/// A write lease that was requested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ask {
    generation: u8,
    incarnation: u8,
    /// The page that is to come with it.
    page: Option<usize>,
    /// When the inode's process has given it.
    answer: Option<Leased>,
}

/// What the inode's process gives with a lease.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Leased {
    lease: u8,
    size: u8,
    /// Of the page.
    content: Option<u8>,
}

/// What a board has given back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum LeaseReturn {
    /// A page, what it holds, and the size.
    Page(usize, u8, u8),
    /// The mode that was set there.
    Mode(u8),
    /// Nothing is dirty.
    Nothing,
}

/// How far a file has been flushed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Taking {
    from: usize,
    given: Option<LeaseReturn>,
}

/// What is written while another version is the file's.
const NOBODYS: u8 = 100;

impl BoardCache {
    /// Whether a lease is on its way here that has been taken back.
    pub(super) fn is_lease_late(&self) -> bool {
        let answer = self.ask.and_then(|ask| ask.answer);
        answer.is_some_and(|leased| leased.lease <= self.ended)
    }

    /// What was written here is lost.
    pub(super) fn lose_dirty(&mut self) {
        if self.dirty != [false; PAGES] {
            // The file is forgotten.
            (self.pages, self.size, self.leased) = ([None; PAGES], None, false);
            self.renew();
        }
        (self.dirty, self.mapped, self.orphaned) = ([false; PAGES], [false; PAGES], false);
    }
}

impl LeasesWorld {
    pub(super) fn ask_lease(&mut self, board: usize, page: Option<usize>) -> Option<()> {
        self.left.leases = self.left.leases.checked_sub(1)?;
        if page.is_some() && self.left.shows == 0 {
            return None;
        }
        let cache = &mut self.caches[board];
        if cache.behind || cache.ask.is_some() {
            return None;
        }
        cache.ask = Some(Ask { generation: cache.since, incarnation: cache.incarnation, page, answer: None });
        Some(())
    }

    pub(super) fn lend(&mut self, board: usize) -> Option<()> {
        let cache = &self.caches[board];
        let ask = cache.ask.filter(|ask| ask.answer.is_none() && !cache.behind)?;
        let free = self.write_lease.is_none() || self.is(LeasesMutant::TwoLeases);
        match self.write_lease {
            _ if self.taking.is_some() || self.change.is_some() || self.asking.is_some() => None,
            // It is flushed first.
            Some(write_lease) if write_lease.unreachable => None,
            Some(write_lease) if write_lease.board == board => {
                self.grant_lease(board, ask.page);
                Some(())
            }
            _ if free => self.begin_change(0, TO_END, Purpose::Lease(board, ask.page)),
            _ => None,
        }
    }

    pub(super) fn grant_lease(&mut self, board: usize, page: Option<usize>) {
        let known = self.write_lease.filter(|write_lease| write_lease.board == board);
        if known.is_none() {
            self.last_lease += 1;
        }
        let write_lease = known.unwrap_or(LeaseHolder { board, lease: self.last_lease, unreachable: false });
        self.write_lease = Some(write_lease);
        self.sole = if self.is(LeasesMutant::SoleOutlivesLease) { self.sole } else { [false; PAGES] };
        self.holders.grant(board as u8, PAGES as u32 - 1);
        let (lease, size, content) = (write_lease.lease, self.size, page.map(|page| self.content[page]));
        let cache = &mut self.caches[board];
        // Nothing comes there any more of a session that has ended.
        if let Some(ask) = cache.ask.as_mut().filter(|_| !cache.behind) {
            ask.answer = Some(Leased { lease, size, content });
        }
    }

    pub(super) fn take_lease(&mut self, board: usize) -> Option<()> {
        let (any_lease, any_incarnation) =
            (self.is(LeasesMutant::LeaseOutlivesTaking), self.is(LeasesMutant::FormerIncarnation));
        let (any_page, joins) = (self.is(LeasesMutant::PageOfVoidLease), self.is(LeasesMutant::DirtyOfOtherLease));
        let cache = &mut self.caches[board];
        let ask = cache.ask?;
        let Leased { lease, size, content } = ask.answer?;
        cache.ask = None;
        if ask.incarnation != cache.incarnation && !any_incarnation {
            return Some(());
        }
        let good = lease > cache.ended || any_lease;
        if good {
            if cache.lease != lease && !joins {
                cache.lose_dirty();
            }
            if !cache.leased {
                cache.size = Some(size);
            }
            (cache.leased, cache.lease, cache.orphaned) = (true, lease, false);
        } else if cache.dirty == [false; PAGES] {
            cache.lease = lease;
        }
        // What came with a lease that stands is not old, whatever was called back before it was given.
        let kept = good || any_page || ask.generation == cache.since && !cache.orphaned;
        if let Some((page, content)) = ask.page.zip(content).filter(|(page, _)| kept && cache.pages[*page].is_none()) {
            cache.pages[page] = Some(content);
            cache.size = cache.size.or(Some(size));
        }
        Some(())
    }

    pub(super) fn write_leased(&mut self, board: usize, page: usize, grows: bool) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        if !self.caches[board].leased {
            return None;
        }
        self.write_there(board, page, grows);
        Some(())
    }

    /// What the board writes is the latest if its lease stands, whether it knows of the end of the session or not.
    pub(super) fn write_there(&mut self, board: usize, page: usize, grows: bool) {
        let cache = &mut self.caches[board];
        let stands =
            self.write_lease.is_some_and(|write_lease| (write_lease.board, write_lease.lease) == (board, cache.lease))
                || !cache.behind;
        let (content, size) = if stands {
            self.latest[page] += 1;
            self.latest_size += u8::from(grows);
            (self.latest[page], self.latest_size)
        } else {
            (NOBODYS, NOBODYS)
        };
        (cache.pages[page], cache.dirty[page], cache.sent[page]) = (Some(content), true, false);
        if grows {
            cache.size = Some(size);
        }
    }

    pub(super) fn take(&mut self) -> Option<()> {
        let write_lease = self.write_lease.filter(|_| self.change.is_none() && self.asking.is_none())?;
        if write_lease.unreachable && self.caches[write_lease.board].behind {
            return None;
        }
        let Some(taking) = self.taking else {
            self.taking = Some(Taking { from: 0, given: None });
            return Some(());
        };
        match taking.given? {
            LeaseReturn::Page(page, content, size) => {
                (self.content[page], self.size) = (content, self.size.max(size));
                self.sole[page] |= self.is(LeasesMutant::DirtyIsSole);
                self.taking = Some(Taking { from: page + 1, given: None });
            }
            LeaseReturn::Mode(mode) => {
                self.mode = mode;
                self.taking = Some(Taking { given: None, ..taking });
            }
            LeaseReturn::Nothing => (self.write_lease, self.taking) = (None, None),
        }
        Some(())
    }

    pub(super) fn give_back(&mut self) -> Option<()> {
        let (goes_on, clean_first) = (self.is(LeasesMutant::WritesWhileTaken), self.is(LeasesMutant::TakenInOneStep));
        let (joins, shows_on) = (self.is(LeasesMutant::DirtyOfOtherLease), self.is(LeasesMutant::MappedWhileFlushed));
        let pages_only = self.is(LeasesMutant::ModeStaysThere);
        let (taking, LeaseHolder { board, lease, .. }) =
            (self.taking.filter(|taking| taking.given.is_none())?, self.write_lease?);
        let cache = &mut self.caches[board];
        if cache.behind {
            return None;
        }
        if cache.lease != lease && !joins {
            cache.lose_dirty();
        }
        if cache.leased || cache.lease != lease {
            cache.renew();
        }
        (cache.leased, cache.ended) = (cache.leased && goes_on, cache.ended.max(lease));
        cache.dirty[..taking.from].fill(false);
        if let Some(mode) = cache.changed.take().filter(|_| !pages_only) {
            self.taking = Some(Taking { given: Some(LeaseReturn::Mode(mode)), ..taking });
            return Some(());
        }
        let first = (taking.from..PAGES).find(|&page| cache.dirty[page] && !clean_first);
        let given = first.and_then(|page| Some(LeaseReturn::Page(page, cache.pages[page]?, cache.size?)));
        match given {
            Some(LeaseReturn::Page(page, ..)) => cache.mapped[page] &= shows_on,
            _ => (cache.dirty, cache.orphaned) = ([false; PAGES], false),
        }
        self.taking = Some(Taking { given: Some(given.unwrap_or(LeaseReturn::Nothing)), ..taking });
        Some(())
    }

    /// The board has failed: its writes that were not flushed are lost.
    pub(super) fn lose_leased(&mut self, board: usize) {
        let Some(write_lease) = self.write_lease.as_mut().filter(|write_lease| write_lease.board == board) else {
            return;
        };
        write_lease.unreachable = false;
        (self.latest, self.latest_size) = (self.content, self.size);
        self.lose_mode();
        match &mut self.taking {
            Some(Taking { given: Some(LeaseReturn::Mode(mode)), .. }) => self.latest_mode = *mode,
            Some(Taking { given: Some(LeaseReturn::Page(page, content, size)), .. }) => {
                (self.latest[*page], self.latest_size) = (*content, self.size.max(*size));
            }
            Some(taking) => taking.given = Some(LeaseReturn::Nothing),
            None => {}
        }
        // A query may now return an older value.
        self.lower_floors();
    }

    /// The last writes are lost, so that no reader can see them.
    pub(super) fn lower_floors(&mut self) {
        let (latest, latest_size) = (self.latest, self.latest_size);
        for fill in self.caches.iter_mut().filter_map(|cache| cache.fill.as_mut()) {
            fill.floor = (fill.floor.0.min(latest[fill.page]), fill.floor.1.min(latest_size));
        }
    }
}
