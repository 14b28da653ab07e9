//! What a program waited for, instant by instant: the critical path of a system call, and who waits for whom.
//!
//! Who calls waits for the server, which may wait for another one, and so on, across boards too; at the end of that chain is
//! what everybody in it waits for. Invariant: the pieces of a path follow each other without gaps.

use crate::calls::Calls;
use crate::event::{Event, Timed};
use crate::header::Header;
use renga_abi::ProcId;
use std::collections::HashMap;
use std::fmt::Write;

/// Links of a chain at most: placement allows no circles, but a trace may say anything.
const CHAIN_MAX: usize = 32;

/// What a process does, as last told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Runs,
    Ready,
    Waits(&'static str),
    Program,
}

/// All processes at an instant.
#[derive(Default)]
struct Now {
    calls: Calls,
    states: HashMap<ProcId, State>,
    /// By board: who has the core.
    running: HashMap<u8, ProcId>,
    /// Servers that run inside the poll of whom they serve, and whom.
    in_place: HashMap<ProcId, ProcId>,
    disk_works: bool,
}

impl Now {
    fn take(&mut self, header: &Header, timed: &Timed) {
        self.calls.take(header, timed);
        let (process, state) = match timed.event {
            Event::Dispatch { process } | Event::Trap { process } => {
                self.running.insert(timed.board, process);
                (process, State::Runs)
            }
            Event::Enter { process } => {
                self.running.insert(timed.board, process);
                (process, State::Program)
            }
            Event::Accept { server, caller, .. } => {
                if self.running.get(&timed.board) == Some(&caller) {
                    self.running.insert(timed.board, server);
                    self.in_place.insert(server, caller);
                }
                (server, State::Runs)
            }
            Event::Reply { caller, .. } => (caller, State::Ready),
            Event::WaitCall { process } => self.waits(timed.board, process, "a call"),
            Event::WaitNotification { process } => self.waits(timed.board, process, "an interrupt or an alarm"),
            Event::WaitTurn { process } => self.waits(timed.board, process, "its turn"),
            Event::Notify { process } => (process, State::Ready),
            Event::Disk { .. } | Event::DiskEnd { .. } => {
                self.disk_works = matches!(timed.event, Event::Disk { .. });
                return;
            }
            Event::Idle {} => {
                self.running.remove(&timed.board);
                return;
            }
            Event::Started | Event::Stopped => {
                self.states.retain(|process, _| process.board.0 != timed.board);
                self.in_place.retain(|process, _| process.board.0 != timed.board);
                self.running.remove(&timed.board);
                return;
            }
            _ => return,
        };
        self.states.insert(process, state);
    }

    /// `process` has done what it can; the one in whose poll it ran goes on, at once if it has its answer.
    fn waits(&mut self, board: u8, process: ProcId, what: &'static str) -> (ProcId, State) {
        if let Some(caller) = self.in_place.remove(&process) {
            self.running.insert(board, caller);
            if self.states.get(&caller) == Some(&State::Ready) {
                self.states.insert(caller, State::Runs);
            }
        }
        (process, State::Waits(what))
    }

    /// The chain of those who wait for each other, from `process` on, and what the last one does.
    fn chain(&self, header: &Header, process: ProcId) -> String {
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
            Some(State::Waits(_)) if header.kind(at) == "disk" && self.disk_works => "waits for the medium".to_string(),
            Some(State::Waits("a call")) if at != process => "keeps the call".to_string(),
            Some(State::Waits(what)) => format!("waits for {what}"),
            Some(State::Program) => "its program".to_string(),
            Some(State::Ready) => "ready".to_string(),
            Some(State::Runs) | None => "runs".to_string(),
        };
        let _ = write!(chain, ": {what}");
        chain
    }
}

/// A piece of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// From when, ns.
    pub begin_ns: u64,
    /// Until when, ns.
    pub end_ns: u64,
    /// Who waits for whom, and what the last one does.
    pub what: String,
}

/// A system call, from the call until its program goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// The program's process.
    pub process: ProcId,
    /// As Linux numbers it.
    pub number: u32,
    /// When it was made, ns.
    pub begin_ns: u64,
    /// When the program went on, ns.
    pub end_ns: u64,
}

/// All system calls that came back.
pub fn system_calls(events: &[Timed]) -> Vec<SystemCall> {
    let mut open: HashMap<ProcId, SystemCall> = HashMap::new();
    let mut done = Vec::new();
    for timed in events {
        match timed.event {
            Event::SystemCall { process, number } => {
                let call = SystemCall { process, number, begin_ns: timed.time_ns, end_ns: 0 };
                open.insert(process, call);
            }
            Event::Enter { process } => {
                done.extend(open.remove(&process).map(|call| SystemCall { end_ns: timed.time_ns, ..call }));
            }
            Event::Started | Event::Stopped => open.retain(|process, _| process.board.0 != timed.board),
            _ => {}
        }
    }
    done
}

/// What `process` waited for from `begin_ns` to `end_ns`.
pub fn path(header: &Header, events: &[Timed], process: ProcId, begin_ns: u64, end_ns: u64) -> Vec<Piece> {
    let mut now = Now::default();
    let mut pieces: Vec<Piece> = Vec::new();
    for (place, timed) in events.iter().enumerate() {
        if timed.time_ns >= end_ns {
            break;
        }
        now.take(header, timed);
        let until_ns = events.get(place + 1).map_or(end_ns, |next| next.time_ns.min(end_ns));
        let from_ns = timed.time_ns.max(begin_ns);
        if until_ns <= from_ns {
            continue;
        }
        let what = now.chain(header, process);
        match pieces.last_mut() {
            Some(piece) if piece.what == what => piece.end_ns = until_ns,
            _ => pieces.push(Piece { begin_ns: from_ns, end_ns: until_ns, what }),
        }
    }
    pieces
}

/// The pieces as lines: since the beginning, how long, what.
pub fn timeline(pieces: &[Piece]) -> String {
    let begin_ns = pieces.first().map_or(0, |piece| piece.begin_ns);
    let mut text = format!("{:>12} {:>10}\n", "at, ns", "for, ns");
    for piece in pieces {
        let (at_ns, for_ns) = (piece.begin_ns - begin_ns, piece.end_ns - piece.begin_ns);
        let _ = writeln!(text, "{at_ns:>12} {for_ns:>10}  {}", piece.what);
    }
    text
}

/// Who waits for whom at `time_ns`: a line for each outstanding call, with the chain behind it.
pub fn waits(header: &Header, events: &[Timed], time_ns: u64) -> Vec<String> {
    let mut now = Now::default();
    events.iter().take_while(|timed| timed.time_ns <= time_ns).for_each(|timed| now.take(header, timed));
    let outstanding = now.calls.all_outstanding();
    outstanding
        .into_iter()
        .map(|call| format!("since {} ns: {}", call.begin_ns, now.chain(header, call.caller)))
        .collect()
}
