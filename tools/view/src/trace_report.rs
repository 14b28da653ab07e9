//! The summary of a trace, for people and for programs.
//!
//! Invariant: text and JSON are made of the same [`TraceSummary`], phases and counts. Called by: `trace_command`. Not
//! here: the sums (`renga-trace`); parts of a trace that other options name (`trace_command`).

use renga_trace::event::Timed;
use renga_trace::figures::{CoreTime, EdgeSum};
use renga_trace::phases::{LinkUse, Phases, RunPhase, table};
use renga_trace::summary::{CallEdge, TraceSummary, summary};
use renga_trace::{TraceEvent, TraceHeader};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The sums of a trace.
pub(crate) struct WholeTrace {
    summary: TraceSummary,
    /// What crossed between boards.
    link: LinkUse,
    phases: Vec<RunPhase>,
    /// Events of each kind.
    kinds: BTreeMap<&'static str, u64>,
}

/// The sums of a trace, as `renga trace` has them. Times are virtual.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(crate) struct TraceReport<'a> {
    /// The form of this object: `renga-trace-1`.
    schema: &'static str,
    /// From the first event to the last, ns.
    span_ns: u64,
    /// How many events.
    events: u64,
    /// How many of each kind.
    events_by_kind: &'a BTreeMap<&'static str, u64>,
    /// The time of each core.
    cores: Vec<CoreReport<'a>>,
    /// Cores of at least two boards were not idle, ns.
    overlap_ns: u64,
    /// The disk worked, ns.
    disk_ns: u64,
    /// The disk worked while a core was not idle, ns.
    disk_overlap_ns: u64,
    /// Frames that took the wire.
    frames: u64,
    /// Their bytes.
    frame_bytes: u64,
    /// Their time on the wire, ns.
    wire_ns: u64,
    /// Their waits for the token, ns.
    token_wait_ns: u64,
    /// Calls to other boards.
    calls: u64,
    /// Of these, how many went to entries that may release their callers early.
    releasable: u64,
    /// Of these, how many did.
    released: u64,
    /// Calls by caller, server and entry.
    edges: Vec<EdgeReport<'a>>,
    /// From each mark of a program to the next.
    phases: Vec<PhaseReport<'a>>,
}

/// The time of a core.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CoreReport<'a> {
    /// Its board, and its number if the board has several.
    core: &'a str,
    /// User programs ran, ns.
    programs_ns: u64,
    /// System processes and the kernel ran, ns.
    system_ns: u64,
    /// It waited for an interrupt, ns.
    idle_ns: u64,
}

/// Calls of one kind of process to an entry of another one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct EdgeReport<'a> {
    /// Board and kind of the callers.
    from: &'a str,
    /// Board and kind of the servers.
    to: &'a str,
    /// The entry.
    entry: &'a str,
    /// Whether the calls go to another board.
    remote: bool,
    /// How many.
    calls: u64,
    /// Of these, how many were answered.
    answered: u64,
    /// From call to answer, ns.
    total_ns: u64,
    /// From call to accept, ns.
    waiting_ns: u64,
}

/// Calls and frames between boards in a phase.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct PhaseReport<'a> {
    /// The word of the mark that begins it.
    name: &'a str,
    /// When it begins, ns.
    begin_ns: u64,
    /// When it ends, ns.
    end_ns: u64,
    /// Calls to other boards.
    calls: u64,
    /// Of these, how many went to entries that may release their callers early.
    releasable: u64,
    /// Of these, how many did.
    released: u64,
    /// Frames that took the wire.
    frames: u64,
    /// Their bytes.
    frame_bytes: u64,
    /// Their time on the wire, ns.
    wire_ns: u64,
}

impl WholeTrace {
    pub(crate) fn of(header: &TraceHeader, events: &[Timed]) -> WholeTrace {
        let (mut phases, mut kinds) = (Phases::new(header.clone()), BTreeMap::<_, u64>::new());
        for timed in events {
            phases.take(timed);
            *kinds.entry(kind_name(&timed.event)).or_default() += 1;
        }
        WholeTrace { summary: summary(header, events), link: phases.whole(), phases: phases.finish(), kinds }
    }

