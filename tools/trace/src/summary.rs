//! What a trace adds up to: calls of each edge, time of the boards, overlap.
//!
//! Time of a call is from its beginning to its answer; *waiting* is the part before a server took it. Calls that were
//! not answered count, without time.

use crate::event::Timed;
use crate::figures::{Arrow, Frames, ProcessPlace, TraceFigures};
pub use crate::figures::{CoreTime, EdgeSum};
use crate::header::TraceHeader;
use crate::meter::Meter;
use std::collections::BTreeMap;
use std::fmt;

/// Caller and server: kinds, and whether on another board; and the entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallEdge {
    /// Board and kind of the callers.
    pub from: String,
    /// Board and kind of the servers.
    pub to: String,
    /// The entry.
    pub entry: String,
    /// To another board.
    pub remote: bool,
}

/// A summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceSummary {
    /// From the first event to the last, ns.
    pub span_ns: u64,
    /// Events.
    pub events: u64,
    /// By edge.
    pub edges: BTreeMap<CallEdge, EdgeSum>,
    /// By board and core.
    pub cores: Vec<(String, CoreTime)>,
    /// Cores of at least two boards were not idle, ns.
    pub overlap_ns: u64,
    /// The disk worked, ns; and of that, a core was not idle.
    pub disk_ns: (u64, u64),
    /// Frames, their bytes, their time on the wire and their waits for the token, ns.
    pub frames: [u64; 4],
}

/// Sums up.
pub fn summary(header: &TraceHeader, events: &[Timed]) -> TraceSummary {
    let mut meter = Meter::new(header.clone());
    events.iter().for_each(|event| meter.take(event));
    TraceSummary::of(header, &meter.figures())
}

impl TraceSummary {
    /// What these figures say.
    pub fn of(header: &TraceHeader, figures: &TraceFigures) -> TraceSummary {
        let mut sums = TraceSummary { span_ns: figures.span_ns(), events: figures.events, ..TraceSummary::default() };
        for (arrow, sum) in &figures.edges {
            sums.edges.entry(CallEdge::of(header, arrow)).or_default().add(*sum);
        }
        let boards = (0u8..).zip(&header.boards).zip(&figures.boards);
        let cores = boards.flat_map(|((number, board), figures)| {
            (0..board.cores()).map(move |core| (header.core_name(number, core), figures.cores[usize::from(core)]))
        });
        sums.cores = cores.collect();
        sums.overlap_ns = figures.overlap_ns;
        sums.disk_ns = (figures.boards.iter().map(|board| board.disk.busy_ns).sum(), figures.disk_overlap_ns);
        for Frames { frames, bytes, wire_ns, token_wait_ns } in figures.boards.iter().map(|board| board.sent) {
            let more = [frames, bytes, wire_ns, token_wait_ns];
            sums.frames.iter_mut().zip(more).for_each(|(sum, figure)| *sum = sum.saturating_add(figure));
        }
        sums
    }
}

impl CallEdge {
    /// With its names.
    pub fn of(header: &TraceHeader, arrow: &Arrow) -> CallEdge {
        let name = |place: ProcessPlace| format!("{}: {}", header.board(place.board), header.kind_name(place.kind));
        CallEdge {
            from: name(arrow.from),
            to: name(arrow.to),
            entry: header.kind_entry(arrow.to.kind, arrow.op).to_string(),
            remote: arrow.is_remote(),
        }
    }
}

/// Nanoseconds as microseconds, with all digits.
pub fn exact_us(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

impl fmt::Display for TraceSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} events in {} us", self.events, exact_us(self.span_ns))?;
        writeln!(f, "\n{:<6} {:>15} {:>15} {:>15}", "board", "programs, us", "system, us", "idle, us")?;
        for (name, core) in &self.cores {
            let CoreTime { programs_ns, system_ns, idle_ns } = core;
            writeln!(
                f,
                "{name:<6} {:>15} {:>15} {:>15}",
                exact_us(*programs_ns),
                exact_us(*system_ns),
                exact_us(*idle_ns)
            )?;
        }
        writeln!(f, "at least two boards busy: {} us", exact_us(self.overlap_ns))?;
        writeln!(
            f,
            "the disk busy: {} us, of these a board too: {} us",
            exact_us(self.disk_ns.0),
            exact_us(self.disk_ns.1)
        )?;
        let [frames, bytes, wire_ns, token_ns] = self.frames;
        writeln!(
            f,
            "{frames} frames, {bytes} bytes, {} us on the wire, {} us waiting for the token",
            exact_us(wire_ns),
            exact_us(token_ns)
        )?;
        for remote in [true, false] {
            let mut edges: Vec<_> = self.edges.iter().filter(|(edge, _)| edge.remote == remote).collect();
            edges.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total_ns));
            let calls: u64 = edges.iter().map(|(_, sum)| sum.calls).sum();
            let total_ns = edges.iter().fold(0u64, |total_ns, (_, sum)| total_ns.saturating_add(sum.total_ns));
            let what = if remote { "between boards" } else { "within a board" };
            writeln!(f, "\nCalls {what}: {calls}, {} us", exact_us(total_ns))?;
            writeln!(f, "{:>9} {:>15} {:>15}  edge", "calls", "time, us", "waiting, us")?;
            for (edge, sum) in edges {
                let EdgeSum { calls, total_ns, waiting_ns, .. } = *sum;
                let arrow = format!("{} -> {}, {}", edge.from, edge.to, edge.entry);
                writeln!(f, "{calls:>9} {:>15} {:>15}  {arrow}", exact_us(total_ns), exact_us(waiting_ns))?;
            }
        }
        Ok(())
    }
}
