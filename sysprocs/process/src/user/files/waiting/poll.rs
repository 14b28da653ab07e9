//! Waiting for one of several descriptors.
//!
//! Invariant: a poll that finds no event has registered with each server (`poll_round.rs`), and waits. Not here: sets
//! of what is waited for (`watches.rs`).

use crate::user::files::waiting::poll_round::PollRound;
use crate::user::servers::object_calls::LOST;
use crate::user::slot::User;
use crate::user::state::limits::NOFILE;
use crate::user::state::{DESCRIPTORS_MAX, FileDescriptor, Object, SyscallEscape, SyscallResult};
use heapless::Vec;
use renga_hal::memory::UserMemory;
use renga_proto::pipe::{ERROR, HANG_UP, READABLE, WRITABLE};
use renga_rt::{Errno, apart};

/// Bytes of `struct pollfd`, and where its events that were found are.
const ENTRY_BYTES: u64 = 8;
const FOUND_AT: u64 = 6;
/// Poll: no such descriptor.
const INVALID: u32 = 32;
/// Descriptors that `select` can name here, in bytes of its sets.
const SET_BYTES: usize = DESCRIPTORS_MAX / 8;

/// Descriptors that one call can wait for: all that a program can have. More: `ENOMEM`.
const POLLED_MAX: usize = DESCRIPTORS_MAX;

/// A `struct pollfd`. Each slot has room for as many as a program has descriptors, so it is packed.
#[derive(Clone, Copy)]
struct PollEntry {
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
type PollSet = Vec<PollEntry, POLLED_MAX>;

impl<M: UserMemory> User<M> {
    pub(crate) async fn poll(&mut self) -> SyscallResult {
        let (place, count, time, mask) = (self.argument(0), self.argument(1), self.argument(2), self.argument(3));
        if count > self.program.limits.soft(NOFILE) {
            return Err(Errno::EINVAL.into());
        }
        if count > POLLED_MAX as u64 {
            return Err(Errno::ENOMEM.into());
        }
        let mut wanted = PollSet::new();
        for index in 0..count {
            let entry = self.get_word(place.wrapping_add(index * ENTRY_BYTES)).await?;
            let entry = PollEntry { number: packed(entry as i32), events: (entry >> 32) as u16, found: 0 };
            wanted.push(entry).map_err(|_| Errno::ENOMEM)?;
        }
        let until_ns = self.time_limit(time).await?;
        self.set_call_mask(mask).await?;
        let ready = self.await_any_masked(&mut wanted, until_ns).await?;
        for (index, entry) in (0..).zip(&wanted) {
            let at = place.wrapping_add(index * ENTRY_BYTES + FOUND_AT);
            self.put(at, &entry.found.to_le_bytes()).await?;
        }
        Ok(ready)
    }

