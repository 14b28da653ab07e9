//! Mode, owner and times, as one number: set at the inode's process when no board has the lease, or by the board with
//! the lease, which the process queries before it reports it. That board completes the status that it caches by what it
//! has set under the lease.
//!
//! Invariant: while the inode's process waits for the holder it does nothing else. A cached status is never revoked
//! here. Not here: the report when a file is flushed (`write_lease.rs`); sessions that end between.

use super::LeasesMutant;
use super::world::{BoardCache, LeasesWorld};

/// What the inode's process asks the holder for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Asking {
    sets: bool,
    /// The value at the time of the query.
    floor: u8,
    /// The value to report, and the one to set after that, when the board has answered.
    reply: Option<(Option<u8>, Option<u8>)>,
}

impl LeasesWorld {
    pub(super) fn ask_mode(&mut self, sets: bool) -> Option<()> {
        let left = if sets { &mut self.left.sets } else { &mut self.left.gets };
        *left = left.checked_sub(1)?;
        if self.asking.is_some() || self.taking.is_some() || self.change.is_some() {
            return None;
        }
        self.asking = Some(Asking { sets, floor: self.latest_mode, reply: None });
        let unasked = self.is(if sets { LeasesMutant::SetWhileLeased } else { LeasesMutant::GetWithoutQuery });
        if sets && self.write_lease.is_some() && !unasked {
            return None; // it is flushed first
        }
        if self.write_lease.is_none() || unasked {
            self.answer_mode(None);
        }
        Some(())
    }

    pub(super) fn report_mode(&mut self) -> Option<()> {
        let forgets = self.is(LeasesMutant::ModeForgottenAtQuery);
        self.asking.filter(|asking| asking.reply.is_none())?;
        let cache = &mut self.caches[self.write_lease?.board];
        if cache.behind {
            return None;
        }
        let changed = cache.changed;
        cache.changed = changed.filter(|_| !forgets);
        self.answer_mode(changed);
        Some(())
    }

    fn answer_mode(&mut self, changed: Option<u8>) {
        let Some(asking) = &mut self.asking else { return };
        self.latest_mode += u8::from(asking.sets);
        asking.reply = Some((changed, asking.sets.then_some(self.latest_mode)));
    }

    pub(super) fn end_mode(&mut self) -> Option<()> {
        let Asking { floor, reply, .. } = self.asking?;
        let (changed, set) = reply?;
        self.asking = None;
        let was = changed.unwrap_or(self.mode);
        self.old_read |= was < floor;
        self.mode = set.unwrap_or(was);
        Some(())
    }

    /// The board with the lease gets the status as the inode's process has it.
    pub(super) fn grant_status(&mut self, board: usize) -> Option<()> {
        let lease = self.write_lease.filter(|lease| lease.board == board && !lease.unreachable)?.lease;
        let busy = self.asking.is_some() || self.taking.is_some() || self.change.is_some();
        // It matters only if the mode is set.
        if busy || self.caches[board].behind || self.latest_mode == 0 && self.left.sets == 0 {
            return None;
        }
        self.caches[board].status = Some((self.mode, lease));
        Some(())
    }

    /// Whether a board that knows of no end of its session would report another mode than the latest.
    pub(super) fn completes_old(&self) -> bool {
        let any_lease = self.is(LeasesMutant::CompletedAfterLease);
        let completed = |cache: &BoardCache| {
            let (mode, lease) = cache.status.filter(|_| !cache.behind)?;
            let stands = cache.leased && cache.lease == lease || any_lease;
            stands.then(|| cache.changed.unwrap_or(mode))
        };
        self.caches.iter().filter_map(completed).any(|mode| mode != self.latest_mode)
    }

    pub(super) fn set_leased(&mut self, board: usize) -> Option<()> {
        self.left.sets = self.left.sets.checked_sub(1)?;
        let cache = &mut self.caches[board];
        if !cache.leased || cache.behind {
            return None;
        }
        self.latest_mode += 1;
        cache.changed = Some(self.latest_mode);
        Some(())
    }

    /// The board with the lease has failed: its unreported settings are lost.
    pub(super) fn lose_mode(&mut self) {
        self.latest_mode = self.mode;
        let Some(asking) = self.asking else { return };
        match asking.reply {
            Some((changed, set)) => self.latest_mode = set.or(changed).unwrap_or(self.mode),
            None => {
                self.answer_mode(None);
            }
        }
        let before = asking.reply.and_then(|(changed, _)| changed).unwrap_or(self.mode);
        self.asking.iter_mut().for_each(|asking| asking.floor = asking.floor.min(before));
    }
}
