//! Calls of a trace: caller, server, when the server had the call, when it was answered.
//!
//! A call to another board has two parts: that of the caller, which its router accepts, and that of a proxy, which
//! makes it on the server's board. They belong together by server, entry, for whom the proxy calls, and order: a
//! board's frames arrive in the order in which they were sent. (Two calls of one kind to one entry of one server, of
//! which the first has more to send, may change places.) Invariant: a process has one outstanding call, and only
//! outstanding ones are kept. Not here: what the calls add up to (`meter`, `path`).

use crate::event::{Timed, TraceEvent};
use crate::header::TraceHeader;
use renga_abi::ProcId;
use std::collections::{HashMap, VecDeque};

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedCall {
    /// The caller.
    pub caller: ProcId,
    /// The server; the last, if the call was forwarded.
    pub server: ProcId,
    /// Which entry.
    pub op: u8,
    /// When, ns.
    pub begin_ns: u64,
    /// When a server first took it, ns.
    pub accept_ns: Option<u64>,
    /// When it was answered, ns; none if it was not.
    pub end_ns: Option<u64>,
    /// Of a proxy's call: the place of the call that it carries.
    pub made_for: Option<usize>,
    /// To another board: its caller continued before a proxy there made the call.
    pub released_early: bool,
}

impl TracedCall {
    /// Whether it goes to another board.
    pub fn is_remote(&self) -> bool {
        self.caller.board != self.server.board
    }
}

/// Calls to other boards of one entry of one server that wait for their proxies, at most: more than have ever been.
const AWAITED_MAX: usize = 4096;

/// Follows calls, event by event.
#[derive(Clone, Default)]
pub struct Calls {
    /// How many calls started.
    made: usize,
    /// The outstanding call of each process, and its place among all.
    open: HashMap<ProcId, (usize, TracedCall)>,
    /// Calls to other boards that no proxy has started yet, by server and entry.
    awaited: HashMap<(ProcId, u8), VecDeque<Awaited>>,
    /// Boards that have stopped, a bit each: no proxy calls there.
    stopped: u32,
}

/// A call for which no proxy has called yet.
#[derive(Clone, Copy)]
struct Awaited {
    place: usize,
    caller: ProcId,
    /// Its caller went on: it is asynchronous, or its board's router has answered it, as the other board is dead.
    released: bool,
}

impl Calls {
    /// Those of a whole trace.
    pub fn of(header: &TraceHeader, events: &[Timed]) -> Vec<TracedCall> {
        let (mut calls, mut all) = (Calls::default(), Vec::new());
        for event in events {
            calls.take(header, event, &mut |place, call| all.push((place, call.clone())));
        }
        all.extend(calls.open.into_values());
        all.sort_unstable_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, call)| call).collect()
    }

    /// Takes the next event, and reports each call that is over, with its place among all in the order of their starts.
    pub fn take(&mut self, header: &TraceHeader, timed: &Timed, over: &mut dyn FnMut(usize, &TracedCall)) {
        match timed.event {
            TraceEvent::Started => self.forget(timed.board, false, over),
            TraceEvent::Stopped => self.forget(timed.board, true, over),
            TraceEvent::Call { caller, server, op } => self.begin(header, timed.time_ns, (caller, server, op), over),
            TraceEvent::Forward { caller, server, op } => {
                if let Some((place, call)) = self.open.get_mut(&caller) {
                    let (place, before) = (*place, (call.server, call.op));
                    (call.server, call.op) = (server, op);
                    if let Some(waiting) = self.awaited.get_mut(&before) {
                        waiting.retain(|other| other.place != place);
                    }
                    self.await_proxy(place, caller, server, op);
                }
            }
            TraceEvent::Accept { caller, .. } => {
                if let Some((_, call)) = self.open.get_mut(&caller) {
                    call.accept_ns.get_or_insert(timed.time_ns);
                }
            }
            TraceEvent::Reply { caller, .. } => {
                if let Some((place, mut call)) = self.open.remove(&caller) {
                    call.end_ns = Some(timed.time_ns);
                    if let Some(waiting) = self.awaited.get_mut(&(call.server, call.op)) {
                        for other in waiting.iter_mut().filter(|other| other.place == place) {
                            (other.released, call.released_early) = (true, true);
                        }
                    }
                    over(place, &call);
                }
            }
            _ => {}
        }
    }

    fn begin(
        &mut self,
        header: &TraceHeader,
        begin_ns: u64,
        (caller, server, op): (ProcId, ProcId, u8),
        over: &mut dyn FnMut(usize, &TracedCall),
    ) {
        let place = self.made;
        self.made += 1;
        let made_for = if header.is_proxy(caller) { self.answered_by(header, caller, server, op) } else { None };
        let call =
            TracedCall { caller, server, op, begin_ns, accept_ns: None, end_ns: None, made_for, released_early: false };
        if let Some((place, unanswered)) = self.open.insert(caller, (place, call)) {
            over(place, &unanswered);
        }
        self.await_proxy(place, caller, server, op);
    }

    /// A call to another board waits for a proxy there.
    fn await_proxy(&mut self, place: usize, caller: ProcId, server: ProcId, op: u8) {
        if caller.board == server.board || self.stopped & bit(server.board.0) != 0 {
            return;
        }
        let waiting = self.awaited.entry((server, op)).or_default();
        waiting.push_back(Awaited { place, caller, released: false });
        if waiting.len() > AWAITED_MAX {
            waiting.pop_front();
        }
    }

    /// The call that `proxy` carries: the first of its clients' calls.
    fn answered_by(&mut self, header: &TraceHeader, proxy: ProcId, server: ProcId, op: u8) -> Option<usize> {
        let waiting = self.awaited.get_mut(&(server, op))?;
        let at = waiting.iter().position(|call| header.calls_for(proxy, call.caller, call.released))?;
        waiting.remove(at).map(|call| call.place)
    }

    /// The calls of a board that has stopped or restarts, and the calls to it.
    fn forget(&mut self, board: u8, stops: bool, over: &mut dyn FnMut(usize, &TracedCall)) {
        self.stopped = if stops { self.stopped | bit(board) } else { self.stopped & !bit(board) };
        self.open.retain(|caller, (place, call)| {
            let goes = caller.board.0 == board;
            if goes {
                over(*place, call);
            }
            !goes
        });
        self.awaited.retain(|(server, _), waiting| {
            waiting.retain(|call| call.caller.board.0 != board);
            server.board.0 != board && !waiting.is_empty()
        });
    }

    /// The outstanding call of a process.
    pub fn outstanding(&self, caller: ProcId) -> Option<&TracedCall> {
        self.numbered(caller).map(|(_, call)| call)
    }

    /// The same, and its place among all calls.
    pub fn numbered(&self, caller: ProcId) -> Option<(usize, &TracedCall)> {
        self.open.get(&caller).map(|(place, call)| (*place, call))
    }

    /// The call that a proxy makes for that of `caller`.
    pub fn made_for(&self, caller: ProcId) -> Option<&TracedCall> {
        let (place, _) = self.open.get(&caller)?;
        self.open.values().map(|(_, call)| call).find(|call| call.made_for == Some(*place))
    }

    /// All outstanding calls, in the order of their starts.
    pub fn all_outstanding(&self) -> Vec<&TracedCall> {
        let mut open: Vec<&(usize, TracedCall)> = self.open.values().collect();
        open.sort_unstable_by_key(|(place, _)| *place);
        open.into_iter().map(|(_, call)| call).collect()
    }
}

fn bit(board: u8) -> u32 {
    1u32.checked_shl(board.into()).unwrap_or(0)
}
