//! The state of all processes at an instant: the cores' processes, and what each other one waits for.
//!
//! Invariant: it is what the events so far say, and takes no more room than there are processes.

use crate::calls::{Calls, TracedCall};
use crate::event::{Timed, TraceEvent};
use crate::header::TraceHeader;
use renga_abi::ProcId;
use std::collections::HashMap;
use std::fmt::Write;

/// Links of a chain at most: placement allows no circles, but a trace may say anything.
const CHAIN_MAX: usize = 32;

/// A process's state, as of its last event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TracedState {
    /// It has the core.
    Runs,
    /// It would run.
    Ready,
    /// It waits, for this.
    Waits(&'static str),
    /// Its program has the core.
    Program,
}

/// All processes at an instant, and their outstanding calls.
#[derive(Clone, Default)]
pub struct TraceMoment {
    calls: Calls,
    states: HashMap<ProcId, TracedState>,
    /// By board and core: its process.
    running: HashMap<(u8, u8), ProcId>,
    /// Processes that run inside the poll of another: servers in that of their client, proxies in that of the router.
    in_place: HashMap<ProcId, ProcId>,
    disk_works: bool,
}

impl TraceMoment {
    /// Takes the next event, and reports each call that is over ([`Calls::take`]).
    pub fn take(&mut self, header: &TraceHeader, timed: &Timed, over: &mut dyn FnMut(usize, &TracedCall)) {
        self.calls.take(header, timed, over);
        let core = (timed.board, timed.core);
        let (process, state) = match timed.event {
            TraceEvent::Dispatch { process } | TraceEvent::Trap { process } => {
                self.running.insert(core, process);
                (process, TracedState::Runs)
            }
            TraceEvent::Enter { process } => {
                self.running.insert(core, process);
                (process, TracedState::Program)
            }
            TraceEvent::Accept { server, caller, .. } => {
                if self.running.get(&core) == Some(&caller) {
                    self.running.insert(core, server);
                    self.in_place.insert(server, caller);
                }
                (server, TracedState::Runs)
            }
            // Notified in place, it runs in the poll of the one that has the core.
            TraceEvent::Call { caller, .. } if self.states.get(&caller) == Some(&TracedState::Ready) => {
                if let Some(runs) = self.running.insert(core, caller).filter(|runs| *runs != caller) {
                    self.in_place.insert(caller, runs);
                }
                (caller, TracedState::Runs)
            }
            TraceEvent::Reply { caller, .. } => (caller, TracedState::Ready),
            TraceEvent::WaitCall { process } => self.waits(core, process, "a call"),
            TraceEvent::WaitNotification { process } => self.waits(core, process, "an interrupt or an alarm"),
            TraceEvent::WaitTimeSlice { process } => self.waits(core, process, "the ready queue"),
            TraceEvent::Notify { process } => (process, TracedState::Ready),
            TraceEvent::Disk { .. } | TraceEvent::DiskEnd { .. } => {
                self.disk_works = matches!(timed.event, TraceEvent::Disk { .. });
                return;
            }
            TraceEvent::Idle {} => {
                self.running.remove(&core);
                return;
            }
            TraceEvent::Started | TraceEvent::Stopped => {
                self.states.retain(|process, _| process.board.0 != timed.board);
                self.in_place.retain(|process, _| process.board.0 != timed.board);
                self.running.retain(|(board, _), _| *board != timed.board);
                return;
            }
            _ => return,
        };
        self.states.insert(process, state);
    }

    /// `process` has done what it can; the one in whose poll it ran goes on, at once if it has its answer.
    fn waits(&mut self, core: (u8, u8), process: ProcId, what: &'static str) -> (ProcId, TracedState) {
        if let Some(caller) = self.in_place.remove(&process) {
            self.running.insert(core, caller);
            if self.states.get(&caller) == Some(&TracedState::Ready) {
                self.states.insert(caller, TracedState::Runs);
            }
        } else if self.running.get(&core).and_then(|last| self.in_place.get(last)) == Some(&process) {
            // The one in its poll waits for a reply, of which no event says so.
            let last = self.running.insert(core, process);
            last.map(|last| self.in_place.remove(&last));
        }
        (process, TracedState::Waits(what))
    }

    /// The outstanding calls.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// The process of this core of `board`; a program's process also while the program runs.
    pub fn running(&self, board: u8, core: u8) -> Option<ProcId> {
        self.running.get(&(board, core)).copied()
    }

    /// What a process does, if it was heard of.
    pub fn state(&self, process: ProcId) -> Option<TracedState> {
        self.states.get(&process).copied()
    }

    /// The chain of waits from `process` on, and the last one's state.
    pub fn chain(&self, header: &TraceHeader, process: ProcId) -> String {
        let (mut at, mut chain) = (process, header.full_name(process));
        for _ in 0..CHAIN_MAX {
            let Some(call) = self.calls.outstanding(at) else { break };
            let entry = header.entry(call.server, call.op);
            if call.is_remote() {
                let Some(made) = self.calls.made_for(at) else {
                    let _ = write!(chain, " -> link -> {} ({entry})", header.full_name(call.server));
                    return chain;
                };
                at = made.caller;
                continue;
            }
            let _ = write!(chain, " -> {} ({entry})", header.full_name(call.server));
            at = call.server;
        }
        let what = match self.states.get(&at) {
            Some(TracedState::Waits(_)) if header.kind(at) == "disk" && self.disk_works => {
                "waits for the medium".to_string()
            }
            Some(TracedState::Waits("a call")) if at != process => "keeps the call".to_string(),
            Some(TracedState::Waits(what)) => format!("waits for {what}"),
            Some(TracedState::Program) => "its program".to_string(),
            Some(TracedState::Ready) => "ready".to_string(),
            Some(TracedState::Runs) | None => "runs".to_string(),
        };
        let _ = write!(chain, ": {what}");
        chain
    }
}
