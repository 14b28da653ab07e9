//! Time of a part of a run, from its trace: cores, disk, wire, calls between boards. Explains a figure.
//!
//! Invariant: all of it is counted between two instants of the run, on all boards, whatever its cause. Not here: sums
//! over a trace (`renga-trace`).

use crate::findings::FindingsTable;
use crate::rows::ms;
use crate::run::RunOutcome;
use anyhow::Result;
use renga_trace::TraceHeader;
use renga_trace::event::Timed;
use renga_trace::figures::{Frames, TraceFigures};
use renga_trace::meter::Meter;
use renga_trace::summary::{CallEdge, EdgeSum};
use std::collections::BTreeMap;

/// A part of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How long it took, ns.
    pub ns: u64,
    /// By board: its core was not idle, ns.
    pub busy_ns: Vec<u64>,
    /// At least two cores were not idle, ns.
    pub overlap_ns: u64,
    /// The disk worked, ns.
    pub disk_ns: u64,
    /// On the link.
    pub frames: u64,
    /// These were on the wire, ns.
    pub wire_ns: u64,
    /// They waited for the token, ns.
    pub token_ns: u64,
    /// Calls between boards.
    pub calls: u64,
    /// Their callers waited, each for itself, ns.
    pub calls_ns: u64,
    /// The entry in which callers waited longest, how many calls, ns.
    pub dearest: Option<(String, u64, u64)>,
}

impl Spent {
    fn of(meter: &Meter, figures: &TraceFigures) -> Spent {
        let busy = |board: &renga_trace::figures::BoardFigures| {
            let all = board.all_cores();
            all.programs_ns + all.system_ns
        };
        let mut entries = BTreeMap::<String, EdgeSum>::new();
        for (arrow, sum) in figures.edges.iter().filter(|(arrow, _)| arrow.is_remote()) {
            let CallEdge { to, entry, .. } = CallEdge::of(meter.header(), arrow);
            let kind = to.split_once(": ").map_or(to.as_str(), |(_, kind)| kind);
            entries.entry(format!("{kind}.{entry}")).or_default().add(*sum);
        }
        let dearest = entries.iter().max_by_key(|(_, sum)| sum.total_ns);
        let sent = |of: fn(&Frames) -> u64| figures.boards.iter().map(|board| of(&board.sent)).sum();
        Spent {
            ns: figures.span_ns(),
            busy_ns: figures.boards.iter().map(busy).collect(),
            overlap_ns: figures.overlap_ns,
            disk_ns: figures.boards.iter().map(|board| board.disk.busy_ns).sum(),
            frames: sent(|frames| frames.frames),
            wire_ns: sent(|frames| frames.wire_ns),
            token_ns: sent(|frames| frames.token_wait_ns),
            calls: entries.values().map(|sum| sum.calls).sum(),
            calls_ns: entries.values().map(|sum| sum.total_ns).sum(),
            dearest: dearest.map(|(entry, sum)| (entry.clone(), sum.calls, sum.total_ns)),
        }
    }

    /// In words: calls between boards, and what of their time is the wire's.
    pub fn words(&self) -> String {
        let Spent { wire_ns, frames, token_ns, .. } = self;
        self.calls_words()
            + &format!(
                ". Its {frames} frames were on the wire for {} ms, and waited {} ms for the token",
                ms(*wire_ns),
                ms(*token_ns)
            )
    }

    /// In words: calls between boards.
    pub fn calls_words(&self) -> String {
        let Spent { calls, calls_ns, .. } = self;
        let mut text = format!("{calls} calls between boards, in which callers waited {} ms", ms(*calls_ns));
        if let Some((entry, times, ns)) = &self.dearest {
            text += &format!(" ({} ms of it in {times} of {entry})", ms(*ns));
        }
        text
    }

    /// A row of [`table`].
    pub fn row(&self, title: &str) -> Vec<String> {
        let busy = |board: usize| self.busy_ns.get(board).map_or("-".to_string(), |ns| ms(*ns));
        let dearest = self
            .dearest
            .as_ref()
            .map_or("-".to_string(), |(entry, calls, ns)| format!("{entry}: {calls}, {} ms", ms(*ns)));
        let mut row = vec![title.to_string(), ms(self.ns), busy(0), busy(1), ms(self.overlap_ns), ms(self.disk_ns)];
        row.extend([ms(self.wire_ns), self.frames.to_string(), ms(self.token_ns)]);
        row.extend([self.calls.to_string(), ms(self.calls_ns), dearest]);
        row
    }
}

