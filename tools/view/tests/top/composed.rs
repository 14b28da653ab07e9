//! A trace of a second: every 10 ms program 7 of board a runs for 3 ms, then its call to the file of board a takes 1
//! ms. Board b is idle but for a frame.

use renga_abi::ProcId;
use renga_trace::{ProcessKind, Timed, TraceBoard, TraceEvent, TraceHeader, TraceWriter, TracedFrame, TracedProtocol};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

const USER: ProcId = ProcId::new(0, 0);
const FILE: ProcId = ProcId::new(0, 1);
const MS: u64 = 1_000_000;

pub fn header() -> TraceHeader {
    let board = |name: &str, kinds: &[usize]| {
        let mut board = TraceBoard { name: name.to_string(), ..TraceBoard::default() };
        kinds.iter().zip(0..).for_each(|(kind, index)| board.add(index, 0, *kind));
        board
    };
    let kind = |name: &str, serves| ProcessKind { name: name.to_string(), serves };
    TraceHeader {
        boards: vec![board("a", &[0, 1]), board("b", &[0])],
        kinds: vec![kind("user", None), kind("file", Some(0))],
        protocols: vec![TracedProtocol { name: "File".into(), entries: vec![(0, "Read".into())], releasable: 0 }],
        ..TraceHeader::default()
    }
}

pub fn events() -> Vec<Timed> {
    let frame = TracedFrame {
        destination: 0,
        token_wait_ns: 4_000,
        wire_ns: 250 * MS,
        arrives_after_ns: 250 * MS,
        bytes: vec![1; 90],
    };
    let name = u64::from_le_bytes(*b"worker\0\0");
    let mut events = vec![
        (0, 0, TraceEvent::Account { process: USER, account: 1 }),
        (0, 0, TraceEvent::Program { process: USER, pid: 7, name, rest: 0 }),
        (0, 1, TraceEvent::Idle {}),
        (0, 1, TraceEvent::Frame(frame)),
    ];
    for begin_ns in (0..100).map(|round| round * 10 * MS) {
        let parts = [
            (0, TraceEvent::Enter { process: USER }),
            (3, TraceEvent::Trap { process: USER }),
            (3, TraceEvent::SystemCall { process: USER, number: 63 }),
            (3, TraceEvent::Call { caller: USER, server: FILE, op: 0 }),
            (3, TraceEvent::Accept { server: FILE, caller: USER, op: 0 }),
            (4, TraceEvent::Reply { caller: USER, server: FILE, op: 0 }),
            (4, TraceEvent::Idle {}),
        ];
        events.extend(parts.into_iter().map(|(ms, event)| (begin_ns + ms * MS, 0, event)));
    }
    events.push((1000 * MS, 0, TraceEvent::Stopped));
    events.into_iter().map(|(time_ns, board, event)| Timed { time_ns, board, core: 0, event }).collect()
}

/// The file of a trace, removed when dropped.
pub struct TraceFile(pub PathBuf);

impl TraceFile {
    /// The first so many bytes of the whole trace, or all.
    pub fn new(bytes: Option<usize>) -> TraceFile {
        let written = written();
        TraceFile::of(&written[..bytes.unwrap_or(written.len())])
    }

    /// With this content.
    pub fn of(bytes: &[u8]) -> TraceFile {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("renga-top-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a file in the folder for them");
        TraceFile(path)
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn written() -> Vec<u8> {
    written_later(0)
}

/// All of it, `by_ns` later.
pub fn written_later(by_ns: u64) -> Vec<u8> {
    let mut out = TraceWriter::new(Vec::new(), &header()).expect("memory");
    let later = events().into_iter().map(|event| Timed { time_ns: event.time_ns + by_ns, ..event });
    later.for_each(|event| out.write(&event).expect("memory"));
    out.finish().expect("memory");
    out.into_inner()
}
