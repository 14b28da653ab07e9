//! Mode, owner and times, as one number: set at the inode's process, or by the board with the lease, which the process
//! queries before it reports or sets it.
//!
//! Invariant: while the inode's process waits for the holder it does nothing else; it applies its own setting when the
//! holder answers:
//! later settings of the holder come later. Not here: the report when a file is flushed (`write_lease.rs`); sessions
//! that end between.

use super::LeasesMutant;
use super::world::LeasesWorld;

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
        let unasked = self.is(if sets { LeasesMutant::SetWithoutQuery } else { LeasesMutant::GetWithoutQuery });
        if self.write_lease.is_none() || unasked {
            self.answer_mode(None);
        }
        Some(())
    }

    pub(super) fn report_mode(&mut self) -> Option<()> {
        let keeps = self.is(LeasesMutant::ModeReportedTwice);
        self.asking.filter(|asking| asking.reply.is_none())?;
        let cache = &mut self.caches[self.write_lease?.board];
        if cache.behind {
            return None;
        }
        let changed = cache.changed;
        cache.changed = changed.filter(|_| keeps);
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

    pub(super) fn set_held(&mut self, board: usize) -> Option<()> {
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
