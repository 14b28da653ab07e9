//! Phases of a trace: what falls into which, and which calls released their callers early.

use renga_abi::ProcId;
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use renga_trace::header::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
use renga_trace::phases::{LinkUse, Phases, table};

const SERVER: ProcId = ProcId::new(0, 0);
const PROXY: ProcId = ProcId::new(0, 1);
const RELEASED_PROXY: ProcId = ProcId::new(0, 2);
const USER: ProcId = ProcId::new(1, 0);
const WRITE: u8 = 1;
const READ: u8 = 0;

fn header() -> TraceHeader {
    let mut boards = ["a", "b"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
    boards[0].add(0, 0, 0);
    boards[0].add_proxies(1, 1, 1, CallsFor::Shared(1, 0, 1));
    boards[0].add_proxies(2, 1, 1, CallsFor::Released(1));
    boards[1].add(0, 0, 2);
    let kind = |name: &str, serves| ProcessKind { name: name.to_string(), serves };
    let entries = vec![(READ, "Read".to_string()), (WRITE, "Write".to_string())];
    let protocols = vec![TracedProtocol { name: "File".to_string(), entries, releasable: 1 << WRITE }];
    TraceHeader {
        boards: boards.into(),
        kinds: vec![kind("file", Some(0)), kind("proxy", None), kind("user", None)],
        protocols,
        ..TraceHeader::default()
    }
}

fn mark(word: &[u8]) -> (u8, TraceEvent) {
    let mut bytes = [0; 8];
    bytes[..word.len()].copy_from_slice(word);
    (1, TraceEvent::Mark { process: SERVER, name: u64::from_le_bytes(bytes), rest: 0 })
}

fn call(caller: ProcId, op: u8) -> (u8, TraceEvent) {
    (caller.board.0, TraceEvent::Call { caller, server: SERVER, op })
}

fn reply(caller: ProcId, op: u8) -> (u8, TraceEvent) {
    (caller.board.0, TraceEvent::Reply { caller, server: SERVER, op })
}

fn frame() -> (u8, TraceEvent) {
    (
        1,
        TraceEvent::Frame(TracedFrame {
            destination: 0,
            token_wait_ns: 0,
            wire_ns: 5,
            arrives_after_ns: 6,
            bytes: vec![0; 20],
        }),
    )
}

/// An event every 10 ns.
fn phases(events: &[(u8, TraceEvent)]) -> Phases {
    let mut phases = Phases::new(header());
    for (time_ns, (board, event)) in (0..).step_by(10).zip(events) {
        phases.take(&Timed { time_ns, board: *board, core: 0, event: event.clone() });
    }
    phases
}

#[test]
fn phases_count_what_falls_between_marks() {
    let events = [
        frame(),
        mark(b"load"),
        call(USER, READ),
        frame(),
        call(PROXY, READ),
        reply(PROXY, READ),
        frame(),
        reply(USER, READ),
        mark(b"store"),
        call(USER, WRITE),
        reply(USER, WRITE),
        frame(),
        call(RELEASED_PROXY, WRITE),
        mark(b"end"),
        frame(),
    ];
    let found = phases(&events).finish();
    let read = LinkUse { calls: 1, releasable: 0, released: 0, frames: 2, bytes: 40, wire_ns: 10 };
    let write = LinkUse { calls: 1, releasable: 1, released: 1, frames: 1, bytes: 20, wire_ns: 5 };
    assert_eq!(found.iter().map(|phase| phase.link).collect::<Vec<_>>(), [read, write]);
    let times: Vec<_> = found.iter().map(|phase| (phase.name.as_str(), phase.begin_ns, phase.end_ns)).collect();
    assert_eq!(times, [("load", 10, 80), ("store", 80, 130)]);
    assert!((found[1].busy_percent() - 10.0).abs() < 1e-9);
    assert!(table(&found).lines().nth(2).is_some_and(|line| line.ends_with("load")), "{}", table(&found));
}

#[test]
fn phases_synchronous_call_of_releasable_entry_is_not_released() {
    let events = [mark(b"store"), call(USER, WRITE), call(PROXY, WRITE), reply(PROXY, WRITE), reply(USER, WRITE)];
    let found = phases(&events).finish();
    assert_eq!((found[0].link.releasable, found[0].link.released), (1, 0));
}

#[test]
fn phases_without_marks_are_none() {
    assert_eq!(table(&phases(&[frame(), call(USER, READ)]).finish()), "");
}
