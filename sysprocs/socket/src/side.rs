//! One side of a socket: what it receives, who waits at it, and who has it.
//!
//! Invariant: an edge wakes the programs that wait for one of its events. Not here: what the sides do to each other
//! (`server.rs`).

use crate::wait_limit::WaitLimit;
use heapless::{Deque, Vec};
use renga_pipe::Ring;
use renga_proto::pipe::{NO_PROGRAM, Polled};
use renga_proto::socket::{FLIGHTS_MAX, NAME_BYTES, OPTIONS_MAX, Receive, Send, SendWith, SocketHandle};
use renga_rt::{BoardReferences, CallQueue, Waiters, Wakes};

/// Where in the ring a message begins and ends that has a flight.
#[derive(Clone, Copy)]
pub(crate) struct Attached {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) flight: SocketHandle,
}

renga_rt::with_defaults! {
    pub(crate) struct ConnectionSide {
        pub(crate) references: BoardReferences = BoardReferences::NONE,
        /// What it has been sent.
        pub(crate) ring: Ring = ring,
        pub(crate) receiving: CallQueue<Receive> = CallQueue::new(),
        pub(crate) sending: CallQueue<Send> = CallQueue::new(),
        pub(crate) sending_with: CallQueue<SendWith> = CallQueue::new(),
        /// In the order of the ring.
        pub(crate) attached: Deque<Attached, FLIGHTS_MAX> = Deque::new(),
        /// How much of the first sender's slice the partner has already.
        pub(crate) sent: usize = 0,
        /// It receives, and sends, no more.
        pub(crate) shut: u32 = 0,
        /// An error that the next call returns; 0: none.
        pub(crate) error: u16 = 0,
        pub(crate) nonblocking: bool = false,
        /// Who made it.
        pub(crate) pid: u32 = 0,
        pub(crate) address: Vec<u8, NAME_BYTES> = Vec::new(),
        /// What programs gave options.
        options: Vec<(u32, u64), OPTIONS_MAX> = Vec::new(),
        waiters: Waiters = Waiters::NONE,
        /// How long calls wait.
        pub(crate) receive_limit: WaitLimit = WaitLimit::NONE,
        pub(crate) send_limit: WaitLimit = WaitLimit::NONE,
        awaited: u32 = 0,
        edges: u32 = 1,
        wakes: &'static Wakes = wakes,
    }
    pub(crate) fn new(ring: Ring, wakes: &'static Wakes);
}

impl ConnectionSide {
    /// As at first; nobody waits here.
    pub(crate) fn reset(&mut self, pid: u32) {
        self.ring.clear();
        self.address.clear();
        self.options.clear();
        (self.receive_limit, self.send_limit) = (WaitLimit::NONE, WaitLimit::NONE);
        self.references = BoardReferences::NONE;
        (self.shut, self.error, self.nonblocking, self.pid, self.sent) = (0, 0, false, pid, 0);
    }

    /// `bytes` are received; the flight that came with them.
    pub(crate) fn pass(&mut self, bytes: usize) -> SocketHandle {
        let mut flight = SocketHandle::NONE;
        if let Some(first) = self.attached.front()
            && first.start < bytes
        {
            flight = first.flight;
            self.attached.pop_front();
        }
        for rest in self.attached.iter_mut() {
            (rest.start, rest.end) = (rest.start.saturating_sub(bytes), rest.end.saturating_sub(bytes));
        }
        flight
    }

    /// What was kept of an option.
    pub(crate) fn option(&self, option: u32) -> Option<u64> {
        self.options.iter().find(|(kept, _)| *kept == option).map(|(_, value)| *value)
    }
    pub(crate) fn options(&self) -> &[(u32, u64)] {
        &self.options
    }
    /// Keeps `value` of an option; false: there are too many.
    pub(crate) fn set_option(&mut self, option: u32, value: u64) -> bool {
        if let Some((_, kept)) = self.options.iter_mut().find(|(kept, _)| *kept == option) {
            *kept = value;
            return true;
        }
        self.options.push((option, value)).is_ok()
    }

    /// Whether calls may wait here for a limited time.
    #[inline(always)]
    pub(crate) fn has_limits(&self) -> bool {
        self.receive_limit.is_used() || self.send_limit.is_used()
    }

    /// A change may have made one of `events` true: who waits for it polls again.
    #[inline(always)]
    pub(crate) fn note_edge(&mut self, events: u32) {
        self.edges = self.edges.wrapping_add(1).max(1);
        if self.awaited & events != 0 {
            self.awaited = 0;
            self.wakes.wake(&mut self.waiters);
        }
    }

    /// The reply to a poll for `wanted` of `events`, unless the edges are still `seen`; else `slot` of `board` waits.
    pub(crate) fn polled(&mut self, events: u32, wanted: u32, seen: u32, (board, slot): (u8, u16)) -> Polled {
        let ready = if seen == self.edges { 0 } else { events & wanted };
        if ready == 0 && slot != NO_PROGRAM {
            self.waiters.add(board, slot);
            self.awaited |= wanted;
        }
        Polled { events: ready, edges: self.edges }
    }
}
