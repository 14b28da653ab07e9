//! Waiting for one of several descriptors.
//!
//! Invariant: who waits has told the server of each, which wakes it once when something begins to hold: then it looks at
//! all again. It waits at the clock of its board, which has the time limit too, so that a wait is one rendezvous, however
//! long. Not here: who wakes it (`renga_rt::Wakes`).

use crate::user::User;
use crate::user::escape::{Escape, Outcome, restartable_unless_handled};
use crate::user::facts::limits::NOFILE;
use crate::user::files::descriptors::{DESCRIPTORS_MAX, Descriptor, Object};
use renga_hal::memory::UserMemory;
use renga_proto::clock::AwaitWake;
use renga_proto::console::PollTerminal;
use renga_proto::events::PollEvents;
use renga_proto::fifos::FifoEnds;
use renga_proto::pipe::{ERROR, HANG_UP, NOBODY, PipeEnd, PollPipe, Polled, READABLE, WRITABLE};
use renga_proto::procs::PendingSignals;
use renga_rt::Errno;

/// Bytes of `struct pollfd`.
const ENTRY_BYTES: usize = 8;
/// Poll: no such descriptor.
const INVALID: u32 = 32;
/// Descriptors that `select` can name here, in bytes of its sets.
const SET_BYTES: usize = DESCRIPTORS_MAX / 8;

/// Descriptors that one call can wait for: all that a program can have. More: `ENOMEM`.
const POLLED_MAX: usize = DESCRIPTORS_MAX;

/// A `struct pollfd`. Each slot has room for as many as a program has descriptors, so it is packed.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// Those that are none, as the nearest that is none either.
    number: i16,
    events: u16,
    found: u16,
}
const _: () = assert!(DESCRIPTORS_MAX < i16::MAX as usize);

/// `number`, if it could be a descriptor's.
fn packed(number: i32) -> i16 {
    number.clamp(-1, i16::MAX.into()) as i16
}

