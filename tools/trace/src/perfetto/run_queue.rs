//! How long processes and programs wait for a core.
//!
//! A trace says when a process gets a core, not when it becomes ready, and not when its program does. So this remembers
//! since when each may be ready, and forgets that when an event of its own shows that it ran meanwhile: a wait counts
//! if it ends with a core. Servers that run in their callers' polls wait for none.
//!
//! Invariant: it takes no more room than there are processes.

use crate::event::{Timed, TraceEvent};
use renga_abi::ProcId;
use std::collections::{HashMap, HashSet};

/// Processes that may be ready, and those that wait for something else.
#[derive(Default)]
pub(super) struct RunQueueWaits {
    /// Since when a process may be ready, ns.
    ready_ns: HashMap<ProcId, u64>,
    /// Processes that wait for a reply, a call or a notification.
    waiting: HashSet<ProcId>,
    /// By board and core: the process that it polled last, or whose program it entered last.
    last: HashMap<(u8, u8), ProcId>,
}

impl RunQueueWaits {
    /// Takes the next event. If it ends a wait for a core, since when that was, ns.
    pub(super) fn take(&mut self, timed: &Timed) -> Option<u64> {
        let (at_ns, core) = (timed.time_ns, (timed.board, timed.core));
        match timed.event {
            TraceEvent::Notify { process } | TraceEvent::WaitTimeSlice { process } => {
                self.ready_ns.entry(process).or_insert(at_ns);
            }
            TraceEvent::Accept { server, .. } => {
                self.waiting.remove(&server);
                self.ready_ns.insert(server, at_ns);
            }
            TraceEvent::Reply { caller, server, .. } => {
                self.ready_ns.remove(&server);
                self.waiting.remove(&caller);
                self.ready_ns.insert(caller, at_ns);
            }
            TraceEvent::Call { caller: process, .. }
            | TraceEvent::WaitCall { process }
            | TraceEvent::WaitNotification { process } => {
                self.ready_ns.remove(&process);
                self.waiting.insert(process);
            }
            TraceEvent::Dispatch { process } => {
                self.displace(core, Some(process), at_ns);
                return self.gets_core(process);
            }
            TraceEvent::Enter { process } => {
                let went_on = self.last.get(&core) == Some(&process);
                self.displace(core, Some(process), at_ns);
                return self.gets_core(process).filter(|_| !went_on);
            }
            TraceEvent::Trap { process } => {
                self.displace(core, Some(process), at_ns);
                self.gets_core(process);
            }
            TraceEvent::Idle {} => self.displace(core, None, at_ns),
            TraceEvent::Started | TraceEvent::Stopped => {
                self.ready_ns.retain(|process, _| process.board.0 != timed.board);
                self.waiting.retain(|process| process.board.0 != timed.board);
                self.last.retain(|(board, _), _| *board != timed.board);
            }
            _ => {}
        }
        None
    }

    /// `core` turns to another process. The one before, if it waits for nothing, has a program that could run.
    fn displace(&mut self, core: (u8, u8), by: Option<ProcId>, at_ns: u64) {
        let before = match by {
            Some(process) => self.last.insert(core, process),
            None => self.last.remove(&core),
        };
        if let Some(process) = before.filter(|process| Some(*process) != by && !self.waiting.contains(process)) {
            self.ready_ns.entry(process).or_insert(at_ns);
        }
    }

    /// Since when `process`, which now has a core, was ready.
    fn gets_core(&mut self, process: ProcId) -> Option<u64> {
        self.waiting.remove(&process);
        self.ready_ns.remove(&process)
    }
}
