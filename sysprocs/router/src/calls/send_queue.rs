//! The queue of what to send to one board, a fragment at a time.
//!
//! Invariant: an item, its call's number included, is in the queue at most once, so the placement bounds the queue.

/// Something to send; the number is its place in its table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendItem {
    /// A local caller's call.
    Call(u16),
    /// That a local caller was interrupted, in the call with this number.
    Interrupt(u16, u8),
    /// That a local caller has the answer to the call with this number, in paired form.
    Received(u16, u8),
    /// That the call at a place is passed on to its server, in paired form.
    Accepted(u16),
    /// The reply to the call at a place.
    Reply(u16),
    /// A copied asynchronous call.
    Copy(u16),
    /// The end of a remote board's asynchronous call.
    Done(u16),
}

/// Items that a call to another board may have.
pub(crate) const JOBS_PER_CALL: usize = 4;
/// Items that a call from another board may have.
pub(crate) const JOBS_PER_PROXY: usize = 2;

/// The queue.
pub struct SendQueue {
    send_queue: &'static mut [SendItem],
    head: usize,
    length: usize,
}

impl SendQueue {
    /// An empty queue with room for as many jobs as `jobs` has places: see [`SendQueue::places`].
    pub fn new(send_queue: &'static mut [SendItem]) -> SendQueue {
        SendQueue { send_queue, head: 0, length: 0 }
    }

    /// Places for a board to which `calls` may be under way from here and from which `proxies` make some here,
    /// with `slots` asynchronous calls each way. For a proxy over there may be queued the news of an interruption that
    /// the last call's reply overtook, the news that this reply has come, and behind both this call and news of one:
    /// that call's reply cannot come before.
    pub const fn places(calls: usize, proxies: usize, slots: usize) -> usize {
        JOBS_PER_CALL * calls + JOBS_PER_PROXY * proxies + 2 * slots
    }

    /// Adds at the end.
    ///
    /// # Panics
    /// If the queue is full: a job was in it twice.
    pub fn push(&mut self, job: SendItem) {
        assert!(self.length < self.send_queue.len(), "more to send than there can be");
        let mut at = self.head + self.length;
        if at >= self.send_queue.len() {
            at -= self.send_queue.len();
        }
        self.send_queue[at] = job;
        self.length += 1;
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Takes the first.
    pub fn pop(&mut self) -> Option<SendItem> {
        if self.length == 0 {
            return None;
        }
        let job = self.send_queue[self.head];
        self.head = if self.head + 1 == self.send_queue.len() { 0 } else { self.head + 1 };
        self.length -= 1;
        Some(job)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.length = 0;
    }
}