    /// For programs.
    pub(crate) fn report(&self) -> TraceReport<'_> {
        let TraceSummary { span_ns, events, edges, cores, overlap_ns, disk_ns, frames } = &self.summary;
        let [frames, frame_bytes, wire_ns, token_wait_ns] = *frames;
        TraceReport {
            schema: "renga-trace-1",
            span_ns: *span_ns,
            events: *events,
            events_by_kind: &self.kinds,
            cores: cores.iter().map(CoreReport::of).collect(),
            overlap_ns: *overlap_ns,
            disk_ns: disk_ns.0,
            disk_overlap_ns: disk_ns.1,
            frames,
            frame_bytes,
            wire_ns,
            token_wait_ns,
            calls: self.link.calls,
            releasable: self.link.releasable,
            released: self.link.released,
            edges: edges.iter().map(EdgeReport::of).collect(),
            phases: self.phases.iter().map(PhaseReport::of).collect(),
        }
    }
}

impl<'a> CoreReport<'a> {
    fn of((core, time): &'a (String, CoreTime)) -> CoreReport<'a> {
        let CoreTime { programs_ns, system_ns, idle_ns } = *time;
        CoreReport { core, programs_ns, system_ns, idle_ns }
    }
}

impl<'a> EdgeReport<'a> {
    fn of((edge, sum): (&'a CallEdge, &EdgeSum)) -> EdgeReport<'a> {
        let CallEdge { from, to, entry, remote } = edge;
        let EdgeSum { calls, answered, total_ns, waiting_ns } = *sum;
        EdgeReport { from, to, entry, remote: *remote, calls, answered, total_ns, waiting_ns }
    }
}

impl<'a> PhaseReport<'a> {
    fn of(phase: &'a RunPhase) -> PhaseReport<'a> {
        let RunPhase { name, begin_ns, end_ns, link } = phase;
        let LinkUse { calls, releasable, released, frames, bytes: frame_bytes, wire_ns } = *link;
        let (begin_ns, end_ns) = (*begin_ns, *end_ns);
        PhaseReport { name, begin_ns, end_ns, calls, releasable, released, frames, frame_bytes, wire_ns }
    }
}

/// For people.
impl fmt::Display for WholeTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkUse { calls, releasable, released, .. } = self.link;
        writeln!(
            f,
            "{}\nOf {calls} calls between boards {releasable} could release their callers early, and {released} did.\n",
            self.summary
        )?;
        writeln!(f, "{}Events of each kind", table(&self.phases))?;
        self.kinds.iter().try_for_each(|(name, count)| writeln!(f, "{count:>9}  {name}"))
    }
}

fn kind_name(event: &TraceEvent) -> &'static str {
    match (event, event.numbers()) {
        (_, Some((kind, _))) => kind.name(),
        (TraceEvent::Frame(_), _) => "frame",
        (TraceEvent::Stopped, _) => "stop",
        _ => "start",
    }
}

#[cfg(test)]
mod tests {
    use super::{TraceReport, WholeTrace};
    use renga_abi::ProcId;
    use renga_trace::{Timed, TraceBoard, TraceEvent, TraceHeader};

    #[test]
    fn trace_schema_file_is_that_of_its_type() {
        renga_schema::expect_file::<TraceReport<'_>>("trace");
    }

    #[test]
    fn trace_events_are_counted_by_kind() {
        let process = ProcId::new(0, 0);
        let disk = TraceEvent::Disk { process, first: 8, blocks: 2, writes: true };
        let events = [disk, TraceEvent::DiskEnd { process }, TraceEvent::Token {}, TraceEvent::DiskEnd { process }];
        let events = events.map(|event| Timed { time_ns: 1, board: 0, core: 0, event });
        let whole = WholeTrace::of(&TraceHeader::default(), &events);
        let text = whole.to_string();
        assert!(
            text.ends_with("Events of each kind\n        1  disk\n        2  disk-end\n        1  token\n"),
            "{text}"
        );
        assert_eq!(whole.report().events_by_kind["disk-end"], 2);
    }

    #[test]
    fn trace_json_follows_schema() {
        let (caller, server) = (ProcId::new(0, 0), ProcId::new(1, 0));
        let mark = TraceEvent::Mark { process: caller, name: u64::from(b'x'), rest: 0 };
        let events = [mark, TraceEvent::Call { caller, server, op: 0 }, TraceEvent::Stopped];
        let events = events.map(|event| Timed { time_ns: 1, board: 0, core: 0, event });
        let boards = ["a", "b"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
        let whole = WholeTrace::of(&TraceHeader { boards: boards.into(), ..TraceHeader::default() }, &events);
        let report = whole.report();
        assert_eq!([report.cores.len(), report.edges.len(), report.phases.len()], [2, 1, 1]);
        renga_schema::expect_valid("trace", &serde_json::to_string(&report).expect("it can be written"));
    }
}