/// An empty table of where time went.
pub fn table() -> FindingsTable {
    FindingsTable::new(
        "Where the time went, from the traces, ms; waits: of calls between boards; most: the entry with the longest",
        &["", "took", "a", "b", "both", "disk", "wire", "frames", "token", "calls", "waits", "most"],
    )
}

/// Where the time of what was measured as `labels` went, in the order in which it was measured.
///
/// # Errors
/// If something was not measured, or there is no trace.
pub fn spent(outcome: &RunOutcome, labels: &[String]) -> Result<Vec<Spent>> {
    let measured = labels.iter().map(|label| outcome.measured(label)).collect::<Result<Vec<_>>>()?;
    let instants: Vec<u64> = measured.iter().flat_map(|found| [found.begin_ns, found.begin_ns + found.ns]).collect();
    outcome.with_trace(|header, events| between(header, events, &instants))
}

/// What was spent from the first instant to the second, from the third to the fourth, and so on.
fn between(
    header: TraceHeader,
    events: &mut dyn Iterator<Item = Result<Timed>>,
    instants: &[u64],
) -> Result<Vec<Spent>> {
    let (mut meter, mut snapshots) = (Meter::new(header), Vec::new());
    for timed in events {
        let timed = timed?;
        take_snapshots(&mut meter, instants, timed.time_ns, &mut snapshots);
        meter.take(&timed);
    }
    take_snapshots(&mut meter, instants, u64::MAX, &mut snapshots);
    Ok(snapshots.chunks(2).map(|pair| Spent::of(&meter, &pair[1].since(&pair[0]))).collect())
}

/// Notes what there is at each instant until `time_ns`.
fn take_snapshots(meter: &mut Meter, instants: &[u64], time_ns: u64, snapshots: &mut Vec<TraceFigures>) {
    while let Some(instant) = instants.get(snapshots.len()).filter(|instant| **instant <= time_ns) {
        meter.pass_until(*instant);
        snapshots.push(meter.figures());
    }
}

#[cfg(test)]
mod tests {
    use super::between;
    use renga_abi::ProcId;
    use renga_trace::event::{Timed, TraceEvent, TracedFrame};
    use renga_trace::{ProcessKind, TraceBoard, TraceHeader};

    /// A program of b runs from 10 to 100 ns and again from 160 ns on; from 100 to 150 it waits for a, which works from
    /// 120 to 180 ns.
    #[test]
    fn spent_phase_counts_its_own_events_only() {
        let (user, server) = (ProcId::new(1, 0), ProcId::new(0, 0));
        let frame = TracedFrame { destination: 0, token_wait_ns: 2, wire_ns: 7, arrives_after_ns: 8, bytes: vec![1] };
        let events = [
            (0, 0, TraceEvent::Idle {}),
            (10, 1, TraceEvent::Enter { process: user }),
            (100, 1, TraceEvent::Call { caller: user, server, op: 0 }),
            (100, 1, TraceEvent::Idle {}),
            (102, 1, TraceEvent::Frame(frame.clone())),
            (120, 0, TraceEvent::Dispatch { process: server }),
            (150, 1, TraceEvent::Reply { caller: user, server, op: 0 }),
            (160, 1, TraceEvent::Enter { process: user }),
            (180, 0, TraceEvent::Idle {}),
            (300, 1, TraceEvent::Frame(frame)),
        ];
        let mut events = events.into_iter().map(|(time_ns, board, event)| Ok(Timed { time_ns, board, core: 0, event }));
        let mut boards = ["a", "b"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
        boards.iter_mut().for_each(|board| board.add(0, 0, 0));
        let kinds = vec![ProcessKind { name: "x".to_string(), serves: None }];
        let header = TraceHeader { boards: boards.into(), kinds, protocols: Vec::new(), ..TraceHeader::default() };
        let found = between(header, &mut events, &[90, 170, 170, 200]).unwrap();
        let [first, second] = &found[..] else { panic!("two parts: {found:?}") };
        assert_eq!((first.ns, first.busy_ns.as_slice(), first.overlap_ns), (80, [50, 30].as_slice(), 20));
        assert_eq!((first.calls, first.calls_ns, first.frames, first.wire_ns, first.token_ns), (1, 50, 1, 7, 2));
        assert_eq!((second.ns, second.busy_ns.as_slice(), second.overlap_ns), (30, [10, 30].as_slice(), 10));
        assert_eq!((second.calls, second.frames, &second.dearest), (0, 0, &None));
    }
}
