//! Calls of a trace: who called whom, when the server had the call, when it was answered.
//!
//! A call to another board has two parts: that of the caller, which its router accepts, and that of a proxy, which makes
//! it on the server's board. They belong together by server, entry and order. Invariant: a process has one outstanding
//! call. Not here: what the calls add up to (`summary`, `path`).

use crate::event::{Event, Timed};
use crate::header::Header;
use renga_abi::ProcId;
use std::collections::{HashMap, VecDeque};

/// The kinds that make calls for processes of other boards.
const PROXIES: [&str; 2] = ["proxy", "async_proxy"];

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who waited.
    pub caller: ProcId,
    /// Who was asked; the last, if it was passed on.
    pub server: ProcId,
    /// Which entry.
    pub op: u8,
    /// When, ns.
    pub begin_ns: u64,
    /// When a server first took it, ns.
    pub accept_ns: Option<u64>,
    /// When it was answered, ns; none if it was not.
    pub end_ns: Option<u64>,
    /// Of a proxy's: the place of the call for which it is made.
    pub made_for: Option<usize>,
}

impl Call {
    /// Whether it goes to another board.
    pub fn is_remote(&self) -> bool {
        self.caller.board != self.server.board
    }
}

/// Collects calls, event by event.
#[derive(Default)]
pub struct Calls {
    calls: Vec<Call>,
    /// The outstanding call of each process.
    open: HashMap<ProcId, usize>,
    /// Calls to other boards that no proxy has made yet, by server and entry.
    awaited: HashMap<(ProcId, u8), VecDeque<usize>>,
}

impl Calls {
    /// Those of a whole trace.
    pub fn of(header: &Header, events: &[Timed]) -> Vec<Call> {
        let mut calls = Calls::default();
        events.iter().for_each(|event| calls.take(header, event));
        calls.calls
    }

    /// Takes the next event.
    pub fn take(&mut self, header: &Header, timed: &Timed) {
        let at_ns = timed.time_ns;
        match timed.event {
            Event::Started => self.open.retain(|caller, _| caller.board.0 != timed.board),
            Event::Call { caller, server, op } => {
                let place = self.calls.len();
                let is_proxy = PROXIES.contains(&header.kind(caller));
                let awaited = self.awaited.get_mut(&(server, op)).filter(|_| is_proxy);
                let made_for = awaited.and_then(|waiting| waiting.pop_front());
                let call = Call { caller, server, op, begin_ns: at_ns, accept_ns: None, end_ns: None, made_for };
                if call.is_remote() {
                    self.awaited.entry((server, op)).or_default().push_back(place);
                }
                self.calls.push(call);
                self.open.insert(caller, place);
            }
            Event::Forward { caller, server, op } => {
                if let Some(place) = self.open.get(&caller) {
                    (self.calls[*place].server, self.calls[*place].op) = (server, op);
                }
            }
            Event::Accept { caller, .. } => {
                if let Some(place) = self.open.get(&caller) {
                    self.calls[*place].accept_ns.get_or_insert(at_ns);
                }
            }
            Event::Reply { caller, .. } => {
                if let Some(place) = self.open.remove(&caller) {
                    let call = &mut self.calls[place];
                    call.end_ns = Some(at_ns);
                    if call.is_remote()
                        && let Some(waiting) = self.awaited.get_mut(&(call.server, call.op))
                    {
                        waiting.retain(|other| *other != place); // answered by the router itself
                    }
                }
            }
            _ => {}
        }
    }

    /// The outstanding call of a process.
    pub fn outstanding(&self, caller: ProcId) -> Option<&Call> {
        self.open.get(&caller).map(|place| &self.calls[*place])
    }

    /// The call that a proxy makes for that of `caller`.
    pub fn made_for(&self, caller: ProcId) -> Option<&Call> {
        let place = self.open.get(&caller)?;
        self.open.values().map(|other| &self.calls[*other]).find(|call| call.made_for == Some(*place))
    }

    /// All outstanding calls, in the order in which they were made.
    pub fn all_outstanding(&self) -> Vec<&Call> {
        let mut places: Vec<usize> = self.open.values().copied().collect();
        places.sort_unstable();
        places.into_iter().map(|place| &self.calls[place]).collect()
    }
}
