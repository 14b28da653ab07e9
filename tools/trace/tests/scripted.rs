//! Results of a hand-written trace: a program of board a reads through a file of board b.

use prost::Message;
use renga_abi::ProcId;
use renga_trace::calls::Calls;
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use renga_trace::header::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
use renga_trace::path::{path, system_calls, waits};
use renga_trace::perfetto::{self, DebugAnnotation, PerfettoTrace, TrackDescriptor, TrackEvent};
use renga_trace::{diff, summary};
use std::collections::BTreeSet;

const USER: ProcId = ProcId::new(0, 0);
const ROUTER: ProcId = ProcId::new(0, 1);
const PROXY: ProcId = ProcId::new(1, 0);
const FILE: ProcId = ProcId::new(1, 1);
const DISK: ProcId = ProcId::new(1, 2);
/// Waits in its only call.
const IDLE: ProcId = ProcId::new(1, 3);

fn header() -> TraceHeader {
    let kinds = ["user", "router", "proxy", "file", "disk"];
    let serves = [None, None, None, Some(0), Some(1)];
    let kind = |(name, serves): (&str, Option<usize>)| ProcessKind { name: name.to_string(), serves };
    let board = |name: &str, kinds: std::ops::Range<usize>| {
        let mut board = TraceBoard { name: name.to_string(), ..TraceBoard::default() };
        for (kind, index) in kinds.zip(0..) {
            match kind {
                2 => board.add_proxies(index, 1, kind, CallsFor::Shared(0, 0, 1)),
                _ => board.add(index, 0, kind),
            }
        }
        board
    };
    let protocol =
        |name: &str, entry: &str| TracedProtocol { name: name.into(), entries: vec![(0, entry.into())], releasable: 0 };
    TraceHeader {
        boards: vec![board("a", 0..2), board("b", 2..5)],
        kinds: kinds.into_iter().zip(serves).map(kind).collect(),
        protocols: vec![protocol("File", "Read"), protocol("Disk", "ReadBlocks")],
        ..TraceHeader::default()
    }
}

/// 100 to 1,000 ns: a system call, of which 200 to 900 the call to b, of which 300 to 800 on b, of which 400 to 700 the
/// disk.
fn events() -> Vec<Timed> {
    let call = |caller, server| TraceEvent::Call { caller, server, op: 0 };
    let accept = |server, caller| TraceEvent::Accept { server, caller, op: 0 };
    let reply = |caller, server| TraceEvent::Reply { caller, server, op: 0 };
    let disk = TraceEvent::Disk { process: DISK, first: 8, blocks: 1, writes: false };
    let program = TraceEvent::Program { process: USER, pid: 7, name: u64::from_le_bytes(*b"cat\0\0\0\0\0"), rest: 0 };
    [
        (50, 0, program),
        (50, 0, TraceEvent::Enter { process: USER }),
        (90, 0, TraceEvent::Trap { process: USER }),
        (100, 0, TraceEvent::SystemCall { process: USER, number: 63 }),
        (200, 0, call(USER, FILE)),
        (210, 0, accept(ROUTER, USER)),
        (250, 0, TraceEvent::Idle {}),
        (250, 0, TraceEvent::Token {}),
        (
            250,
            0,
            TraceEvent::Frame(TracedFrame {
                destination: 1,
                token_wait_ns: 9,
                wire_ns: 30,
                arrives_after_ns: 35,
                bytes: vec![0; 40],
            }),
        ),
        (290, 1, TraceEvent::Dispatch { process: PROXY }),
        (300, 1, call(PROXY, FILE)),
        (300, 1, accept(FILE, PROXY)),
        (400, 1, call(FILE, DISK)),
        (420, 1, accept(DISK, FILE)),
        (430, 1, disk),
        (430, 1, TraceEvent::WaitNotification { process: DISK }),
        (440, 1, TraceEvent::Idle {}),
        (690, 1, TraceEvent::DiskEnd { process: DISK }),
        (690, 1, TraceEvent::Notify { process: DISK }),
        (695, 1, TraceEvent::Dispatch { process: DISK }),
        (700, 1, reply(FILE, DISK)),
        (800, 1, reply(PROXY, FILE)),
        (900, 0, reply(USER, FILE)),
        (950, 0, TraceEvent::Dispatch { process: USER }),
        (1000, 0, TraceEvent::Enter { process: USER }),
    ]
    .into_iter()
    .map(|(time_ns, board, event)| Timed { time_ns, board, core: 0, event })
    .collect()
}

