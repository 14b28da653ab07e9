//! Events of a core, recorded inside a host program: tests and the simulator, where no emulator reads probes.
//!
//! Not here: when events are kept (`recorder.rs`).

use renga_abi::ProcId;
use std::vec::Vec;

/// Something that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// `caller` sent a message for `op` to `server`, or the server that had it forwarded it to `server`.
    Call {
        /// The waiting process.
        caller: ProcId,
        /// The server; on another board if its board differs.
        server: ProcId,
        /// The entry, in the numbering of the server's protocol.
        op: u8,
    },
    /// The outstanding call of `caller` was answered.
    Reply {
        /// The process that continues.
        caller: ProcId,
    },
    /// `process` got the core from the ready queue.
    Dispatch {
        /// The process that runs.
        process: ProcId,
    },
    /// The user program of `process` trapped.
    UserTrap {
        /// Its user-process slot.
        process: ProcId,
    },
}

impl Event {
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
