//! What happened on a core, recorded inside a host program: tests and the simulator, where no emulator reads probes.
//!
//! Invariant: nothing is kept until somebody asks for it (`record_events`).

use crate::process::Process;
use crate::ready::Core;
use core::cell::{Cell, RefCell};
use renga_abi::ProcId;
use std::vec::Vec;

/// Something that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// `caller` sent a message for `op` to `server`, or whoever had it passed it on to `server`.
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

    /// As words: kind and op, first identity, second identity.
    pub fn to_words(self) -> [u32; 3] {
        match self {
            Event::Call { caller, server, op } => [u32::from(op) << 8 | 1, caller.to_word(), server.to_word()],
            Event::Reply { caller } => [2, caller.to_word(), 0],
            Event::Dispatch { process } => [3, process.to_word(), 0],
            Event::UserTrap { process } => [4, process.to_word(), 0],
        }
    }
}

/// Events with their times, ns.
pub type Events = Vec<(u64, Event)>;

/// What a core records.
#[derive(Default)]
pub(crate) struct Recorder {
    is_on: Cell<bool>,
    events: RefCell<Events>,
}

impl Recorder {
    pub(crate) const fn new() -> Recorder {
        Recorder { is_on: Cell::new(false), events: RefCell::new(Vec::new()) }
    }
}

impl Core {
    /// From now on events are kept for [`Core::take_events`].
    pub fn record_events(&self) {
        self.recorder.is_on.set(true);
    }

    /// What happened since the last time.
    pub fn take_events(&self) -> Events {
        self.recorder.events.take()
    }

    #[inline(always)]
    pub(crate) fn record(&self, event: impl FnOnce() -> Event) {
        if self.recorder.is_on.get() {
            self.recorder.events.borrow_mut().push((self.now_ns(), event()));
        }
    }
}
