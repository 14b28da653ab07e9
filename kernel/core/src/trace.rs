//! The trace ring: every rendezvous, dispatch and trap of a core, as typed events.
//!
//! Invariant: an event is never dropped unseen: `lost` counts what a full ring could not take.
//! Without the feature `trace` the ring has no room and the hot paths no code for it. Not here:
//! formats (the host's `renga trace`), frames (the emulator sees those itself).

use crate::process::Process;
use core::cell::Cell;
use renga_abi::ProcId;

/// Events that the ring holds between two drains.
pub const RING_EVENTS: usize = if cfg!(feature = "trace") { 4096 } else { 1 };

const RING_MASK: usize = RING_EVENTS - 1;
const _: () = assert!(RING_EVENTS.is_power_of_two());

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// `caller` sent a message for `op` to `server`.
    Call {
        /// Who waits now.
        caller: ProcId,
        /// Who is asked; on another board if its board differs.
        server: ProcId,
        /// The entry, in the numbering of the server's protocol.
        op: u8,
    },
    /// The outstanding call of `caller` was answered.
    Reply {
        /// Who goes on.
        caller: ProcId,
    },
    /// `process` got the core from the ready queue.
    Dispatch {
        /// Who runs.
        process: ProcId,
    },
    /// The user program of `process` trapped.
    UserTrap {
        /// Its user-process slot.
        process: ProcId,
    },
}

impl Event {
    /// That `caller` makes the call in its header.
    pub(crate) fn called(caller: &Process) -> Event {
        let server = ProcId::from_word(caller.destination.get());
        Event::Call { caller: caller.id(), server, op: caller.op.get() as u8 }
    }

    /// As three words: kind and op, first identity, second identity.
    pub fn to_words(self) -> [u32; 3] {
        match self {
            Event::Call { caller, server, op } => [u32::from(op) << 8 | 1, caller.to_word(), server.to_word()],
            Event::Reply { caller } => [2, caller.to_word(), 0],
            Event::Dispatch { process } => [3, process.to_word(), 0],
            Event::UserTrap { process } => [4, process.to_word(), 0],
        }
    }

    /// The inverse of [`Event::to_words`]; `None` for words that no event has.
    pub fn from_words(words: [u32; 3]) -> Option<Event> {
        let (first, second) = (ProcId::from_word(words[1]), ProcId::from_word(words[2]));
        match words[0] & 0xff {
            1 => Some(Event::Call { caller: first, server: second, op: (words[0] >> 8) as u8 }),
            2 => Some(Event::Reply { caller: first }),
            3 => Some(Event::Dispatch { process: first }),
            4 => Some(Event::UserTrap { process: first }),
            _ => None,
        }
    }
}

/// Events of one core with their times, first in first out.
pub struct TraceRing {
    events: [Cell<(u64, [u32; 3])>; RING_EVENTS],
    head: Cell<usize>,
    length: Cell<usize>,
    lost: Cell<u64>,
}

impl TraceRing {
    /// Whether this build traces at all.
    pub const ON: bool = cfg!(feature = "trace");
    pub(crate) const fn new() -> TraceRing {
        TraceRing {
            events: [const { Cell::new((0, [0; 3])) }; RING_EVENTS],
            head: Cell::new(0),
            length: Cell::new(0),
            lost: Cell::new(0),
        }
    }

    #[inline(always)]
    pub(crate) fn push(&self, now_ns: u64, event: Event) {
        let (head, length) = (self.head.get(), self.length.get());
        if length == RING_EVENTS {
            self.lost.set(self.lost.get() + 1);
            return;
        }
        self.events[(head + length) & RING_MASK].set((now_ns, event.to_words()));
        self.length.set(length + 1);
    }

    /// Takes the oldest event: its time, ns since boot, and its words.
    pub fn pop(&self) -> Option<(u64, [u32; 3])> {
        let (head, length) = (self.head.get(), self.length.get());
        if length == 0 {
            return None;
        }
        self.head.set((head + 1) & RING_MASK);
        self.length.set(length - 1);
        Some(self.events[head].get())
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.length.get()
    }
    /// Whether no event waits.
    pub fn is_empty(&self) -> bool {
        self.length.get() == 0
    }
    /// Events that came when the ring was full.
    pub fn lost(&self) -> u64 {
        self.lost.get()
    }
}
