//! The account for which a process works, as in the kernel's accounts (`kernel/core/src/sched/account.rs`).
//!
//! Invariant: a process with an account of its own works for that; a server works for the caller of the call that it
//! last accepted, until it waits for the next one; all else is the system's. Not here: how long it works (`meter`).

use crate::event::{Timed, TraceEvent};
use renga_abi::ProcId;
use std::collections::HashMap;

/// The system's account.
pub const SYSTEM: u16 = 0;
/// Callers that are followed to find an account.
const CALLERS_FOLLOWED_MAX: usize = 32;

/// The account of each process.
#[derive(Clone, Default)]
pub struct Charges {
    own: HashMap<ProcId, u16>,
    accepted: HashMap<ProcId, ProcId>,
}

impl Charges {
    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        match timed.event {
            TraceEvent::Account { process, account } => {
                self.own.insert(process, account);
            }
            TraceEvent::Accept { server, caller, .. } => {
                self.accepted.insert(server, caller);
            }
            TraceEvent::WaitCall { process } => {
                self.accepted.remove(&process);
            }
            TraceEvent::Started | TraceEvent::Stopped => {
                self.own.retain(|process, _| process.board.0 != timed.board);
                self.accepted.retain(|server, _| server.board.0 != timed.board);
            }
            _ => {}
        }
    }

    /// The account for which `process` works.
    pub fn account_of(&self, process: ProcId) -> u16 {
        let mut at = process;
        for _ in 0..CALLERS_FOLLOWED_MAX {
            match (self.own.get(&at), self.accepted.get(&at)) {
                (Some(account), _) if *account != SYSTEM => return *account,
                (_, Some(caller)) => at = *caller,
                (_, None) => break,
            }
        }
        SYSTEM
    }
}
