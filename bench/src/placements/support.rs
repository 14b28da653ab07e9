//! Synthetic outcomes of placements: a shell and four jobs alone on each board, then all placements.

use super::job::{NOTHING, alone_label, jobs};
use super::placement::Placement;
use crate::rows::RowPlan;
use crate::run::RunOutcome;
use crate::support::{Traces, event, measured, outcome};
use renga_abi::ProcId;
use renga_trace::event::TraceEvent;

/// What a shell takes that starts nothing, and what jobs take more, ns.
pub(crate) const SHELL_NS: u64 = 128;
pub(crate) const JOBS_NS: [u64; 4] = [6400, 2240, 3200, 640];
/// From a job's start to the next one's.
const APART_NS: u64 = 100_000;
/// A job that waits for the disk does so in each of its parts.
const PARTS: u64 = 32;

/// Of jobs that only compute, or wait for the disk half of their time. Together they take the longer of both boards'
/// sums; the quickest placement may be slow.
pub(crate) fn outcomes(traces: &Traces, plan: RowPlan, with_disk: bool, quickest_slow: bool) -> Vec<RunOutcome> {
    let alone = [0, 1].map(|board| alone(traces, plan, board, with_disk));
    let sum = |placement: &Placement| {
        let of = |board: u8| {
            let jobs = placement.boards().iter().zip(JOBS_NS).filter(|(on, _)| **on == board);
            jobs.map(|(_, ns)| ns).sum::<u64>()
        };
        SHELL_NS + of(0).max(of(1))
    };
    let quickest = Placement::all(JOBS_NS.len()).map(|placement| sum(&placement)).min();
    let together = Placement::all(JOBS_NS.len()).map(|placement| {
        let ns = sum(&placement);
        let ns = if quickest_slow && Some(ns) == quickest { 2 * ns } else { ns };
        outcome((1..=3).map(|time| measured(&format!("{placement}-{time}"), 5, ns, "0")).collect())
    });
    alone.into_iter().chain(together).collect()
}

/// Each starts some time after the one before.
fn alone(traces: &Traces, plan: RowPlan, board: u8, with_disk: bool) -> RunOutcome {
    let process = ProcId::new(board, 0);
    let (mut text, mut events, mut begin_ns) = (String::new(), Vec::new(), APART_NS);
    let names = std::iter::once(NOTHING.to_string()).chain(jobs(plan).map(|job| alone_label(&job)));
    for (name, more_ns) in names.zip([0].into_iter().chain(JOBS_NS)) {
        for time in 1..=3 {
            let ns = SHELL_NS + more_ns;
            text += &measured(&format!("{name}-{time}"), begin_ns, ns, "0");
            let parts = if with_disk && more_ns > 0 { PARTS } else { 0 };
            let mut add = |after_ns: u64, what| events.push(event(begin_ns + after_ns, board, what));
            add(0, TraceEvent::Enter { process });
            for part in 0..parts {
                let (from, to) = (ns * part / PARTS, ns * (part + 1) / PARTS);
                let middle = from.midpoint(to);
                add(middle, TraceEvent::Disk { process, first: 1, blocks: 1, writes: false });
                add(middle, TraceEvent::Idle {});
                add(to, TraceEvent::DiskEnd { process });
                add(to, TraceEvent::Enter { process });
            }
            add(ns, TraceEvent::Idle {});
            begin_ns += APART_NS;
        }
    }
    traces.outcome(text, &events)
}
