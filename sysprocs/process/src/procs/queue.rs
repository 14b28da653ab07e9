//! The queue of signals that wait: the cause of each, in order of arrival.
//!
//! Invariant: a place is free or in the chain of exactly one process; the chains of a board share its places. A chain
//! has one place for each occurrence of a real-time signal, and at most one for each other signal beside those of
//! timers. A signal that found no room waits without one. Not here: which signals wait (`signal.rs`).

use crate::signals::{SignalSet, bit};
use renga_proto::procs::Cause;
use renga_rt::linked_list::{LinkedList, Links, RowNumber};

/// Room for the cause of one queued signal. Boot provides it.
#[derive(Clone, Copy, Debug)]
pub struct QueuedSignal {
    signal: u8,
    /// Among the signals of its process, or the free places.
    links: Links<u16>,
    cause: Cause,
}
impl QueuedSignal {
    /// A free place.
    pub const EMPTY: QueuedSignal = QueuedSignal { signal: 0, links: Links::NONE, cause: Cause::KERNEL };

    fn links(&mut self) -> &mut Links<u16> {
        &mut self.links
    }
}

/// The queued signals of one process.
pub type SignalChain = LinkedList<u16>;

/// All places of a board.
pub struct SignalQueue {
    places: &'static mut [QueuedSignal],
    free: LinkedList<u16>,
}

impl SignalQueue {
    /// With as much room as there are `places`.
    pub fn new(places: &'static mut [QueuedSignal]) -> SignalQueue {
        let mut free = LinkedList::EMPTY;
        (0..u16::NONE).take(places.len()).for_each(|number| free.push(places, QueuedSignal::links, number));
        SignalQueue { places, free }
    }

    /// Puts `signal` at the end of `chain`; whether there was room.
    pub fn push(&mut self, chain: &mut SignalChain, signal: u8, cause: Cause) -> bool {
        let Some(number) = self.free.oldest() else { return false };
        self.free.remove(self.places, QueuedSignal::links, number);
        self.places[usize::from(number)] = QueuedSignal { signal, cause, ..QueuedSignal::EMPTY };
        chain.push(self.places, QueuedSignal::links, number);
        true
    }

    /// Takes the first of `signal` out of `chain`; and whether another one is in it.
    pub fn take(&mut self, chain: &mut SignalChain, signal: u8) -> (Option<Cause>, bool) {
        let (mut taken, mut at) = (None, chain.first);
        // Bounded by what waits for the process itself.
        while let Some(&QueuedSignal { signal: queued, links, cause }) = self.places.get(usize::from(at)) {
            if queued == signal {
                if taken.is_some() {
                    return (taken, true);
                }
                taken = Some(cause);
                self.release(chain, at);
            }
            at = links.next;
        }
        (taken, false)
    }

    /// Takes all of `set` out of `chain`.
    pub fn discard(&mut self, chain: &mut SignalChain, set: SignalSet) {
        let mut at = chain.first;
        while let Some(&QueuedSignal { signal, links, .. }) = self.places.get(usize::from(at)) {
            if bit(signal) & set != 0 {
                self.release(chain, at);
            }
            at = links.next;
        }
    }

    /// Frees place `at` of `chain`.
    fn release(&mut self, chain: &mut SignalChain, at: u16) {
        chain.remove(self.places, QueuedSignal::links, at);
        self.free.push(self.places, QueuedSignal::links, at);
    }
}
