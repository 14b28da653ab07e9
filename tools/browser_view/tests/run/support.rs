//! Two boards: a program on a reads a file on b, whose server asks the disk there; later b stops and returns.

use renga_abi::ProcId;
use renga_browser_view::tables::RunTables;
use renga_browser_view::tabulator::TraceTabulator;
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use renga_trace::header::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
use renga_trace::{TraceReader, TraceWriter};
use renga_wire::{FRAME_BYTES_MAX, FrameKind, Head, Header, Request};

pub const USER: ProcId = ProcId::new(0, 0);
pub const ROUTER: ProcId = ProcId::new(0, 1);
pub const PROXY: ProcId = ProcId::new(1, 0);
pub const FILE: ProcId = ProcId::new(1, 1);
pub const DISK: ProcId = ProcId::new(1, 2);

pub fn header() -> TraceHeader {
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

/// The bytes of a frame between the boards that carries this.
fn frame_bytes(source: u8, head: Head) -> Vec<u8> {
    let (mut payload, mut bytes) = ([0; 64], [0; FRAME_BYTES_MAX]);
    let length = 1 + head.emit(&mut payload[1..]).expect("it is short");
    let header = Header { kind: FrameKind::Data, destination: 1 - source, source, epoch: 1, sequence: 1 };
    let length = header.emit(&payload[..length], &mut bytes).expect("it is short");
    bytes[..length].to_vec()
}

/// A frame from this board that has waited 9 ns for the token, and takes 30 ns on the wire, of which the receiver hears
/// 5 ns later.
fn frame(source: u8, head: Head) -> TraceEvent {
    let bytes = frame_bytes(source, head);
    let destination = 1 - source;
    TraceEvent::Frame(TracedFrame { destination, token_wait_ns: 9, wire_ns: 30, arrives_after_ns: 35, bytes })
}

/// 100 to 1,000 ns: a system call, of which 200 to 900 the call to b, of which 300 to 800 on b, of which 400 to 700 the
/// disk; its frames take the wire at 250 and at 840. b stops at 1,100 in another such call, and starts at 1,400.
pub fn events() -> Vec<Timed> {
    let call = |caller, server| TraceEvent::Call { caller, server, op: 0 };
    let accept = |server, caller| TraceEvent::Accept { server, caller, op: 0 };
    let reply = |caller, server| TraceEvent::Reply { caller, server, op: 0 };
    let disk = TraceEvent::Disk { process: DISK, first: 8, blocks: 1, writes: false };
    let program = TraceEvent::Program { process: USER, pid: 7, name: u64::from_le_bytes(*b"cat\0\0\0\0\0"), rest: 0 };
    let request = Request { destination: FILE.index, ..Request::default() };
    let asks = Head::Call { caller: USER.index, number: 1, request };
    let answers = Head::ReplyMore { caller: USER.index };
    [
        (50, 0, program),
        (50, 0, TraceEvent::Enter { process: USER }),
        (90, 0, TraceEvent::Trap { process: USER }),
        (100, 0, TraceEvent::SystemCall { process: USER, number: 63 }),
        (200, 0, call(USER, FILE)),
        (210, 0, accept(ROUTER, USER)),
        (250, 0, TraceEvent::Idle {}),
        (250, 0, TraceEvent::Token {}),
        (250, 0, frame(0, asks)),
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
        (840, 1, frame(1, answers)),
        (900, 0, reply(USER, FILE)),
        (950, 0, TraceEvent::Dispatch { process: USER }),
        (1000, 0, TraceEvent::Enter { process: USER }),
        (1020, 0, TraceEvent::Trap { process: USER }),
        (1020, 0, TraceEvent::SystemCall { process: USER, number: 63 }),
        (1030, 0, call(USER, FILE)),
        (1060, 1, call(PROXY, FILE)),
        (1100, 1, TraceEvent::Stopped),
        (1300, 0, reply(USER, FILE)),
        (1310, 0, TraceEvent::Enter { process: USER }),
        (1400, 1, TraceEvent::Started),
        (1500, 0, TraceEvent::Trap { process: USER }),
        (1500, 0, TraceEvent::ProgramEnd { process: USER }),
    ]
    .into_iter()
    .map(|(time_ns, board, event)| Timed { time_ns, board, core: 0, event })
    .collect()
}

pub fn trace(events: &[Timed]) -> Vec<u8> {
    trace_of(&header(), events)
}

/// The same with other names.
pub fn trace_of(header: &TraceHeader, events: &[Timed]) -> Vec<u8> {
    let mut out = TraceWriter::new(Vec::new(), header).expect("memory");
    events.iter().for_each(|timed| out.write(timed).expect("memory"));
    out.finish().expect("memory");
    out.into_inner()
}

pub fn tables() -> RunTables {
    let mut tabulator = TraceTabulator::new(header());
    let bytes = trace(&events());
    TraceReader::new(&bytes).expect("it begins").for_each(|timed| tabulator.take(&timed.expect("it is whole")));
    tabulator.finish()
}

/// A folder for the files of one test.
pub struct TestFolder(pub std::path::PathBuf);

impl TestFolder {
    pub fn new(name: &str) -> TestFolder {
        let path = std::env::temp_dir().join(format!("renga-browser-view-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is a folder for such files");
        TestFolder(path)
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("the folder is there");
        path
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // a file left behind harms no test
    }
}
