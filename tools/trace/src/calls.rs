//! Calls of a trace: who called whom, when the server had the call, when it was answered.
//!
//! A call to another board has two parts: that of the caller, which its router accepts, and that of a proxy, which makes
//! it on the server's board. They belong together by server, entry, for whom the proxy calls, and order: a board's frames arrive in
//! the order in which they were sent. (Two calls of one kind to one entry of one server, of which the first has more to send, may
//! change places.) Invariant: a process has one outstanding call. Not here: what the calls add up to (`summary`, `path`).

use crate::event::{Event, Timed};
use crate::header::Header;
use renga_abi::ProcId;
use std::collections::{HashMap, VecDeque};

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
    /// Calls to other boards that no proxy has made yet, by server and entry; whether their callers wait.
    awaited: HashMap<(ProcId, u8), VecDeque<(usize, Waits)>>,
}

/// Whether somebody waits for a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// Its caller does.
    Yes,
    /// Its caller went on: it is asynchronous, or its board's router has answered it, as the other board is dead.
    No,
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
            Event::Started | Event::Stopped => self.forget(timed.board),
            Event::Call { caller, server, op } => {
                let place = self.calls.len();
                let made_for =
                    if header.is_proxy(caller) { self.answered_by(header, caller, server, op) } else { None };
                self.calls.push(Call { caller, server, op, begin_ns: at_ns, accept_ns: None, end_ns: None, made_for });
                self.open.insert(caller, place);
                self.await_proxy(place);
            }
            Event::Forward { caller, server, op } => {
                if let Some(place) = self.open.get(&caller).copied() {
                    self.not_awaited(place);
                    (self.calls[place].server, self.calls[place].op) = (server, op);
                    self.await_proxy(place);
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
                    let waiting = self.awaited.entry((call.server, call.op)).or_default();
                    waiting.iter_mut().filter(|(other, _)| *other == place).for_each(|(_, waits)| *waits = Waits::No);
                }
            }
            _ => {}
        }
    }

    /// A call to another board waits for a proxy there.
    fn await_proxy(&mut self, place: usize) {
        let call = &self.calls[place];
        if call.is_remote() {
            self.awaited.entry((call.server, call.op)).or_default().push_back((place, Waits::Yes));
        }
    }

    fn not_awaited(&mut self, place: usize) {
        let call = &self.calls[place];
        if let Some(waiting) = self.awaited.get_mut(&(call.server, call.op)) {
            waiting.retain(|(other, _)| *other != place);
        }
    }

    /// The call that `proxy` makes: the first of those for whom it calls.
    fn answered_by(&mut self, header: &Header, proxy: ProcId, server: ProcId, op: u8) -> Option<usize> {
        let waiting = self.awaited.get_mut(&(server, op))?;
        let its_own =
            |(place, waits): &(usize, Waits)| header.calls_for(proxy, self.calls[*place].caller, *waits == Waits::No);
        let at = waiting.iter().position(its_own)?;
        waiting.remove(at).map(|(place, _)| place)
    }

    /// What a board that has stopped or starts anew had asked for, or was asked for.
    fn forget(&mut self, board: u8) {
        self.open.retain(|caller, _| caller.board.0 != board);
        let calls = &self.calls;
        self.awaited.retain(|(server, _), waiting| {
            waiting.retain(|(place, _)| calls[*place].caller.board.0 != board);
            server.board.0 != board && !waiting.is_empty()
        });
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
