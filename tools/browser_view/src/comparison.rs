//! Two runs: where they part, and which calls have other sums.

use renga_abi::ProcId;
use renga_trace::event::EventNumber;
use renga_trace::summary::{CallEdge, EdgeSum, TraceSummary};
use renga_trace::{Timed, TraceEvent, TraceHeader};
use serde::Serialize;
use std::collections::BTreeSet;

/// How two runs differ.
#[derive(Debug, Serialize)]
pub struct RunComparison {
    /// The first event that differs: when, and what each run has there; none if they are the same.
    pub first: Option<FirstDifference>,
    /// Whether the runs name boards, processes or protocols otherwise, or have other settings.
    pub other_names: bool,
    /// Calls with other sums.
    pub edges: Vec<EdgeChange>,
}

/// The first event that differs.
#[derive(Debug, Serialize)]
pub struct FirstDifference {
    /// When, ns: the earlier of the two.
    pub time_ns: u64,
    /// The event of each run.
    pub events: [String; 2],
}

/// Calls of one kind in both runs.
#[derive(Debug, Serialize)]
pub struct EdgeChange {
    /// Callers, servers and entry.
    pub edge: String,
    /// How many.
    pub calls: [u64; 2],
    /// How long, ns.
    pub total_ns: [u64; 2],
}

/// The first events that differ of two runs, each with its own names.
pub fn first_difference<E>(
    headers: [&TraceHeader; 2],
    one: impl Iterator<Item = Result<Timed, E>>,
    other: impl Iterator<Item = Result<Timed, E>>,
) -> Result<Option<FirstDifference>, E> {
    let (mut one, mut other) = (one, other);
    loop {
        let pair = [one.next().transpose()?, other.next().transpose()?];
        if pair == [None, None] {
            return Ok(None);
        }
        if pair[0] != pair[1] {
            let time_ns = pair.iter().flatten().map(|timed| timed.time_ns).min().unwrap_or(0);
            let [one, other] = pair;
            let events = [described(headers[0], one), described(headers[1], other)];
            return Ok(Some(FirstDifference { time_ns, events }));
        }
    }
}

/// The calls of both runs with other sums, those that differ most first.
pub fn edge_changes(one: &TraceSummary, other: &TraceSummary) -> Vec<EdgeChange> {
    let edges: BTreeSet<&CallEdge> = one.edges.keys().chain(other.edges.keys()).collect();
    let sums = |edge: &CallEdge| [one, other].map(|run| run.edges.get(edge).copied().unwrap_or_default());
    let mut changes: Vec<EdgeChange> = edges.into_iter().map(|edge| changed(edge, sums(edge))).collect();
    changes.retain(|change| change.calls[0] != change.calls[1] || change.total_ns[0] != change.total_ns[1]);
    changes.sort_by_key(|change| std::cmp::Reverse(change.total_ns[0].abs_diff(change.total_ns[1])));
    changes
}

fn changed(edge: &CallEdge, sums: [EdgeSum; 2]) -> EdgeChange {
    EdgeChange { edge: edge_name(edge), calls: sums.map(|sum| sum.calls), total_ns: sums.map(|sum| sum.total_ns) }
}

/// Callers, servers and entry.
pub fn edge_name(edge: &CallEdge) -> String {
    format!("{} → {}, {}", edge.from, edge.to, edge.entry)
}

fn described(header: &TraceHeader, timed: Option<Timed>) -> String {
    let Some(Timed { time_ns, board, core, event }) = timed else { return "the run has ended".to_string() };
    let what = match (&event, event.numbers()) {
        (_, Some((kind, numbers))) => {
            let number = |(number, what): (&u64, &EventNumber)| match what {
                EventNumber::Id => header.full_name(ProcId::from_word(*number as u32)),
                EventNumber::Plain => number.to_string(),
            };
            let numbers: Vec<String> = numbers.iter().zip(kind.numbers()).map(number).collect();
            format!("{} {}", kind.name(), numbers.join(", "))
        }
        (TraceEvent::Frame(frame), _) => {
            format!("frame to {}, {} bytes", header.board(frame.destination), frame.bytes.len())
        }
        (TraceEvent::Stopped, _) => "stop".to_string(),
        _ => "start".to_string(),
    };
    format!("{time_ns} ns, board {}: {what}", header.core_name(board, core))
}
