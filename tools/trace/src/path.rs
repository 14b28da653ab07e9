//! What a program waited for, instant by instant: the critical path of a system call, and the chain of waits.
//!
//! A caller waits for the server, which may wait for another one, and so on, across boards too; the end of that chain
//! is what every process in it waits for. Invariant: the pieces of a path follow each other without gaps.

use crate::event::{Timed, TraceEvent};
use crate::header::TraceHeader;
use crate::moment::TraceMoment;
use renga_abi::ProcId;
use std::collections::HashMap;
use std::fmt::Write;

/// A piece of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSegment {
    /// From when, ns.
    pub begin_ns: u64,
    /// Until when, ns.
    pub end_ns: u64,
    /// The chain of waits, and the last one's state.
    pub what: String,
}

/// A system call, from the call until its program goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// The program's process.
    pub process: ProcId,
    /// As Linux numbers it.
    pub number: u32,
    /// When it started, ns.
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
            TraceEvent::SystemCall { process, number } => {
                let call = SystemCall { process, number, begin_ns: timed.time_ns, end_ns: 0 };
                open.insert(process, call);
            }
            TraceEvent::Enter { process } => {
                done.extend(open.remove(&process).map(|call| SystemCall { end_ns: timed.time_ns, ..call }));
            }
            TraceEvent::Started | TraceEvent::Stopped => open.retain(|process, _| process.board.0 != timed.board),
            _ => {}
        }
    }
    done
}

/// What `process` waited for from `begin_ns` to `end_ns`.
pub fn path(header: &TraceHeader, events: &[Timed], process: ProcId, begin_ns: u64, end_ns: u64) -> Vec<PathSegment> {
    let mut now = TraceMoment::default();
    let mut pieces: Vec<PathSegment> = Vec::new();
    for (place, timed) in events.iter().enumerate() {
        if timed.time_ns >= end_ns {
            break;
        }
        now.take(header, timed, &mut |_, _| {});
        let until_ns = events.get(place + 1).map_or(end_ns, |next| next.time_ns.min(end_ns));
        let from_ns = timed.time_ns.max(begin_ns);
        if until_ns <= from_ns {
            continue;
        }
        let what = now.chain(header, process);
        match pieces.last_mut() {
            Some(piece) if piece.what == what => piece.end_ns = until_ns,
            _ => pieces.push(PathSegment { begin_ns: from_ns, end_ns: until_ns, what }),
        }
    }
    pieces
}

/// The pieces as lines: since the beginning, how long, what.
pub fn timeline(pieces: &[PathSegment]) -> String {
    let begin_ns = pieces.first().map_or(0, |piece| piece.begin_ns);
    let mut text = format!("{:>12} {:>10}\n", "at, ns", "for, ns");
    for piece in pieces {
        let (at_ns, for_ns) = (piece.begin_ns - begin_ns, piece.end_ns - piece.begin_ns);
        let _ = writeln!(text, "{at_ns:>12} {for_ns:>10}  {}", piece.what);
    }
    text
}

/// The waits at `time_ns`: a line for each outstanding call, with the chain behind it.
pub fn waits(header: &TraceHeader, events: &[Timed], time_ns: u64) -> Vec<String> {
    let mut now = TraceMoment::default();
    events
        .iter()
        .take_while(|timed| timed.time_ns <= time_ns)
        .for_each(|timed| now.take(header, timed, &mut |_, _| {}));
    let outstanding = now.calls().all_outstanding();
    outstanding
        .into_iter()
        .map(|call| format!("since {} ns: {}", call.begin_ns, now.chain(header, call.caller)))
        .collect()
}
