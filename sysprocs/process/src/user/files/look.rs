//! Looking at several things, to wait for one of them if there is nothing.
//!
//! Invariant: who looked and found nothing has told the server of each thing, which wakes it once when it is to look
//! again. It waits at the clock of its board, which has the time limit too, so that a wait is one rendezvous, however
//! long. Not here: who wakes it (`renga_rt::Wakes`), what is looked at (`poll.rs`, `watches.rs`).

use crate::signals::SignalSet;
use crate::user::User;
use crate::user::escape::{Escape, restartable_unless_handled};
use crate::user::files::descriptors::Object;
use renga_hal::memory::UserMemory;
use renga_proto::clock::AwaitWake;
use renga_proto::console::PollTerminal;
use renga_proto::events::PollEvents;
use renga_proto::fifos::FifoEnds;
use renga_proto::pipe::{ERROR, HANG_UP, NOBODY, PipeEnd, PollPipe, Polled, READABLE, WRITABLE};
use renga_rt::{Errno, Retry};

/// What holds of what is lost.
pub(in crate::user) const LOST: u32 = READABLE | WRITABLE | ERROR | HANG_UP;
/// As edges: it will not happen again, and is more than what happened before.
const LAST_EDGE: u32 = u32::MAX;
/// Other names of what can be read and written (`POLLRDNORM`, `POLLWRNORM`).
const READABLE_TOO: u32 = 64;
const WRITABLE_TOO: u32 = 256;

/// One look at several things.
pub(in crate::user) struct Look {
    /// Who is to be woken if there is nothing.
    pub slot: u16,
    /// The boards that have been asked, a bit each.
    pub boards: u8,
    /// The signals that are waited for.
    pub signals: SignalSet,
}

impl Look {
    /// Something on `board` is looked at. A number that no board has is refused by whoever is called there.
    pub fn ask(&mut self, board: u8) {
        self.boards |= 1u8.checked_shl(board.into()).unwrap_or(0);
    }

    /// Who has found something will not wait, and is not to be woken.
    pub fn stop_if(&mut self, found: bool) {
        if found {
            self.slot = NOBODY;
        }
    }
}

impl<M: UserMemory + ?Sized> User<M> {
    /// Begins to look; if the time is `over`, not to wait.
    pub(in crate::user) fn begin_look(&self, over: bool) -> Look {
        Look { slot: if over { NOBODY } else { self.facts.slot }, boards: 0, signals: 0 }
    }

    /// Which of `events`, or of what is always told, hold for `object`, unless no more has happened than the `seen` edges.
    pub(in crate::user) async fn look_at(
        &mut self,
        object: Object,
        events: u32,
        seen: u32,
        look: &mut Look,
    ) -> Result<Polled, Errno> {
        let names = [(READABLE, READABLE_TOO), (WRITABLE, WRITABLE_TOO)];
        let asked = names.iter().fold(events, |all, (name, too)| all | if events & too != 0 { *name } else { 0 });
        let polled = self.poll_object(object, asked, seen, look).await?;
        let all = names.iter().fold(polled.events, |all, (name, too)| all | if all & name != 0 { *too } else { 0 });
        Ok(Polled { events: all & (events | ERROR | HANG_UP), ..polled })
    }

    async fn poll_object(&mut self, object: Object, events: u32, seen: u32, look: &mut Look) -> Result<Polled, Errno> {
        let slot = look.slot;
        let (events, edges) = match object {
            Object::Pipe { board, .. } | Object::Fifo { board, .. } => {
                look.ask(board);
                return self.poll_pipe(object, events, seen, slot).await;
            }
            Object::Events { board, number, generation, .. } => {
                look.ask(board);
                let poll = PollEvents { number, generation, events, slot, seen };
                return self.services.events(board)?.call_retrying(poll, ()).await;
            }
            Object::Console => {
                let mut console = self.services.console()?;
                look.ask(console.server().board.0);
                return console.call_retrying(PollTerminal { events, slot, seen }, ()).await;
            }
            Object::Signals { mask, .. } => {
                look.signals |= mask;
                self.listen_for(look.signals).await;
                let waiting = self.waiting_of(mask).await?;
                // As good as a count: which of them wait.
                (if waiting != 0 { READABLE } else { 0 }, (waiting ^ waiting >> 32) as u32 | 1 << 31)
            }
            Object::Lost { .. } => (LOST, LAST_EDGE),
            _ => (READABLE | WRITABLE, 1),
        };
        Ok(Polled { events: if seen == edges { 0 } else { events }, edges })
    }

    async fn poll_pipe(&mut self, object: Object, events: u32, seen: u32, slot: u16) -> Result<Polled, Errno> {
        let (board, number, generation, ends, partners) = match object {
            Object::Pipe { board, number, generation, end: PipeEnd::Reader, partners } => {
                (board, number, generation, FifoEnds::Reader, partners)
            }
            Object::Pipe { board, number, generation, end: PipeEnd::Writer, .. } => {
                (board, number, generation, FifoEnds::Writer, 0)
            }
            Object::Fifo { board, number, generation } => (board, number, generation, FifoEnds::Both, 0),
            _ => return Err(Errno::EINVAL),
        };
        let poll = PollPipe { generation, ends, events, slot, seen, partners };
        self.services.pipe(board, number)?.call_retrying(poll, ()).await
    }

    /// Waits until what was looked at is to be looked at again. A signal that ends the wait has it made again, to end at
    /// the same time.
    pub(in crate::user) async fn await_look(&mut self, look: &Look, until_ns: Option<u64>) -> Result<(), Escape> {
        if self.look_at_signals || self.me.wait_cancelled() {
            self.program.deadline_ns = until_ns;
            return Err(Escape::RestartUnlessHandled);
        }
        let wait = AwaitWake { slot: self.facts.slot, until_ns: until_ns.unwrap_or(u64::MAX), boards: look.boards };
        let waited = self.services.clients.clock.call(wait, ()).await;
        if waited == Err(Errno::EINTR) {
            if look.signals != 0 && self.waiting_of(look.signals).await? != 0 {
                return Ok(());
            }
            self.program.deadline_ns = until_ns;
        }
        restartable_unless_handled(waited)
    }
}
