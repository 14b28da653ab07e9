//! Pushes: a board with the lease sends what it has written, and writes on.
//!
//! Invariant: of a file a board has one push under way. Not here: flushes (`write_lease.rs`), commits.

use super::LeasesMutant;
use super::world::{LeasesWorld, Push};
use super::write_lease::LeaseHolder;

impl LeasesWorld {
    pub(super) fn begin_push(&mut self, board: usize, page: Option<usize>) -> Option<()> {
        self.left.pushes = self.left.pushes.checked_sub(1)?;
        let (shows_on, several) = (self.is(LeasesMutant::MappedWhilePushed), self.is(LeasesMutant::TwoPushes));
        let cache = &mut self.caches[board];
        let free = cache.pushes.iter().position(Option::is_none).filter(|place| *place == 0 || several)?;
        let is_dirty = page.is_none_or(|page| cache.dirty[page]);
        if !cache.leased || cache.behind || !is_dirty || page.is_none() && cache.changed.is_none() {
            return None;
        }
        let (lease, incarnation, mode) = (cache.lease, cache.incarnation, cache.changed);
        let page = match page {
            Some(page) => {
                cache.sent[page] = true;
                cache.mapped[page] &= shows_on;
                Some((page, cache.pages[page]?, cache.size?))
            }
            None => None,
        };
        cache.pushes[free] = Some(Push { lease, incarnation, page, mode, answer: None });
        Some(())
    }

    /// The inode's process accepts it, or not.
    pub(super) fn accept_push(&mut self, board: usize, place: usize) -> Option<()> {
        let (any_lease, closed) = (self.is(LeasesMutant::PushOfOverLease), self.is(LeasesMutant::PushWhileFlushed));
        let cache = &self.caches[board];
        let mut push = cache.pushes[place].filter(|push| push.answer.is_none() && !cache.behind)?;
        let former = push.incarnation != cache.incarnation && !self.is(LeasesMutant::PushOfFormerSession);
        if self.change.is_some() || self.asking.is_some() {
            return None;
        }
        let is_of = |holder: LeaseHolder| (holder.board, holder.lease) == (board, push.lease) && !holder.unreachable;
        let stands = self.write_lease.is_some_and(is_of) && (self.taking.is_none() || closed) && !former;
        let accepted = stands || any_lease;
        if accepted {
            if let Some((page, content, size)) = push.page {
                (self.content[page], self.size) = (content, self.size.max(size));
            }
            self.mode = push.mode.unwrap_or(self.mode);
        }
        push.answer = Some(accepted);
        self.caches[board].pushes[place] = Some(push);
        Some(())
    }

    /// The answer arrives.
    pub(super) fn end_push(&mut self, board: usize, place: usize) -> Option<()> {
        let (any_version, refused) = (self.is(LeasesMutant::RewrittenIsClean), self.is(LeasesMutant::RefusedIsClean));
        let forgets = self.is(LeasesMutant::ModeGoneAfterPush);
        let cache = &mut self.caches[board];
        let Push { lease, incarnation, page, mode, answer } = cache.pushes[place]?;
        let accepted = answer? || refused;
        cache.pushes[place] = None;
        if !accepted || !cache.leased || (cache.lease, cache.incarnation) != (lease, incarnation) {
            return Some(());
        }
        if let Some((page, ..)) = page.filter(|(page, ..)| cache.sent[*page] || any_version) {
            cache.dirty[page] = false;
        }
        // What was granted under the lease is completed by the mode until the lease ends.
        if forgets && cache.changed == mode {
            cache.changed = None;
        }
        Some(())
    }
}