/// Holds: trace-summary.
#[test]
fn pairing_calls_match_replies_and_nested_calls() {
    let calls = Calls::of(&header(), &events());
    let found: Vec<_> = calls.iter().map(|call| (call.begin_ns, call.accept_ns, call.end_ns, call.made_for)).collect();
    let wanted =
        [(200, Some(210), Some(900), None), (300, Some(300), Some(800), Some(0)), (400, Some(420), Some(700), None)];
    assert_eq!(found, wanted);
}

/// Holds: trace-summary.
#[test]
fn summary_counts_calls_and_times() {
    let sums = summary::summary(&header(), &events());
    let of = |remote: bool| -> Vec<(u64, u64, u64)> {
        let edges = sums.edges.iter().filter(|(edge, _)| edge.remote == remote);
        edges.map(|(_, sum)| (sum.calls, sum.total_ns, sum.waiting_ns)).collect()
    };
    assert_eq!(of(true), [(1, 700, 10)]);
    assert_eq!(of(false), [(1, 300, 20), (1, 500, 0)]);
    let [(_, a), (_, b)] = &sums.cores[..] else { panic!("two boards") };
    assert_eq!((a.programs_ns, a.system_ns, a.idle_ns), (40, 260, 650));
    assert_eq!((b.programs_ns, b.system_ns, b.idle_ns), (0, 460, 490));
    assert_eq!((sums.overlap_ns, sums.disk_ns), (100, (260, 10)));
    assert!(sums.to_string().contains("a: user -> b: file, Read"));
}

/// Holds: trace-path.
#[test]
fn system_call_path_leads_to_disk_and_back() {
    let calls = system_calls(&events());
    let [call] = &calls[..] else { panic!("one system call: {calls:?}") };
    assert_eq!((call.number, call.begin_ns, call.end_ns), (63, 100, 1000));
    let pieces = path(&header(), &events(), USER, call.begin_ns, call.end_ns);
    assert!(pieces.windows(2).all(|pair| pair[0].end_ns == pair[1].begin_ns), "{pieces:#?}");
    assert_eq!((pieces[0].begin_ns, pieces[pieces.len() - 1].end_ns), (100, 1000));
    let at = |time_ns: u64| {
        let piece = pieces.iter().find(|piece| (piece.begin_ns..piece.end_ns).contains(&time_ns));
        piece.map(|piece| (piece.begin_ns, piece.end_ns, piece.what.as_str()))
    };
    assert_eq!(at(150), Some((100, 200, "a: user 0: runs")));
    assert_eq!(at(250), Some((200, 300, "a: user 0 -> link -> b: file 0 (Read)")));
    assert_eq!(at(350), Some((300, 400, "a: user 0 -> b: file 0 (Read): runs")));
    let disk = "a: user 0 -> b: file 0 (Read) -> b: disk 0 (ReadBlocks): waits for the medium";
    assert_eq!(at(500), Some((430, 690, disk)));
    assert_eq!(at(850).map(|piece| piece.0), Some(800));
}

/// Holds: trace-path.
#[test]
fn wait_graph_at_instant_is_exact() {
    let lines = waits(&header(), &events(), 500);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines[0].starts_with("since 200 ns: a: user 0 -> b: file 0 (Read) -> b: disk 0"), "{}", lines[0]);
    assert!(waits(&header(), &events(), 950).is_empty());
}