    pub(crate) async fn select(&mut self) -> SyscallResult {
        let (count, time, mask) = (self.int(0), self.argument(4), self.argument(5));
        let count = usize::try_from(count as i32).map_err(|_| Errno::EINVAL)?.min(DESCRIPTORS_MAX);
        let bytes = count.div_ceil(64) * 8;
        let mut sets = [[0u8; SET_BYTES]; 3];
        for (index, set) in sets.iter_mut().enumerate() {
            if self.argument(1 + index) != 0 {
                self.get(self.argument(1 + index), &mut set[..bytes]).await?;
            }
        }
        let mut wanted = PollSet::new();
        for number in 0..count {
            let in_set = |set: usize| sets[set][number / 8] >> (number % 8) & 1 != 0;
            let events = if in_set(0) { READABLE } else { 0 } | if in_set(1) { WRITABLE } else { 0 };
            if events != 0 || in_set(2) {
                self.program.files.get(number as u64)?;
                let entry = PollEntry { number: packed(number as i32), events: events as u16, found: 0 };
                wanted.push(entry).map_err(|_| Errno::ENOMEM)?;
            }
        }
        let until_ns = self.time_limit(time).await?;
        let mask = if mask == 0 { 0 } else { self.get_word(mask).await? };
        self.set_call_mask(mask).await?;
        self.await_any_masked(&mut wanted, until_ns).await?;
        let mut found = [[0u8; SET_BYTES]; 3];
        let mut ready = 0;
        for entry in &wanted {
            let (events, found_events) = (u32::from(entry.events), u32::from(entry.found));
            let readable = events & READABLE != 0 && found_events & (READABLE | HANG_UP | ERROR) != 0;
            let writable = events & WRITABLE != 0 && found_events & (WRITABLE | ERROR) != 0;
            for (set, is_ready) in [(0, readable), (1, writable)] {
                if is_ready {
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
    pub(crate) async fn time_limit(&mut self, time: u64) -> Result<Option<u64>, Errno> {
        if time == 0 {
            return Ok(None);
        }
        let ns = self.get_time(time).await?;
        Ok(Some(self.limit_in(ns)))
    }

    /// When a wait ends that is to take so long; of one that is made again, when it was to end.
    pub(crate) fn limit_in(&mut self, ns: u64) -> u64 {
        let limit = self.me.now_ns().saturating_add(ns);
        self.thread.deadline_ns.take().unwrap_or(limit)
    }

    /// Blocks the set at `mask` (0: no change) until `restore_mask`, or until a handler has run.
    pub(crate) async fn set_call_mask(&mut self, mask: u64) -> Result<(), Errno> {
        if mask != 0 {
            let set = self.get_word(mask).await?;
            self.thread.saved_mask = Some(self.thread.blocked);
            self.set_blocked(set).await;
            if self.check_signals {
                // Otherwise every repetition of a restarted call would round up, and never wait.
                self.check_signals = self.waiting_of(!self.thread.blocked).await? != 0;
            }
        }
        Ok(())
    }

    /// Goes back to the mask of before `set_call_mask`.
    pub(crate) async fn restore_mask(&mut self) {
        if let Some(mask) = self.thread.saved_mask.take() {
            self.set_blocked(mask).await;
        }
    }

    /// As `await_any`, and ends the mask that `set_call_mask` began, unless a signal is to be served first.
    async fn await_any_masked(&mut self, wanted: &mut PollSet, until_ns: Option<u64>) -> SyscallResult {
        let outcome = self.await_any(wanted, until_ns).await;
        self.restore_mask_after(&outcome).await;
        outcome
    }

    /// Ends the mask that `set_call_mask` began for a call that ends so, unless a signal is to be served first.
    pub(crate) async fn restore_mask_after(&mut self, outcome: &SyscallResult) {
        if matches!(outcome, Ok(_) | Err(SyscallEscape::Fail(_))) {
            self.restore_mask().await;
        }
    }

    /// Waits until at least one entry has something; how many have.
    async fn await_any(&mut self, wanted: &mut PollSet, until_ns: Option<u64>) -> SyscallResult {
        // Each pass waits for a wake or the time.
        loop {
            let over = until_ns.is_some_and(|until_ns| until_ns <= self.me.now_ns());
            let (mut round, mut ready) = (self.begin_poll_round(over), 0);
            for entry in &mut *wanted {
                let PollEntry { number, events, .. } = *entry;
                let found = if number < 0 { 0 } else { self.ready_events(number, events.into(), &mut round).await? };
                entry.found = found as u16;
                ready += u64::from(found != 0);
                round.stop_if(found != 0);
            }
            if ready > 0 || over && !self.check_signals {
                return Ok(ready);
            }
            self.await_poll_round(&round, until_ns).await?;
        }
    }

    /// Those of `events`, or of the always reported ones, that are true for a descriptor.
    async fn ready_events(&mut self, number: i16, events: u32, round: &mut PollRound) -> Result<u32, Errno> {
        let Ok(&FileDescriptor { object, .. }) = self.program.files.get(number as u64) else { return Ok(INVALID) };
        if object.is_watch_set() {
            return Ok(if apart!(self.has_events(object, round))? { READABLE & events } else { 0 });
        }
        match self.poll_descriptor(object, events, 0, round).await {
            // The next read or write reports the loss.
            Err(_) if !matches!(object, Object::Console) => Ok(LOST & (events | ERROR | HANG_UP)),
            polled => Ok(polled?.events),
        }
    }
}
