//! The callers of other boards, and the places of their calls while proxies make them.
//!
//! Invariant: the callers of a kind have as many places as proxies: first the shared ones, then one per caller for
//! entries that may wait. A board that keeps to the placement finds a free place for each call; another board gets no
//! more places.

use crate::calls::in_call::{CallStage, InCall};
use renga_rt::WordCounts;
use renga_rt::account::AccountNumber;

/// The processes of one kind of another board that call here.
#[derive(Clone, Copy, Debug)]
pub struct RemoteCallers {
    /// Their board.
    pub board: u8,
    /// The first and the last, by index.
    pub callers: (u16, u16),
    /// Whether they are the slots of programs, and so have accounts.
    pub slots: bool,
    /// Whether a call on behalf of a program waits for that program's share: these callers keep nothing that other
    /// programs need.
    pub patient: bool,
    /// Whether their long messages go in the background.
    pub background: bool,
    /// The row of what they may call in the permits.
    pub permits: u16,
    /// How many proxies they share here.
    pub shared: u16,
    /// Whether each has one of its own besides.
    pub own: bool,
    /// Pages of the slices of a call that a shared proxy makes.
    pub shared_pages: u8,
    /// Pages of the slices of a call that another makes.
    pub own_pages: u8,
}

impl RemoteCallers {
    /// How many proxies they have.
    pub(crate) fn proxies(&self) -> usize {
        usize::from(self.shared) + if self.own { usize::from(self.callers.1 - self.callers.0) + 1 } else { 0 }
    }
    /// The account of `caller`, if it is the slot of a program.
    pub(crate) fn account(&self, caller: u16) -> AccountNumber {
        match self.slots {
            true => AccountNumber::of_slot(self.board, caller - self.callers.0),
            false => AccountNumber::SYSTEM,
        }
    }
}

/// Servers of one kind of this board.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// The first and the last, by index.
    pub servers: (u16, u16),
    /// Entries of theirs whose reply may wait for another client.
    pub may_wait: u32,
    /// Entries of theirs that travel in paired form.
    pub paired: u32,
    /// How many words the replies have, by entry.
    pub word_counts: &'static WordCounts,
}

/// Callers of one kind with their places.
pub(crate) struct CallerSlots {
    pub(crate) of: RemoteCallers,
    pub(crate) first: usize,
}

impl CallerSlots {
    pub(crate) fn own(&self, caller: u16) -> Option<usize> {
        self.of.own.then(|| self.first + usize::from(self.of.shared) + usize::from(caller - self.of.callers.0))
    }
    pub(crate) fn shared(&self) -> core::ops::Range<usize> {
        self.first..self.first + usize::from(self.of.shared)
    }
    pub(crate) fn is_busy(&self, calls: &[InCall], place: usize, caller: u16) -> bool {
        calls[place].caller == caller && calls[place].stage != CallStage::Fresh
    }
}