/// Holds: trace-perfetto.
#[test]
fn export_slices_are_closed_and_flows_joined() {
    let bytes = perfetto::export(&header(), &events()).encode_to_vec();
    let trace = PerfettoTrace::decode(&bytes[..]).expect("a trace");
    let events: Vec<_> =
        trace.packet.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.clone()?))).collect();
    assert!(events.is_sorted_by_key(|(time_ns, _)| *time_ns));
    let mut open = std::collections::BTreeMap::<_, Vec<_>>::new();
    let (mut slices, mut instants) = (Vec::new(), Vec::new());
    for (time_ns, event) in &events {
        let track = open.entry(event.track_uuid).or_default();
        match event.r#type {
            Some(1) => track.push((*time_ns, event.clone())),
            Some(3) => instants.push((*time_ns, shown(event))),
            Some(4) => {}
            _ => slices.extend(
                track
                    .pop()
                    .map(|(begin_ns, begun)| (begin_ns, *time_ns, shown(&begun)))
                    .or_else(|| panic!("{event:?}")),
            ),
        }
    }
    assert!(open.values().all(Vec::is_empty));
    let has =
        |begin_ns, end_ns, name: &str| assert!(slices.contains(&(begin_ns, end_ns, name.to_string())), "{slices:#?}");
    has(200, 900, "call: file.Read server=b: file 0 entry=Read");
    has(210, 1000, "service: serves Read caller=a: user 0 entry=Read");
    has(300, 1000, "service: serves Read caller=b: proxy 0 entry=Read");
    has(400, 700, "call: disk.ReadBlocks server=b: disk 0 entry=ReadBlocks");
    has(420, 1000, "service: serves ReadBlocks caller=b: file 0 entry=ReadBlocks");
    has(250, 280, "link: a to b bytes=40 token_wait_ns=9 arrives_after_ns=35");
    has(50, 90, "program: cat pid=7");
    has(50, 90, "program: runs");
    has(100, 1000, "syscall: read number=63");
    has(430, 690, "disk: read block=8 blocks=1 bytes=4096");
    assert_eq!(instants, [(50, "program: is cat pid=7".to_string()), (250, "link: token board=a".to_string())]);
    let flows: Vec<_> = events.iter().filter(|(_, event)| event.flow_ids == [1]).map(|(time_ns, _)| *time_ns).collect();
    assert_eq!(flows, [200, 300], "from the caller to its proxy");
}

/// Category, name and arguments of an event.
fn shown(event: &TrackEvent) -> String {
    let argument = |argument: &DebugAnnotation| {
        let value = argument.uint_value.map_or_else(|| argument.string_value().to_string(), |value| value.to_string());
        format!(" {}={value}", argument.name())
    };
    let arguments: String = event.debug_annotations.iter().map(argument).collect();
    format!("{}: {}{arguments}", event.categories.concat(), event.name())
}

/// Holds: trace-perfetto.
#[test]
fn export_idle_tracks_are_left_out() {
    let waits = TraceEvent::Call { caller: IDLE, server: FILE, op: 0 };
    let mut events = vec![Timed { time_ns: 0, board: 1, core: 0, event: waits }];
    events.extend(self::events());
    let trace = perfetto::export(&header(), &events);
    let tracks: Vec<_> = trace.packet.iter().filter_map(|packet| packet.track_descriptor.clone()).collect();
    let names: Vec<_> = tracks.iter().map(|track| track.name()).collect();
    let on_a = ["run queue", "core 0", "cat (7)", "user 0", "router 0"];
    let on_b = ["run queue", "core 0", "disk", "proxy 0", "file 0", "disk 0"];
    let mut wanted = ["link", "link load, %", "frames waiting for the token", "board a", "board b"].to_vec();
    wanted.extend(on_a.iter().chain(&on_b));
    let sorted = |mut names: Vec<&str>| -> Vec<String> {
        names.sort_unstable();
        names.into_iter().map(String::from).collect()
    };
    assert_eq!(sorted(names), sorted(wanted));
    let of_events: BTreeSet<_> =
        trace.packet.iter().filter_map(|packet| packet.track_event.as_ref()?.track_uuid).collect();
    let uuids: BTreeSet<_> =
        tracks.iter().filter(|track| track.process.is_none()).filter_map(|track| track.uuid).collect();
    assert_eq!(uuids, of_events);
}

