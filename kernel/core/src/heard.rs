//! What happened on a core, told inside a host program: tests and the simulator, where no emulator reads probes.
//!
//! Invariant: nothing is kept until somebody listens.

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
pub type Heard = Vec<(u64, Event)>;

/// Who listens to a core.
#[derive(Default)]
pub(crate) struct Ear {
    listens: Cell<bool>,
    heard: RefCell<Heard>,
}

impl Ear {
    pub(crate) const fn new() -> Ear {
        Ear { listens: Cell::new(false), heard: RefCell::new(Vec::new()) }
    }
}

impl Core {
    /// From now on events are kept for [`Core::take_heard`].
    pub fn listen(&self) {
        self.ear.listens.set(true);
    }

    /// What happened since the last time.
    pub fn take_heard(&self) -> Heard {
        self.ear.heard.take()
    }

    #[inline(always)]
    pub(crate) fn hear(&self, event: impl FnOnce() -> Event) {
        if self.ear.listens.get() {
            self.ear.heard.borrow_mut().push((self.now_ns(), event()));
        }
    }
}