/// What is waited for.
struct Wanted {
    entries: [Entry; POLLED_MAX],
    count: usize,
}

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn poll(&mut self) -> Outcome {
        let (place, count, time, mask) = (self.argument(0), self.argument(1), self.argument(2), self.argument(3));
        if count > self.program.limits.soft(NOFILE) {
            return Err(Errno::EINVAL.into());
        }
        if count > POLLED_MAX as u64 {
            return Err(Errno::ENOMEM.into());
        }
        let count = count as usize;
        let mut wanted = Wanted { entries: [Entry::default(); POLLED_MAX], count };
        for index in 0..count {
            let mut bytes = [0; ENTRY_BYTES];
            self.get(place.wrapping_add((index * ENTRY_BYTES) as u64), &mut bytes).await?;
            let [n0, n1, n2, n3, e0, e1, ..] = bytes;
            let number = i32::from_le_bytes([n0, n1, n2, n3]);
            let events = u16::from_le_bytes([e0, e1]);
            wanted.entries[index] = Entry { number: packed(number), events, found: 0 };
        }
        let until_ns = self.time_limit(time).await?;
        self.begin_mask(mask).await?;
        let ready = self.await_any_masked(&mut wanted, until_ns).await?;
        for (index, entry) in wanted.entries[..count].iter().enumerate() {
            let at = place.wrapping_add((index * ENTRY_BYTES + 6) as u64);
            self.put(at, &entry.found.to_le_bytes()).await?;
        }
        Ok(ready)
    }

    pub(in crate::user) async fn select(&mut self) -> Outcome {
        let (count, time, mask) = (self.int(0), self.argument(4), self.argument(5));
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(DESCRIPTORS_MAX);
        let bytes = count.div_ceil(64) * 8;
        let mut sets = [[0u8; SET_BYTES]; 3];
        for (index, set) in sets.iter_mut().enumerate() {
            if self.argument(1 + index) != 0 {
                self.get(self.argument(1 + index), &mut set[..bytes]).await?;
            }
        }
        let mut wanted = Wanted { entries: [Entry::default(); POLLED_MAX], count: 0 };
        for number in 0..count {
            let asked = |set: usize| sets[set][number / 8] >> (number % 8) & 1 != 0;
            let events = if asked(0) { READABLE } else { 0 } | if asked(1) { WRITABLE } else { 0 };
            if events != 0 || asked(2) {
                self.program.files.get(number as u64)?;
                let place = wanted.entries.get_mut(wanted.count).ok_or(Errno::ENOMEM)?;
                *place = Entry { number: packed(number as i32), events: events as u16, found: 0 };
                wanted.count += 1;
            }
        }
        let until_ns = self.time_limit(time).await?;
        let mask = if mask == 0 { 0 } else { self.get_word(mask).await? };
        self.begin_mask(mask).await?;
        self.await_any_masked(&mut wanted, until_ns).await?;
        let mut found = [[0u8; SET_BYTES]; 3];
        let mut ready = 0;
        for entry in &wanted.entries[..wanted.count] {
            let (events, found_events) = (u32::from(entry.events), u32::from(entry.found));
            let readable = events & READABLE != 0 && found_events & (READABLE | HANG_UP | ERROR) != 0;
            let writable = events & WRITABLE != 0 && found_events & (WRITABLE | ERROR) != 0;
            for (set, holds) in [(0, readable), (1, writable)] {
                if holds {
                    found[set][entry.number as usize / 8] |= 1 << (entry.number % 8);
                    ready += 1;
                }
            }
        }
        for (index, set) in found.iter().enumerate() {
            if self.argument(1 + index) != 0 {
                self.put(self.argument(1 + index), &set[..bytes]).await?;
            }
        }
        Ok(ready)
    }

    /// When a wait ends whose `struct timespec` is at `time`; 0: never.
    async fn time_limit(&mut self, time: u64) -> Result<Option<u64>, Errno> {
        if time == 0 {
            return Ok(None);
        }
        let ns = self.get_time(time).await?;
        let limit = self.me.now_ns().saturating_add(ns);
        Ok(Some(self.program.deadline_ns.take().unwrap_or(limit)))
    }

    /// Blocks the set at `mask` (0: no change) until `end_mask`, or until a handler has run.
    pub(in crate::user) async fn begin_mask(&mut self, mask: u64) -> Result<(), Errno> {
        if mask != 0 {
            let set = self.get_word(mask).await?;
            self.program.saved_mask = Some(self.program.blocked);
            self.set_blocked(set).await;
            if self.look_at_signals {
                // Else every turn of a call that is made again would look, and never come to wait.
                let (pid, blocked) = (self.program.pid, self.program.blocked);
                let pending = self.services.clients.procs.call(PendingSignals { pid }, ()).await?;
                self.look_at_signals = pending & !blocked != 0;
            }
        }
        Ok(())
    }

    /// Goes back to the mask of before `begin_mask`.
    pub(in crate::user) async fn end_mask(&mut self) {
        if let Some(mask) = self.program.saved_mask.take() {
            self.set_blocked(mask).await;
        }
    }

    /// As `await_any`, and ends the mask that `begin_mask` began, unless a signal is to be served first.
    async fn await_any_masked(&mut self, wanted: &mut Wanted, until_ns: Option<u64>) -> Outcome {
        let outcome = self.await_any(wanted, until_ns).await;
        if matches!(outcome, Ok(_) | Err(Escape::Fail(_))) {
            self.end_mask().await;
        }
        outcome
    }

    /// Waits until at least one entry has something; how many have.
    async fn await_any(&mut self, wanted: &mut Wanted, until_ns: Option<u64>) -> Outcome {
        // Each turn waits for a wake or the time.
        loop {
            let (mut ready, mut boards, mut signals) = (0, 0, 0);
            let over = until_ns.is_some_and(|until_ns| until_ns <= self.me.now_ns());
            for index in 0..wanted.count {
                let Entry { number, events, .. } = wanted.entries[index];
                if let Ok(&Descriptor { object: Object::Signals { mask }, .. }) = self.program.files.get(number as u64)
                {
                    signals |= mask;
                    self.listen_for(signals).await;
                }
                // Who will not wait is not to be woken.
                let slot = if over || ready > 0 { NOBODY } else { self.facts.slot };
                let found = if number < 0 {
                    0
                } else {
                    self.ready_events(number as u64, events.into(), slot, &mut boards).await?
                };
                wanted.entries[index].found = found as u16;
                ready += u64::from(found != 0);
            }
            if ready > 0 || over {
                return Ok(ready);
            }
            if self.look_at_signals || self.me.interrupted() {
                self.program.deadline_ns = until_ns;
                return Err(Escape::RestartUnlessHandled);
            }
            let wait = AwaitWake { slot: self.facts.slot, until_ns: until_ns.unwrap_or(u64::MAX), boards };
            let waited = self.services.clients.clock.call(wait, ()).await;
            if waited == Err(Errno::EINTR) {
                if signals != 0 && self.waiting_of(signals).await? != 0 {
                    continue;
                }
                self.program.deadline_ns = until_ns;
            }
            restartable_unless_handled(waited)?;
        }
    }

    /// Asks a pipe.
    async fn poll_pipe(&mut self, object: Object, events: u32, slot: u16, boards: &mut u8) -> Result<Polled, Errno> {
        let (board, number, life, ends, partners) = match object {
            Object::Pipe { board, number, life, end: PipeEnd::Reader, partners } => {
                (board, number, life, FifoEnds::Reader, partners)
            }
            Object::Pipe { board, number, life, end: PipeEnd::Writer, .. } => {
                (board, number, life, FifoEnds::Writer, 0)
            }
            Object::Fifo { board, number, life } => (board, number, life, FifoEnds::Both, 0),
            _ => return Err(Errno::EINVAL),
        };
        *boards |= 1 << board;
        let poll = PollPipe { life, ends, events, slot, seen: 0, partners };
        self.services.pipe(board, number)?.call(poll, ()).await
    }

    /// Which of `events`, or of what is always told, hold for a descriptor. If none does, its server wakes `slot` when one
    /// does; the server's board is added to `boards`.
    async fn ready_events(&mut self, number: u64, events: u32, slot: u16, boards: &mut u8) -> Result<u32, Errno> {
        let Ok(descriptor) = self.program.files.get(number) else { return Ok(INVALID) };
        let now = match descriptor.object {
            Object::Pipe { .. } | Object::Fifo { .. } => {
                let polled = self.poll_pipe(descriptor.object, events, slot, boards).await;
                // Whoever reads or writes now learns that it is lost.
                polled.map_or(READABLE | WRITABLE | ERROR | HANG_UP, |polled| polled.events)
            }
            Object::Events { board, number, life, .. } => {
                *boards |= 1 << board;
                let poll = PollEvents { number, life, events, slot, seen: 0 };
                let polled = self.services.events(board)?.call(poll, ()).await;
                polled.map_or(READABLE | WRITABLE | ERROR | HANG_UP, |polled| polled.events)
            }
            Object::Lost { .. } => READABLE | WRITABLE | ERROR | HANG_UP,
            Object::Console => {
                let mut console = self.services.console()?;
                *boards |= 1 << console.server().board.0;
                console.call(PollTerminal { events, slot, seen: 0 }, ()).await?.events
            }
            Object::Signals { mask } => {
                if self.waiting_of(mask).await? != 0 {
                    READABLE
                } else {
                    0
                }
            }
            _ => READABLE | WRITABLE,
        };
        Ok(now & (events | ERROR | HANG_UP))
    }
}
