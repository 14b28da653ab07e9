//! Results of a hand-written trace: a program of board a reads through a file of board b.

use prost::Message;
use renga_abi::ProcId;
use renga_trace::calls::Calls;
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use renga_trace::header::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
use renga_trace::path::{path, system_calls, waits};
use renga_trace::perfetto::{self, PerfettoTrace};
use renga_trace::{diff, summary};

const USER: ProcId = ProcId::new(0, 0);
const ROUTER: ProcId = ProcId::new(0, 1);
const PROXY: ProcId = ProcId::new(1, 0);
const FILE: ProcId = ProcId::new(1, 1);
const DISK: ProcId = ProcId::new(1, 2);

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
    [
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
        (700, 1, reply(FILE, DISK)),
        (800, 1, reply(PROXY, FILE)),
        (900, 0, reply(USER, FILE)),
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
            Some(1) => track.push((*time_ns, event.name.clone().expect("a slice has a name"))),
            Some(3) => instants.push((*time_ns, event.name.clone().expect("an instant has a name"))),
            _ => slices
                .extend(track.pop().map(|(begin_ns, name)| (begin_ns, *time_ns, name)).or_else(|| panic!("{event:?}"))),
        }
    }
    assert!(open.values().all(Vec::is_empty));
    let has =
        |begin_ns, end_ns, name: &str| assert!(slices.contains(&(begin_ns, end_ns, name.to_string())), "{slices:#?}");
    has(200, 900, "b: file 0 Read");
    has(210, 1000, "serves a: user 0: Read");
    has(300, 1000, "serves b: proxy 0: Read");
    has(400, 700, "b: disk 0 ReadBlocks");
    has(420, 1000, "serves b: file 0: ReadBlocks");
    has(250, 280, "a to b, 40 bytes");
    has(50, 90, "program of user 0");
    has(430, 690, "reads 1 from 8");
    assert_eq!(instants, [(100, "system call 63".to_string()), (250, "token: a".to_string())]);
    let flows: Vec<_> = events.iter().filter(|(_, event)| event.flow_ids == [1]).map(|(time_ns, _)| *time_ns).collect();
    assert_eq!(flows, [200, 300], "from the caller to its proxy");
    let tracks: Vec<_> = trace.packet.iter().filter_map(|packet| packet.track_descriptor.clone()?.uuid).collect();
    assert!(events.iter().all(|(_, event)| tracks.contains(&event.track_uuid.unwrap())), "every track is described");
}

/// Holds: trace-path.
#[test]
fn diff_of_traces_finds_first_difference() {
    let (one, mut other) = (events(), events());
    assert_eq!(diff::difference(&header(), &one, &other).first, None);
    other[18].time_ns += 50;
    let found = diff::difference(&header(), &one, &other);
    assert_eq!(found.first, Some([Some(one[18].clone()), Some(other[18].clone())]));
    let [(edge, [left, right])] = &found.edges[..] else { panic!("one edge: {:?}", found.edges) };
    assert_eq!((edge.entry.as_str(), left.total_ns, right.total_ns), ("ReadBlocks", 300, 350));
}
