//! The callers of other boards, and the places where their calls are kept while proxies make them.
//!
//! Invariant: the processes of a kind of another board have as many places as proxies, one each; the shared ones come
//! first, then those of its own that each caller has for entries that may wait. A board that keeps to the placement
//! finds a free place for each call that it sends; for one that does not there is no more room than for one that does.

use crate::incoming::{InCall, Stage};
use crate::router::RouterMemory;
use renga_rt::account::AccountNumber;

/// The processes of one kind of another board that call here.
#[derive(Clone, Copy, Debug)]
pub struct Remotes {
    /// Their board.
    pub board: u8,
    /// The first and the last, by index.
    pub callers: (u16, u16),
    /// Whether they are the slots of programs, and so have accounts.
    pub slots: bool,
    /// Whether what they call for a program is to wait for that program's share: they hold nothing that other programs
    /// need.
    pub patient: bool,
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

impl Remotes {
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
}

/// Callers of one kind with their places.
pub(crate) struct Seats {
    pub(crate) of: Remotes,
    /// Their first place.
    pub(crate) first: usize,
}

impl Seats {
    fn own(&self, caller: u16) -> Option<usize> {
        self.of.own.then(|| self.first + usize::from(self.of.shared) + usize::from(caller - self.of.callers.0))
    }
    fn shared(&self) -> core::ops::Range<usize> {
        self.first..self.first + usize::from(self.of.shared)
    }
    fn is_busy(&self, calls: &[InCall], place: usize, caller: u16) -> bool {
        calls[place].caller == caller && calls[place].stage != Stage::Fresh
    }
}

impl RouterMemory {
    /// The kind of callers that `caller` of `board` belongs to.
    pub(crate) fn seats(&self, board: u8, caller: u16) -> Option<&'static Seats> {
        let holds =
            |seats: &&Seats| seats.of.board == board && (seats.of.callers.0..=seats.of.callers.1).contains(&caller);
        if let Some(seats) = self.seats.get(usize::from(self.seats_hint.get())).filter(holds) {
            return Some(seats);
        }
        let behind = self.seats.partition_point(|seats| (seats.of.board, seats.of.callers.0) <= (board, caller));
        let at = behind.checked_sub(1)?;
        let seats = Some(&self.seats[at]).filter(holds)?;
        self.seats_hint.set(at as u16);
        Some(seats)
    }

    /// The place for a new call of `caller`, whose kind is `seats`, to entry `op` of `server`; none if it has a call
    /// under way already or its board too many.
    pub(crate) fn free_place(&self, seats: &Seats, caller: u16, (server, op): (u16, u8)) -> Option<usize> {
        let is_free = |place: &usize| self.in_calls[*place].stage == Stage::Fresh;
        if self.may_wait(server, op) {
            return seats.own(caller).filter(is_free);
        }
        let mut free = None;
        for (place, call) in self.in_calls[seats.shared()].iter().enumerate() {
            match call.stage {
                Stage::Fresh if free.is_none() => free = Some(seats.first + place),
                Stage::Fresh => {}
                _ if call.caller == caller => return None,
                _ => {}
            }
        }
        free
    }

    /// The place of the call of `caller` that is under way.
    pub(crate) fn busy_place(&self, board: u8, caller: u16) -> Option<usize> {
        let seats = self.seats(board, caller)?;
        let mut places = seats.own(caller).into_iter().chain(seats.shared());
        places.find(|place| seats.is_busy(self.in_calls, *place, caller))
    }

    fn may_wait(&self, server: u16, op: u8) -> bool {
        let holds = |served: &&Served| (served.servers.0..=served.servers.1).contains(&server);
        let waits = |served: &Served| served.may_wait >> op & 1 != 0;
        if let Some(served) = self.served.get(usize::from(self.served_hint.get())).filter(holds) {
            return waits(served);
        }
        let behind = self.served.partition_point(|served| served.servers.0 <= server);
        let Some(at) = behind.checked_sub(1) else { return false };
        self.served_hint.set(at as u16);
        Some(&self.served[at]).filter(holds).is_some_and(waits)
    }
}
