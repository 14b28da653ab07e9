//! The queue of what to send to one board, a fragment at a time.
//!
//! It has two lanes. What programs wait for goes in the foreground; long messages of processes that work ahead of
//! programs or behind them, in the background. The foreground goes first, but for one fragment in so many.
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
/// The same in the background: the call, and that it was interrupted, which does not overtake it; the reply.
pub(crate) const BACKGROUND_PER_CALL: usize = 2;
pub(crate) const BACKGROUND_PER_PROXY: usize = 1;
/// Fragments of the foreground in a row while the background waits.
pub(crate) const OVERTAKING_MAX: u8 = 8;

/// The lanes of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lane {
    /// What a program may wait for.
    #[default]
    Foreground,
    /// What no program waits for, or only now and then.
    Background,
}

impl Lane {
    /// The lane of a message with `bytes` of data, of a process that works ahead of programs or behind them or does
    /// not. A message that fits into a frame is no hindrance.
    pub(crate) fn of(background: bool, bytes: usize) -> Lane {
        if background && bytes > renga_wire::fragment::SLICE_BYTES_MAX / 4 {
            Lane::Background
        } else {
            Lane::Foreground
        }
    }
}

/// A ring of items.
struct ItemRing {
    items: &'static mut [SendItem],
    head: usize,
    length: usize,
}

impl ItemRing {
    fn push(&mut self, item: SendItem) {
        assert!(self.length < self.items.len(), "more to send than there can be");
        let mut at = self.head + self.length;
        if at >= self.items.len() {
            at -= self.items.len();
        }
        self.items[at] = item;
        self.length += 1;
    }

    fn pop(&mut self) -> Option<SendItem> {
        if self.length == 0 {
            return None;
        }
        let item = self.items[self.head];
        self.head = if self.head + 1 == self.items.len() { 0 } else { self.head + 1 };
        self.length -= 1;
        Some(item)
    }
}

/// The queue.
pub struct SendQueue {
    foreground: ItemRing,
    background: ItemRing,
    /// Fragments of the foreground since the last of the background.
    overtaken: u8,
}

impl SendQueue {
    /// An empty queue with room for as many items as `items` has places, in each lane: see [`SendQueue::places`].
    pub fn new(items: [&'static mut [SendItem]; 2]) -> SendQueue {
        let [foreground, background] = items.map(|items| ItemRing { items, head: 0, length: 0 });
        SendQueue { foreground, background, overtaken: 0 }
    }

    /// Places in each lane for a board to which `calls` may be under way from here and from which `proxies` make some
    /// here, with `slots` asynchronous calls each way. For a proxy over there may be queued the news of an interruption
    /// that the last call's reply overtook, the news that this reply has come, and behind both this call and news of
    /// one: that call's reply cannot come before.
    pub const fn places(calls: usize, proxies: usize, slots: usize) -> [usize; 2] {
        [
            JOBS_PER_CALL * calls + JOBS_PER_PROXY * proxies + 2 * slots,
            BACKGROUND_PER_CALL * calls + BACKGROUND_PER_PROXY * proxies,
        ]
    }

    /// Adds at the end of a lane.
    ///
    /// # Panics
    /// If the lane is full: an item was in it twice.
    pub fn push(&mut self, lane: Lane, item: SendItem) {
        match lane {
            Lane::Foreground => self.foreground.push(item),
            Lane::Background => self.background.push(item),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.foreground.length + self.background.length == 0
    }

    /// Takes the next, and from which lane.
    pub fn pop(&mut self) -> Option<(Lane, SendItem)> {
        let waits = self.background.length > 0;
        if waits && (self.foreground.length == 0 || self.overtaken == OVERTAKING_MAX) {
            self.overtaken = 0;
            return self.background.pop().map(|item| (Lane::Background, item));
        }
        self.overtaken = if waits { self.overtaken + 1 } else { 0 };
        self.foreground.pop().map(|item| (Lane::Foreground, item))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        (self.foreground.length, self.background.length) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, OVERTAKING_MAX, SendItem, SendQueue};
    use std::vec;
    use std::vec::Vec;

    fn queue() -> SendQueue {
        SendQueue::new(SendQueue::places(8, 8, 0).map(|places| vec![SendItem::Call(0); places].leak()))
    }

    fn drained(queue: &mut SendQueue) -> Vec<(Lane, SendItem)> {
        core::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn send_queue_foreground_goes_first_each_lane_in_its_order() {
        let mut queue = queue();
        let (page, interrupt) = (SendItem::Call(1), SendItem::Interrupt(1, 7));
        queue.push(Lane::Background, page);
        queue.push(Lane::Background, interrupt);
        queue.push(Lane::Foreground, SendItem::Reply(2));
        queue.push(Lane::Foreground, SendItem::Done(3));
        let order = drained(&mut queue).into_iter().map(|(_, item)| item).collect::<Vec<_>>();
        assert_eq!(order, [SendItem::Reply(2), SendItem::Done(3), page, interrupt]);
        assert!(queue.is_empty());
    }

    #[test]
    fn send_queue_background_waits_for_so_many_fragments_at_most() {
        let mut queue = queue();
        queue.push(Lane::Background, SendItem::Reply(9));
        // A caller that asks again and again: its next fragment is there whenever one is taken.
        queue.push(Lane::Foreground, SendItem::Call(0));
        let mut taken = Vec::new();
        for _ in 0..3 * (OVERTAKING_MAX + 1) {
            let Some((lane, item)) = queue.pop() else { panic!("there is always something") };
            taken.push(lane);
            queue.push(lane, item);
        }
        let waits = taken.split(|lane| *lane == Lane::Background).map(<[Lane]>::len).collect::<Vec<_>>();
        assert_eq!(waits, [usize::from(OVERTAKING_MAX); 3].into_iter().chain([0]).collect::<Vec<_>>());
    }

    #[test]
    fn send_queue_only_long_messages_of_the_background_wait() {
        assert_eq!(Lane::of(true, 4096), Lane::Background);
        assert_eq!(Lane::of(true, 1024), Lane::Foreground, "it fits into a frame");
        assert_eq!(Lane::of(false, 4096), Lane::Foreground, "a program waits for it");
    }
}
