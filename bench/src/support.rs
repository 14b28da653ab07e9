//! Synthetic outcomes for tests: lines of measurements, and traces in files that go with the test.

use crate::run::{BenchRun, RunOutcome};
use renga_abi::ProcId;
use renga_trace::event::{Timed, TraceEvent, TracedFrame};
use renga_trace::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TraceWriter};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of traces, removed at the end.
pub(crate) struct Traces(PathBuf);

static MADE: AtomicU64 = AtomicU64::new(0);

impl Traces {
    pub(crate) fn new() -> Traces {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("renga-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Traces(folder)
    }

    /// An outcome with a trace of two boards.
    pub(crate) fn outcome(&self, text: String, events: &[Timed]) -> RunOutcome {
        self.outcome_of(&header(), text, events)
    }

    /// An outcome with a trace.
    pub(crate) fn outcome_of(&self, header: &TraceHeader, text: String, events: &[Timed]) -> RunOutcome {
        let path = self.0.join(MADE.fetch_add(1, Ordering::Relaxed).to_string());
        let mut trace = TraceWriter::new(File::create(&path).unwrap(), header).unwrap();
        events.iter().for_each(|event| trace.write(event).unwrap());
        trace.finish().unwrap();
        RunOutcome { text, trace: Some(path) }
    }

    /// An outcome of each run, in which each label took as long as `ns` says. In their traces a's core always works.
    pub(crate) fn timed(&self, runs: &[BenchRun], ns: impl Fn(usize, &str) -> u64) -> Vec<RunOutcome> {
        self.timed_with(runs, ns, |_, _| Vec::new())
    }

    /// The same, and what happens from a time on in each label of a run.
    pub(crate) fn timed_with(
        &self,
        runs: &[BenchRun],
        ns: impl Fn(usize, &str) -> u64,
        happens: impl Fn(usize, u64) -> Vec<Timed>,
    ) -> Vec<RunOutcome> {
        let of_run = |(place, run): (usize, &BenchRun)| {
            let (mut text, mut begin_ns) = (String::new(), 0);
            let mut events = vec![event(0, 0, TraceEvent::Enter { process: ProcId::new(0, 1) })];
            for label in labels(&run.script) {
                let ns = ns(place, label);
                text += &measured(label, begin_ns, ns, "0");
                events.extend(happens(place, begin_ns));
                begin_ns += ns;
            }
            self.outcome(text, &events)
        };
        runs.iter().enumerate().map(of_run).collect()
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn outcome(text: String) -> RunOutcome {
    RunOutcome { text, trace: None }
}

/// The lines of `measure`.
pub(crate) fn measured(label: &str, begin_ns: u64, ns: u64, counters: &str) -> String {
    format!("measuring {label} at {begin_ns}\nmeasured {label} status 0 ns {ns} counters {counters} totals 0\n")
}

/// What a script measures.
fn labels(script: &str) -> impl Iterator<Item = &str> {
    let words = || script.split_whitespace();
    let measures = |word: &str| word == "timed" || word.ends_with("measure");
    words()
        .zip(words().skip(1))
        .filter(move |(word, label)| measures(word) && !label.contains('"'))
        .map(|(_, label)| label)
}

/// Two boards: a proxy, a server and the disk on a, two processes on b.
pub(crate) fn header() -> TraceHeader {
    let mut boards = ["a", "b"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
    boards[0].add_proxies(0, 1, 0, CallsFor::Shared(1, 0, 1));
    boards[0].add(1, 0, 1);
    boards[0].add(2, 0, 2);
    boards[1].add(0, 0, 1);
    boards[1].add(1, 1, 1);
    let kinds = ["proxy", "x", "disk"].map(|name| ProcessKind { name: name.to_string(), serves: None });
    TraceHeader { boards: boards.into(), kinds: kinds.into(), ..TraceHeader::default() }
}

pub(crate) fn event(time_ns: u64, board: u8, event: TraceEvent) -> Timed {
    Timed { time_ns, board, core: 0, event }
}

/// A frame that is on the wire so long.
pub(crate) fn frame(wire_ns: u64) -> TraceEvent {
    frame_to(0, wire_ns, 1)
}

/// A frame to a board, of so many bytes.
pub(crate) fn frame_to(destination: u8, wire_ns: u64, bytes: usize) -> TraceEvent {
    let bytes = vec![1; bytes];
    TraceEvent::Frame(TracedFrame { destination, token_wait_ns: 0, wire_ns, arrives_after_ns: wire_ns, bytes })
}