/// The values of a counter of a trace, and when they begin.
fn counter(trace: &PerfettoTrace, name: &str, board: u64) -> Vec<(u64, i64)> {
    let tracks = trace.packet.iter().filter_map(|packet| packet.track_descriptor.as_ref());
    let wanted = |track: &&TrackDescriptor| {
        track.name() == name && (track.parent_uuid.is_none() || track.uuid() >> 48 & 255 == board)
    };
    let Some(track) = tracks.filter(|track| track.counter.is_some()).find(wanted) else { return Vec::new() };
    let events = trace.packet.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)));
    events
        .filter(|(_, event)| event.track_uuid == track.uuid)
        .map(|(time_ns, event)| (time_ns, event.counter_value()))
        .collect()
}

/// Holds: trace-perfetto.
#[test]
fn export_counters_have_load_and_queues() {
    let trace = perfetto::export(&header(), &events());
    assert_eq!(counter(&trace, "link load, %", 0), [(0, 1), (1_000_000, 0)], "30 ns of a millisecond, rounded up");
    assert_eq!(counter(&trace, "frames waiting for the token", 0), [(241, 1), (250, 0)]);
    assert_eq!(counter(&trace, "run queue", 0), [(900, 1), (950, 0)], "from the reply to the dispatch");
    assert_eq!(counter(&trace, "run queue", 1), [(690, 1), (695, 0)], "from the notification to the dispatch");
    let frames = [(10, 90), (20, 90), (30, 80)].map(|(time_ns, free)| (time_ns, TraceEvent::FreeFrames { free }));
    let stop = (40, TraceEvent::Stopped);
    let again = [(60, TraceEvent::Started), (70, TraceEvent::FreeFrames { free: 7 }), (75, TraceEvent::Idle {})];
    let events = frames.into_iter().chain([stop]).chain(again);
    let events: Vec<Timed> = events.map(|(time_ns, event)| Timed { time_ns, board: 1, core: 0, event }).collect();
    let trace = perfetto::export(&header(), &events);
    assert_eq!(counter(&trace, "free page frames", 1), [(10, 90), (30, 80), (40, 0), (70, 7), (75, 0)]);
    let queued = |first: u64, second: u64| {
        let call = |caller| TraceEvent::Call { caller, server: FILE, op: 0 };
        let accept = |caller| TraceEvent::Accept { server: FILE, caller, op: 0 };
        let events = [(10, call(PROXY)), (first, accept(PROXY)), (20, call(DISK)), (second, accept(DISK))];
        let mut events = events.map(|(time_ns, event)| Timed { time_ns, board: 1, core: 0, event });
        events.sort_by_key(|timed| timed.time_ns);
        counter(&perfetto::export(&header(), &events), "calls waiting for file", 1)
    };
    assert_eq!(queued(30, 50), [(10, 1), (20, 2), (30, 1), (50, 0)]);
    assert!(queued(15, 50).is_empty(), "one call is no queue");
}

/// Holds: trace-path.
#[test]
fn diff_of_traces_finds_first_difference() {
    let (one, mut other) = (events(), events());
    assert_eq!(diff::difference(&header(), &one, &other).first, None);
    other[20].time_ns += 50;
    let found = diff::difference(&header(), &one, &other);
    assert_eq!(found.first, Some([Some(one[20].clone()), Some(other[20].clone())]));
    let [(edge, [left, right])] = &found.edges[..] else { panic!("one edge: {:?}", found.edges) };
    assert_eq!((edge.entry.as_str(), left.total_ns, right.total_ns), ("ReadBlocks", 300, 350));
}
