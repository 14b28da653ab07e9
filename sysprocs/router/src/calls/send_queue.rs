//! The queue of what to send to one board, a fragment at a time.
//!
//! It has two lanes. What programs wait for goes in the foreground; long messages of processes that write back, in the
//! background. The foreground goes first, but for one fragment in so many.
//!
//! Invariant: an item, its call's number included, is in the queue at most once, so the placement bounds the queue.

/// What a message lets go first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lane {
    /// Nothing: a program may wait for it.
    #[default]
    Foreground,
    /// Messages in the foreground.
    Background,
}

impl Lane {
    /// The lane of a message with `bytes` of data, of a process whose long ones go in the background or do not. One of
    /// a frame or little more is no hindrance.
    pub(crate) fn of(background: bool, bytes: usize) -> Lane {
        if background && bytes > LONG_BYTES { Lane::Background } else { Lane::Foreground }
    }
}

/// Something to send; the number is its place in its table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendItem {
    /// A local caller's call.
    Call(u16, Lane),
    /// That a local caller was interrupted, in the call with this number. Only programs are, whose calls are not in
    /// the background; so it does not overtake the call.
    Interrupt(u16, u8),
    /// That a local caller has the answer to the call with this number, in paired form.
    Received(u16, u8),
    /// That the call at a place is passed on to its server, in paired form.
    Accepted(u16),
    /// The reply to the call at a place.
    Reply(u16, Lane),
    /// A copied asynchronous call.
    Copy(u16),
    /// The end of a remote board's asynchronous call.
    Done(u16),
}

impl SendItem {
    fn is_background(self) -> bool {
        matches!(self, SendItem::Call(_, Lane::Background) | SendItem::Reply(_, Lane::Background))
    }
}

/// Items that a call to another board may have.
pub(crate) const JOBS_PER_CALL: usize = 4;
/// Items that a call from another board may have.
pub(crate) const JOBS_PER_PROXY: usize = 2;
/// Fragments of the foreground in a row while the background waits.
pub(crate) const OVERTAKING_MAX: u8 = 3;
/// A longer message may go in the background.
const LONG_BYTES: usize = 1024;

/// The queue.
pub struct SendQueue {
    items: &'static mut [SendItem],
    head: usize,
    length: usize,
    /// How many of these are in the background: few, as few processes have such calls.
    background: usize,
    /// Fragments of the foreground since the last of the background.
    overtaken: u8,
}

impl SendQueue {
    /// An empty queue with room for as many items as `items` has places: see [`SendQueue::places`].
    pub fn new(items: &'static mut [SendItem]) -> SendQueue {
        SendQueue { items, head: 0, length: 0, background: 0, overtaken: 0 }
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
    /// If the queue is full: an item was in it twice.
    pub fn push(&mut self, item: SendItem) {
        assert!(self.length < self.items.len(), "more to send than there can be");
        let at = self.place(self.length);
        self.items[at] = item;
        self.length += 1;
        self.background += usize::from(item.is_background());
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Takes the next.
    pub fn pop(&mut self) -> Option<SendItem> {
        if self.background == 0 {
            let item = *self.items.get(self.head).filter(|_| self.length > 0)?;
            (self.head, self.length, self.overtaken) = (self.place(1), self.length - 1, 0);
            return Some(item);
        }
        let due = self.overtaken == OVERTAKING_MAX;
        // Of a lane that is empty there is none: the first of the other one.
        let taken = (0..self.length).find(|&at| self.items[self.place(at)].is_background() == due).unwrap_or(0);
        let item = (taken < self.length).then(|| self.items[self.place(taken)])?;
        // What was overtaken moves up.
        for at in (0..taken).rev() {
            let (from, to) = (self.place(at), self.place(at + 1));
            self.items[to] = self.items[from];
        }
        (self.head, self.length) = (self.place(1), self.length - 1);
        if item.is_background() {
            (self.background, self.overtaken) = (self.background - 1, 0);
        } else {
            self.overtaken += 1;
        }
        Some(item)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        (self.length, self.background, self.overtaken) = (0, 0, 0);
    }

    /// Where the item is that `at` others stand before.
    fn place(&self, at: usize) -> usize {
        let place = self.head + at;
        if place < self.items.len() { place } else { place - self.items.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, OVERTAKING_MAX, SendItem, SendQueue};
    use std::vec;
    use std::vec::Vec;

    const PAGE: SendItem = SendItem::Reply(9, Lane::Background);
    const CALL: SendItem = SendItem::Call(0, Lane::Foreground);

    fn queue() -> SendQueue {
        SendQueue::new(vec![CALL; SendQueue::places(1, 1, 0)].leak())
    }

    #[test]
    fn send_queue_foreground_goes_first_each_lane_in_its_order() {
        let (mut queue, other) = (queue(), SendItem::Call(1, Lane::Background));
        // At every place of the ring.
        for _ in 0..7 {
            [PAGE, CALL, other, SendItem::Done(3)].into_iter().for_each(|item| queue.push(item));
            let order: Vec<_> = core::iter::from_fn(|| queue.pop()).collect();
            assert_eq!(order, [CALL, SendItem::Done(3), PAGE, other]);
            queue.push(CALL);
            assert_eq!((queue.pop(), queue.is_empty()), (Some(CALL), true));
        }
    }

    #[test]
    fn send_queue_background_waits_for_so_many_fragments_at_most() {
        let mut queue = queue();
        queue.push(PAGE);
        // A caller that asks again and again: its next fragment is there whenever one is taken.
        queue.push(CALL);
        let mut taken = Vec::new();
        for _ in 0..3 * (OVERTAKING_MAX + 1) {
            let Some(item) = queue.pop() else { panic!("there is always something") };
            taken.push(item);
            queue.push(item);
        }
        let waits: Vec<_> = taken.split(|item| *item == PAGE).map(<[SendItem]>::len).collect();
        assert_eq!(waits, [usize::from(OVERTAKING_MAX); 3].into_iter().chain([0]).collect::<Vec<_>>());
    }

    #[test]
    fn send_queue_only_long_messages_of_the_background_wait() {
        assert_eq!(Lane::of(true, 4096), Lane::Background);
        assert_eq!(Lane::of(true, 1024), Lane::Foreground, "it is short");
        assert_eq!(Lane::of(false, 4096), Lane::Foreground, "a program waits for it");
    }
}
