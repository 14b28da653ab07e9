//! Which call a proxy makes: of several boards, passed on by a server, released early, of boards that died.

use renga_abi::ProcId;
use renga_trace::calls::{Calls, TracedCall};
use renga_trace::event::{Timed, TraceEvent};
use renga_trace::header::{CallsFor, ProcessKind, TraceBoard, TraceHeader};
use renga_trace::moment::{TraceMoment, TracedState};
use renga_trace::path::path;
use renga_trace::summary;

/// On the board with the file: the file, another server, proxies of b's two programs, shared and released, and of c's.
const FILE: ProcId = ProcId::new(0, 0);
const OTHER: ProcId = ProcId::new(0, 1);
const OWN_OF_B: [ProcId; 2] = [ProcId::new(0, 2), ProcId::new(0, 3)];
const SHARED_OF_B: ProcId = ProcId::new(0, 4);
const RELEASED_OF_B: ProcId = ProcId::new(0, 5);
const SHARED_OF_C: ProcId = ProcId::new(0, 6);
const B: [ProcId; 2] = [ProcId::new(1, 0), ProcId::new(1, 1)];
const TABLE_OF_B: ProcId = ProcId::new(1, 2);
const C: ProcId = ProcId::new(2, 0);

fn header() -> TraceHeader {
    let kinds = ["file", "other", "proxy", "user", "table"];
    let mut boards = ["a", "b", "c"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
    boards[0].add(0, 0, 0);
    boards[0].add(1, 0, 1);
    boards[0].add_proxies(2, 2, 2, CallsFor::Own(1, 0));
    boards[0].add_proxies(4, 1, 2, CallsFor::Shared(1, 0, 2));
    boards[0].add_proxies(5, 1, 2, CallsFor::Released(1));
    boards[0].add_proxies(6, 1, 2, CallsFor::Shared(2, 0, 1));
    boards[1].add(0, 0, 3);
    boards[1].add(1, 1, 3);
    boards[1].add(2, 0, 4);
    boards[2].add(0, 0, 3);
    let kinds = kinds.map(|name| ProcessKind { name: name.to_string(), serves: None });
    TraceHeader { boards: boards.into(), kinds: kinds.into(), protocols: Vec::new(), ..TraceHeader::default() }
}

fn call(caller: ProcId, server: ProcId) -> (u8, TraceEvent) {
    (caller.board.0, TraceEvent::Call { caller, server, op: 0 })
}

fn reply(caller: ProcId, server: ProcId) -> (u8, TraceEvent) {
    (caller.board.0, TraceEvent::Reply { caller, server, op: 0 })
}

/// An event every 10 ns.
fn timed(events: &[(u8, TraceEvent)]) -> Vec<Timed> {
    let timed = |(place, (board, event)): (usize, &(u8, TraceEvent))| Timed {
        time_ns: 10 * place as u64,
        board: *board,
        core: 0,
        event: event.clone(),
    };
    events.iter().enumerate().map(timed).collect()
}

fn made_for(events: &[(u8, TraceEvent)]) -> Vec<Option<usize>> {
    let calls: Vec<TracedCall> = Calls::of(&header(), &timed(events));
    calls.iter().map(|call| call.made_for).collect()
}

#[test]
fn pairing_proxy_makes_calls_of_its_board() {
    // c's call comes first, b's proxy gets to work first.
    let events = [call(C, FILE), call(B[0], FILE), call(SHARED_OF_B, FILE), call(SHARED_OF_C, FILE)];
    assert_eq!(made_for(&events), [None, None, Some(1), Some(0)]);
}

#[test]
fn pairing_dedicated_proxy_makes_calls_of_one_process() {
    let events = [call(B[0], FILE), call(B[1], FILE), call(OWN_OF_B[1], FILE), call(SHARED_OF_B, FILE)];
    assert_eq!(made_for(&events), [None, None, Some(1), Some(0)]);
}

#[test]
fn pairing_forwarded_call_is_made_on_other_board() {
    let forward = (1, TraceEvent::Forward { caller: B[0], server: FILE, op: 0 });
    let events =
        [call(B[0], TABLE_OF_B), forward, call(SHARED_OF_B, FILE), reply(SHARED_OF_B, FILE), reply(B[0], FILE)];
    assert_eq!(made_for(&events), [None, Some(0)]);
    let calls = Calls::of(&header(), &timed(&events));
    assert!(calls[0].is_remote() && calls[0].end_ns == Some(40), "{calls:?}");
    // Passed on there: the caller's call was for the first.
    let forward = (0, TraceEvent::Forward { caller: SHARED_OF_B, server: OTHER, op: 0 });
    let events = [call(B[0], FILE), call(SHARED_OF_B, FILE), forward, call(B[1], OTHER), call(OWN_OF_B[1], OTHER)];
    assert_eq!(made_for(&events), [None, Some(0), None, Some(2)]);
}

#[test]
fn pairing_asynchronous_call_uses_another_proxy() {
    let events =
        [call(B[0], FILE), reply(B[0], FILE), call(B[1], FILE), call(SHARED_OF_B, FILE), call(RELEASED_OF_B, FILE)];
    assert_eq!(made_for(&events), [None, None, Some(1), Some(0)]);
}

#[test]
fn pairing_calls_of_dead_board_end() {
    let stop = |board| (board, TraceEvent::Stopped);
    let events = [call(B[0], FILE), stop(1), (1, TraceEvent::Started), call(B[0], FILE), call(SHARED_OF_B, FILE)];
    assert_eq!(made_for(&events), [None, None, Some(1)]);
    // The board of the file died with the call, and the router answers it.
    let events = [
        call(B[0], FILE),
        stop(0),
        reply(B[0], FILE),
        (0, TraceEvent::Started),
        call(B[0], FILE),
        call(SHARED_OF_B, FILE),
    ];
    assert_eq!(made_for(&events), [None, None, Some(1)]);
}

#[test]
fn pairing_dead_board_does_nothing() {
    let disk = (0, TraceEvent::Disk { process: FILE, first: 0, blocks: 1, writes: false });
    let events = timed(&[disk, (0, TraceEvent::Stopped), (1, TraceEvent::Idle {}), (1, TraceEvent::Idle {})]);
    let sums = summary::summary(&header(), &events);
    assert_eq!(sums.disk_ns, (10, 10));
    assert_eq!((sums.cores[0].1.system_ns, sums.cores[0].1.idle_ns), (10, 20));
}

#[test]
fn pairing_hostile_figures_do_not_overflow() {
    let frame = |wire_ns| {
        let frame = renga_trace::TracedFrame {
            destination: 1,
            token_wait_ns: u64::MAX,
            wire_ns,
            arrives_after_ns: 0,
            bytes: vec![],
        };
        (0, TraceEvent::Frame(frame))
    };
    let sums = summary::summary(&header(), &timed(&[frame(u64::MAX), frame(u64::MAX)]));
    assert_eq!(sums.frames, [2, 0, u64::MAX, u64::MAX]);
}

#[test]
fn pairing_caller_served_in_place_runs_after_server() {
    let accept = (1, TraceEvent::Accept { server: TABLE_OF_B, caller: B[0], op: 0 });
    let wait = (1, TraceEvent::WaitCall { process: TABLE_OF_B });
    let dispatch = (1, TraceEvent::Dispatch { process: B[0] });
    let events =
        timed(&[dispatch, call(B[0], TABLE_OF_B), accept, reply(B[0], TABLE_OF_B), wait, (1, TraceEvent::Idle {})]);
    let pieces = path(&header(), &events, B[0], 0, 50);
    let last = pieces.last().expect("a piece");
    assert_eq!((last.begin_ns, last.what.as_str()), (40, "b: user 0: runs"));
}

/// A proxy that the router notifies in place has no dispatch: it runs from its call on, until it or the router waits.
#[test]
fn moment_proxy_in_place_runs_in_the_poll_of_the_router() {
    const ROUTER: ProcId = OTHER;
    let proxy = OWN_OF_B[0];
    let on_a = |event| (0, event);
    let accept = on_a(TraceEvent::Accept { server: FILE, caller: proxy, op: 0 });
    let began = [
        on_a(TraceEvent::Dispatch { process: ROUTER }),
        on_a(TraceEvent::Notify { process: proxy }),
        call(proxy, FILE),
    ];
    let served = [
        accept,
        reply(proxy, FILE),
        on_a(TraceEvent::WaitCall { process: FILE }),
        on_a(TraceEvent::WaitNotification { process: proxy }),
    ];
    let ends = [on_a(TraceEvent::WaitNotification { process: ROUTER })];
    let run = |events: &[&[(u8, TraceEvent)]]| {
        let mut now = TraceMoment::default();
        let mut seen = Vec::new();
        for timed in timed(&events.concat()) {
            now.take(&header(), &timed, &mut |_, _| {});
            seen.push((now.running(0, 0), now.state(proxy)));
        }
        seen
    };
    let seen = run(&[&began, &served, &ends]);
    assert_eq!(seen[1], (Some(ROUTER), Some(TracedState::Ready)));
    assert_eq!(seen[2], (Some(proxy), Some(TracedState::Runs)));
    let running: Vec<_> = seen[3..].iter().map(|(running, _)| *running).collect();
    assert_eq!(running, [FILE, FILE, proxy, ROUTER, ROUTER].map(Some));
    let kept = run(&[&began, &ends]);
    assert_eq!(kept[3].0, Some(ROUTER), "the file server keeps the call");
}
