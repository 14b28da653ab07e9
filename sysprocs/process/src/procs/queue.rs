//! The queue of signals that wait: the cause of each, in order of arrival.
//!
//! Invariant: a place is free or in the chain of exactly one process; the chains of a board share its places. A chain has
//! one place for each occurrence of a real-time signal, and at most one for each other signal beside those of timers. A
//! signal that found no room waits without one. Not here: which signals wait (`signal.rs`).

use crate::signals::{SignalSet, bit};
use renga_proto::procs::Cause;

/// No place.
const NONE: u16 = u16::MAX;

/// Room for the cause of one queued signal. Boot provides it.
#[derive(Clone, Copy, Debug)]
pub struct QueuedSignal {
    signal: u8,
    /// The one behind it in its chain, or the next free one.
    next: u16,
    cause: Cause,
}
impl QueuedSignal {
    /// Nothing yet.
    pub const EMPTY: QueuedSignal = QueuedSignal { signal: 0, next: NONE, cause: Cause::KERNEL };
}

/// The signals of one process that wait so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalChain {
    first: u16,
    last: u16,
    count: u16,
}
impl SignalChain {
    /// None.
    pub const EMPTY: SignalChain = SignalChain { first: NONE, last: NONE, count: 0 };
    /// How many.
    pub fn count(&self) -> u32 {
        u32::from(self.count)
    }
}

/// All places of a board.
pub struct SignalQueue {
    places: &'static mut [QueuedSignal],
    free: u16,
}

impl SignalQueue {
    /// With as much room as there are `places`.
    pub fn new(places: &'static mut [QueuedSignal]) -> SignalQueue {
        let count = places.len().min(usize::from(NONE));
        for (number, place) in places[..count].iter_mut().enumerate() {
            place.next = if number + 1 < count { number as u16 + 1 } else { NONE };
        }
        SignalQueue { places, free: if count > 0 { 0 } else { NONE } }
    }

    /// Puts `signal` at the end of `chain`; whether there was room.
    pub fn push(&mut self, chain: &mut SignalChain, signal: u8, cause: Cause) -> bool {
        let number = self.free;
        let Some(place) = self.places.get_mut(usize::from(number)) else { return false };
        self.free = place.next;
        *place = QueuedSignal { signal, next: NONE, cause };
        match chain.count {
            0 => chain.first = number,
            _ => self.places[usize::from(chain.last)].next = number,
        }
        (chain.last, chain.count) = (number, chain.count + 1);
        true
    }

    /// Takes the first of `signal` out of `chain`; and whether another one is in it.
    pub fn take(&mut self, chain: &mut SignalChain, signal: u8) -> (Option<Cause>, bool) {
        let (mut taken, mut before, mut at) = (None, NONE, chain.first);
        // Bounded by what waits for the process itself.
        while at != NONE {
            let place = self.places[usize::from(at)];
            if place.signal == signal {
                if taken.is_some() {
                    return (taken, true);
                }
                taken = Some(place.cause);
                self.unlink(chain, before, at);
            } else {
                before = at;
            }
            at = place.next;
        }
        (taken, false)
    }

    /// Takes all of `set` out of `chain`.
    pub fn discard(&mut self, chain: &mut SignalChain, set: SignalSet) {
        let (mut before, mut at) = (NONE, chain.first);
        while at != NONE {
            let place = self.places[usize::from(at)];
            if bit(place.signal) & set != 0 {
                self.unlink(chain, before, at);
            } else {
                before = at;
            }
            at = place.next;
        }
    }

    /// Frees place `at`, which is behind `before` in `chain`.
    fn unlink(&mut self, chain: &mut SignalChain, before: u16, at: u16) {
        let next = self.places[usize::from(at)].next;
        match self.places.get_mut(usize::from(before)) {
            Some(before) => before.next = next,
            None => chain.first = next,
        }
        if chain.last == at {
            chain.last = before;
        }
        chain.count -= 1;
        self.places[usize::from(at)].next = core::mem::replace(&mut self.free, at);
    }
}
