//! One round of polling: checks several objects, and waits for one of them if none is ready.
//!
//! Invariant: a round that finds no event has registered with the server of each object, which wakes it once for the
//! next round. It waits at the clock of its board, which has the time limit too, so that a wait is one rendezvous,
//! however long. Not here: waking (`renga_rt::Wakes`), the objects (`poll.rs`, `watches.rs`).

use crate::signals::SignalSet;
use crate::user::slot::{User, leaving};
use crate::user::state::{EventSort, Object, SyscallEscape, restartable_as};
use renga_hal::memory::UserMemory;
use renga_proto::clock::AwaitWake;
use renga_proto::pipe::{ERROR, HANG_UP, NO_PROGRAM, Polled, READABLE, WRITABLE};
use renga_rt::Errno;

/// Other names of what can be read and written (`POLLRDNORM`, `POLLWRNORM`).
const READABLE_TOO: u32 = 64;
const WRITABLE_TOO: u32 = 256;

/// One round over several objects.
pub(crate) struct PollRound {
    /// The slot to wake if there is nothing.
    pub slot: u16,
    /// The polled boards, a bit each.
    pub boards: u8,
    /// The signals that are waited for.
    pub signals: SignalSet,
}

impl PollRound {
    /// An object on `board` is polled. The call there refuses a number that no board has.
    pub fn add_board(&mut self, board: u8) {
        self.boards |= 1u8.checked_shl(board.into()).unwrap_or(0);
    }

    /// A round that has found an event does not wait: later servers need not wake it.
    pub fn stop_if(&mut self, found: bool) {
        if found {
            self.slot = NO_PROGRAM;
        }
    }
}

impl<M: UserMemory> User<M> {
    /// Begins to round; if the time is `over`, not to wait.
    pub(crate) fn begin_poll_round(&self, over: bool) -> PollRound {
        PollRound { slot: if over { NO_PROGRAM } else { self.facts.slot }, boards: 0, signals: 0 }
    }

    /// Those of `events`, or of the always reported ones, that are true for `object`, unless the edge count is still
    /// `seen`.
    pub(crate) async fn poll_descriptor(
        &mut self,
        object: Object,
        events: u32,
        seen: u32,
        round: &mut PollRound,
    ) -> Result<Polled, Errno> {
        let names = [(READABLE, READABLE_TOO), (WRITABLE, WRITABLE_TOO)];
        let wanted = names.iter().fold(events, |all, (name, too)| all | if events & too != 0 { *name } else { 0 });
        let polled = self.poll_object(object, wanted, seen, round).await?;
        let all = names.iter().fold(polled.events, |all, (name, too)| all | if all & name != 0 { *too } else { 0 });
        Ok(Polled { events: all & (events | ERROR | HANG_UP), ..polled })
    }

    async fn poll_object(
        &mut self,
        object: Object,
        events: u32,
        seen: u32,
        round: &mut PollRound,
    ) -> Result<Polled, Errno> {
        if let Object::Signals { mask, .. } = object {
            round.signals |= mask;
            self.report_ignored(round.signals).await;
            let waiting = self.waiting_of(mask).await?;
            // As good as a count: which of them wait.
            let (events, edges) = (if waiting != 0 { READABLE } else { 0 }, (waiting ^ waiting >> 32) as u32 | 1 << 31);
            return Ok(Polled { events: if seen == edges { 0 } else { events }, edges });
        }
        if let Some(board) = self.services.polled_board(object)? {
            round.add_board(board);
        }
        let polled = self.services.poll(object, events, seen, round.slot).await?;
        match object {
            // Notices whose names are gone by now are none to read.
            Object::Events { at, sort: EventSort::Notices } if polled.events != 0 && self.name_notices(at).await? => {
                self.services.poll(object, events, seen, round.slot).await
            }
            _ => Ok(polled),
        }
    }

    /// Waits until the next round is due. A signal that ends the wait has it made again, to end at
    /// the same time.
    pub(crate) async fn await_poll_round(
        &mut self,
        round: &PollRound,
        until_ns: Option<u64>,
    ) -> Result<(), SyscallEscape> {
        if self.check_signals || self.me.wait_cancelled() {
            self.thread.deadline_ns = until_ns;
            return Err(SyscallEscape::RestartUnlessHandled);
        }
        let wait = AwaitWake { slot: self.facts.slot, until_ns: until_ns.unwrap_or(u64::MAX), boards: round.boards };
        let waited = leaving!(self, self.services.clients.clock.call(wait, ()));
        if waited == Err(Errno::EINTR) {
            if round.signals != 0 && self.waiting_of(round.signals).await? != 0 {
                return Ok(());
            }
            self.thread.deadline_ns = until_ns;
        }
        restartable_as(SyscallEscape::RestartUnlessHandled, waited)
    }
}
