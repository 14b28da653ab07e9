//! P1.T3: a program on the board without the disk, with two placements that differ by lines of the system file.

use super::{LedgerRow, RowPlan, ms, twice_on_b};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable};
use crate::observed::counted;
use crate::run::{BenchRun, BenchSystem, CostProfile, Edit, OURS, PAPERS, RunOutcome};
use crate::spent::{self, spent};
use crate::workload::{CC_6876, CC_96413, LS_SORT, WorkloadProgram};
use anyhow::{Result, bail};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T3",
    title: "Two placements by changing only the system file, programs on b",
    published: "With only the disk process on A, a program on B sends fewer messages than with the standard placement, yet \
         takes longer because less overlaps.",
    method: "The other placement has the metadata buffers and their directory on b, with the program. The readers and \
         writers of file pages stay with the disk, because they pass frames to the medium. So the other placement \
         sends more messages here, not fewer. Each program runs twice; the second run counts.",
    runs,
    claims,
    evaluate,
};

/// Programs, and what was published: s and calls between boards with the other placement, and with the standard one.
const PROGRAMS: [(WorkloadProgram, [(f64, u64); 2]); 3] = [
    (CC_6876, [(92.2, 1326), (90.5, 3102)]),
    (CC_96413, [(858.9, 10_496), (831.8, 21_856)]),
    (LS_SORT, [(4.7, 79), (3.8, 276)]),
];

/// What is on b with the other placement.
const MOVED: [Edit; 2] = [
    ("buffer_directory   = { on = \"a\" }", "buffer_directory = { on = \"b\" }"),
    ("buffer             = { on = \"a\", count = 480 }", "buffer = { on = \"b\", count = 480 }"),
];
const OURS_MOVED: BenchSystem = BenchSystem { label: "leases, books on b", base: "pair", edits: &MOVED };
const PAPERS_MOVED: BenchSystem =
    BenchSystem { label: "no leases, books on b", base: "pair", edits: &[PAPERS.edits[0], MOVED[0], MOVED[1]] };

/// Why this is another experiment.
const OTHER_PLACEMENT: &str = "the paper leaves only the disk process on A; other kinds of process need the disk's board here, so another \
    placement is measured, which sends more calls";
/// The quantities of claims.
const TIME: &str = "standard-to-other";
const CALLS: &str = "calls-other-to-standard";

fn claims(_: CostProfile) -> Vec<Claim> {
    let time = Quantity::new(TIME, "the standard placement to the other, the slowest program, without leases", "times");
    let calls =
        Quantity::new(CALLS, "calls of the other placement to the standard one, the most, without leases", "times");
    let claims = [
        Claim::paper(time, "0.81 to 0.98", ClaimBound::AtMost(1.0), "the paper's standard placement is quicker"),
        Claim::paper(calls, "0.29 to 0.48", ClaimBound::AtMost(1.0), "the paper's other placement sends fewer calls"),
    ];
    claims.map(|claim| claim.untested(OTHER_PLACEMENT)).into()
}

fn programs(plan: RowPlan) -> &'static [(WorkloadProgram, [(f64, u64); 2])] {
    if plan.short { &PROGRAMS[..1] } else { &PROGRAMS }
}

/// With leases the other placement, the standard one; without them the same.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on_b =
        |system: BenchSystem| twice_on_b(plan, system, programs(plan).iter().map(|(program, _)| program)).traced();
    vec![on_b(OURS_MOVED), on_b(OURS), on_b(PAPERS_MOVED), on_b(PAPERS)]
}

/// How long a program took, ns, and the calls between boards meanwhile, in both directions.
fn of_program(outcome: &RunOutcome, label: &str) -> Result<(u64, u64)> {
    let measured = outcome.measured(label)?;
    let (header, events) = outcome.events()?;
    let found = counted(&header, &events, measured.begin_ns, measured.begin_ns + measured.ns);
    Ok((measured.ns, found.remote))
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let [ours_moved, ours, papers_moved, papers] = outcomes else { bail!("four runs are needed") };
    let mut findings = Findings::default();
    let columns = [
        "",
        "moved",
        "standard",
        "calls",
        "calls, standard",
        "published:",
        "disk only",
        "standard",
        "calls",
        "calls, standard",
    ];
    for (what, moved, standard, of_paper) in
        [("without leases", papers_moved, papers, true), ("with leases", ours_moved, ours, false)]
    {
        let mut table = FindingsTable::new(format!("{what}, ms (published: s)"), &columns);
        let mut worst = [0.0f64; 2];
        for (program, published) in programs(plan) {
            let label = format!("{}-2", program.name);
            let found = [of_program(moved, &label)?, of_program(standard, &label)?];
            for (placement, (ns, calls)) in ["moved", "standard"].iter().zip(found) {
                findings.figure(format!("{} {what} {placement} ns", program.name), ns);
                findings.figure(format!("{} {what} {placement} calls", program.name), calls);
            }
            let [(moved_ns, moved_calls), (standard_ns, standard_calls)] = found;
            let ratio = |one: u64, other: u64| one as f64 / other.max(1) as f64;
            worst[0] = worst[0].max(ratio(standard_ns, moved_ns));
            worst[1] = worst[1].max(ratio(moved_calls, standard_calls));
            let mut row = vec![program.title.to_string(), ms(moved_ns), ms(standard_ns)];
            row.extend([moved_calls.to_string(), standard_calls.to_string(), String::new()]);
            row.extend(published.map(|(seconds, _)| seconds.to_string()));
            row.extend(published.map(|(_, calls)| calls.to_string()));
            table.rows.push(row);
        }
        findings.tables.push(table);
        if of_paper {
            findings.quantity(TIME, worst[0]);
            findings.quantity(CALLS, worst[1]);
        }
    }
    say_why(plan, [papers_moved, papers], &mut findings)?;
    Ok(findings)
}

/// Where the time goes without leases, with the other placement and with the standard one.
fn say_why(plan: RowPlan, runs: [&RunOutcome; 2], findings: &mut Findings) -> Result<()> {
    let labels: Vec<String> = programs(plan).iter().map(|(program, _)| format!("{}-2", program.name)).collect();
    let [moved, standard] = [spent(runs[0], &labels)?, spent(runs[1], &labels)?];
    let mut table = spent::table();
    for ((program, _), (moved, standard)) in programs(plan).iter().zip(moved.iter().zip(&standard)) {
        let both = [("moved", moved), ("standard", standard)];
        table.rows.extend(both.map(|(placement, found)| found.row(&format!("{}, {placement}", program.title))));
    }
    findings.tables.push(table);
    if let (Some(moved), Some(standard)) = (moved.first(), standard.first()) {
        findings.notes.push(format!(
            "Why: with the standard placement the first program makes {}. With the other one it makes {}. Both boards are at work at \
             once for {} ms and for {} ms.",
            standard.words(),
            moved.words(),
            ms(standard.overlap_ns),
            ms(moved.overlap_ns)
        ));
    }
    Ok(())
}
