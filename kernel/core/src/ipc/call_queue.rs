//! Calls that a server keeps for later, first come first served.
//!
//! Invariant: they are linked through their callers' headers, which wait for the reply and so are in no other queue (I3
//! of `rendezvous.rs`): a queue takes no memory of its own, and has room for every caller. Not here: which calls wait.

use super::protocol::Entry;
use super::rendezvous::RawCall;
use super::typed::Call;
use crate::types::state::Queue;
use core::marker::PhantomData;

/// A queue of kept calls to entry `E`.
pub struct CallQueue<E: Entry> {
    queue: Queue,
    length: usize,
    entry: PhantomData<E>,
}

impl<E: Entry> Default for CallQueue<E> {
    fn default() -> Self {
        CallQueue::new()
    }
}

impl<E: Entry> CallQueue<E> {
    /// No call.
    pub const fn new() -> Self {
        CallQueue { queue: Queue::new(), length: 0, entry: PhantomData }
    }
    /// How many calls it holds.
    pub fn len(&self) -> usize {
        self.length
    }
    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// Keeps `call` behind the others.
    pub fn push_back(&mut self, call: Call<E>) {
        self.queue.push(call.into_raw().hand_on().any());
        self.length += 1;
    }
    /// Keeps `call` before the others.
    pub fn push_front(&mut self, call: Call<E>) {
        self.queue.push_front(call.into_raw().hand_on().any());
        self.length += 1;
    }
    /// The first call.
    pub fn pop_front(&mut self) -> Option<Call<E>> {
        let caller = self.queue.pop()?;
        self.length -= 1;
        Some(Call::new(RawCall(caller.calling())))
    }
    /// Passes each call once, in order, to `keep`; the calls that it returns stay, in the same order.
    pub fn retain(&mut self, mut keep: impl FnMut(Call<E>) -> Option<Call<E>>) {
        for _ in 0..self.length {
            let Some(call) = self.pop_front() else { break };
            if let Some(call) = keep(call) {
                self.push_back(call);
            }
        }
    }
}

/// A dropped call is a bug of the server, kept or not.
impl<E: Entry> Drop for CallQueue<E> {
    fn drop(&mut self) {
        while let Some(call) = self.pop_front() {
            drop(call);
        }
    }
}
