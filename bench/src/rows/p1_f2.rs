//! P1.F2: how many requests wait for the disk while two compiles run, on one board and on two.

use super::p1_t5::pair;
use super::{LedgerRow, RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot, quotient};
use crate::run::{BenchMachine, BenchRun, CostProfile, OURS, RunOutcome};
use crate::spent::{Spent, spent};
use crate::workload::CC_6876;
use anyhow::{Result, bail};
use renga_trace::TraceHeader;
use renga_trace::calls::Calls;
use renga_trace::event::Timed;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.F2",
    title: "Requests that wait for the disk while two compiles run: on one board, on two",
    published: "With two boards the queue is longer, as requests come more often.",
    method: "Both compiles of P1.T5, for the first time after the start, so that the disk has work. From the trace: the \
         number of unanswered requests, the one in progress included, when a request arrives. The paper sampled a \
         queue inside its disk process; ours consists of callers.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// The quantity of the claim.
const LONGER: &str = "queue-two-boards-less-one";

fn claims(_: CostProfile) -> Vec<Claim> {
    let what = "mean queue, one on each less both on a";
    let reason =
        "the paper's queue is longer on two boards; a hundredth of a request is the least that its figure shows";
    vec![Claim::paper(Quantity::new(LONGER, what, "requests"), "above 0", ClaimBound::AtLeast(0.01), reason)]
}

/// Both on a; one on each.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let with = |second: &str| {
        let script = format!("on a {}", pair(&CC_6876, second, "pair"));
        BenchRun::new(BenchMachine::Cluster(OURS), plan.profile, "dev", &script).traced()
    };
    vec![with(""), with("remote -b b ")]
}

/// How often the queue had each length when a request came.
fn lengths(header: &TraceHeader, events: &[Timed], from_ns: u64, to_ns: u64) -> Vec<u64> {
    let calls = Calls::of(header, events);
    let to_disk: Vec<_> = calls
        .iter()
        .filter(|call| header.kind(call.server) == "disk")
        .filter_map(|call| Some((call.begin_ns, call.end_ns?)))
        .collect();
    let mut lengths = Vec::new();
    for (came_ns, _) in to_disk.iter().filter(|(begin_ns, _)| (from_ns..to_ns).contains(begin_ns)) {
        let length = to_disk.iter().filter(|(begin_ns, end_ns)| begin_ns < came_ns && end_ns > came_ns).count();
        if lengths.len() <= length {
            lengths.resize(length + 1, 0);
        }
        lengths[length] += 1;
    }
    lengths
}

fn mean_length(lengths: &[u64]) -> f64 {
    let all: u64 = lengths.iter().sum();
    let sum: u64 = lengths.iter().zip(0..).map(|(times, length)| times * length).sum();
    quotient(sum, all)
}

/// How much the disk has to do.
fn why(outcomes: &[RunOutcome]) -> Result<String> {
    let label = ["pair".to_string()];
    let all = outcomes.iter().map(|outcome| Ok(spent(outcome, &label)?.remove(0))).collect::<Result<Vec<_>>>()?;
    let [one, two] = &all[..] else { bail!("two runs are needed") };
    let share = |found: &Spent| 100 * found.disk_ns / found.ns.max(1);
    Ok(format!(
        "Why: both on a take {} ms, and the disk works in {} % of it; one on each {} ms and {} %. Both compiles read \
         the same headers and libraries through one cache, so a second reader of a page waits at its inode \
         (inode.FillPage) and not at the disk. On two boards b's first reads cross the link meanwhile: {} ms of \
         wire.",
        ms(one.ns),
        share(one),
        ms(two.ns),
        share(two),
        ms(two.wire_ns)
    ))
}

fn evaluate(_: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let of = |outcome: &RunOutcome| {
        let measured = outcome.measured("pair")?;
        let (header, events) = outcome.events()?;
        Ok(lengths(&header, &events, measured.begin_ns, measured.begin_ns + measured.ns))
    };
    let all = outcomes.iter().map(of).collect::<Result<Vec<_>>>()?;
    let [one, two] = &all[..] else { bail!("two runs are needed") };
    let mut findings = Findings::default();
    let mut table = FindingsTable::new(
        "How often so many requests were not answered when one came",
        &["before it", "both on a", "one on each"],
    );
    for length in 0..one.len().max(two.len()) {
        let cell = |lengths: &[u64]| lengths.get(length).map_or("0".to_string(), u64::to_string);
        table.rows.push(vec![length.to_string(), cell(one), cell(two)]);
    }
    table.rows.push(vec!["mean".to_string(), format!("{:.3}", mean_length(one)), format!("{:.3}", mean_length(two))]);
    findings.tables.push(table);
    for (name, lengths) in [("both on a", one), ("one on each", two)] {
        findings.figure(format!("requests to the disk, {name}"), lengths.iter().sum());
    }
    let share = |lengths: &[u64]| -> Vec<(f64, f64)> {
        let all = lengths.iter().sum::<u64>().max(1) as f64;
        lengths.iter().enumerate().map(|(length, times)| (length as f64, *times as f64 / all)).collect()
    };
    let axes = ["requests before it", "part of all requests, share"];
    let curves = vec![Curve::new("both on a", share(one)), Curve::new("one on each", share(two))];
    let names = (0..one.len().max(two.len())).map(|length| length.to_string()).collect();
    findings.plots.push(Plot::new("Queue length seen by arriving requests", axes, curves).of_bars(names));
    findings.notes.push(why(outcomes)?);
    findings.quantity(LONGER, mean_length(two) - mean_length(one));
    Ok(findings)
}
