//! P1.T3: a program on the board without the disk, with the paper's two placements.

use super::{LedgerRow, RowPlan, ms, twice_on_b};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable, most_of, quotient};
use crate::observed::counted;
use crate::run::{BenchRun, BenchSystem, CostProfile, OURS, PAPERS, RunOutcome};
use crate::spent::{self, spent};
use crate::workload::{CC_6876, CC_96413, LS_SORT, WorkloadProgram};
use anyhow::{Result, bail};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T3",
    title: "Two placements by changing only the system file, programs on b",
    published: "With only the disk process on A, a program on B sends fewer messages than with the standard placement, yet \
         takes longer because less overlaps.",
    method: "The other placement is the paper's: a has only the disk, b the file system and the programs \
         (`renga check remote-disk`). Each program runs twice. The first run counts: it reads the program and its files \
         through the disk, as the paper's small cache had to. The second finds all of it in b's memory.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// Programs, and what was published: s and calls between boards with the other placement, and with the standard one.
const PROGRAMS: [(WorkloadProgram, [(f64, u64); 2]); 3] = [
    (CC_6876, [(92.2, 1326), (90.5, 3102)]),
    (CC_96413, [(858.9, 10_496), (831.8, 21_856)]),
    (LS_SORT, [(4.7, 79), (3.8, 276)]),
];

/// a has only the disk.
const DISK_ONLY: BenchSystem = BenchSystem { label: "disk only on a", base: "remote-disk", edits: &[] };

/// The run of a program that claims are about.
const COUNTED: &str = "1";
/// The quantities of claims.
const TIME: &str = "standard-to-other";
const CALLS: &str = "calls-other-to-standard";
const OVERLAP: &str = "overlap-other-to-standard";

fn claims(_: CostProfile) -> Vec<Claim> {
    let time = Quantity::new(TIME, "the standard placement to the other, the slowest program, without leases", "times");
    let calls =
        Quantity::new(CALLS, "calls of the other placement to the standard one, the most, without leases", "times");
    let what = "time when both boards work, the other placement to the standard one, the most, without leases";
    let overlap = Quantity::new(OVERLAP, what, "times");
    vec![
        Claim::paper(time, "0.81 to 0.98", ClaimBound::AtMost(1.0), "the paper's standard placement is quicker"),
        Claim::paper(calls, "0.29 to 0.48", ClaimBound::AtMost(1.0), "the paper's other placement sends fewer calls"),
        Claim::paper(overlap, "less", ClaimBound::AtMost(1.0), "less overlaps with the paper's other placement"),
    ]
}

fn programs(plan: RowPlan) -> &'static [(WorkloadProgram, [(f64, u64); 2])] {
    if plan.short { &PROGRAMS[..1] } else { &PROGRAMS }
}

/// The other placement; the standard one without leases, as in the paper, and with them.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on_b =
        |system: BenchSystem| twice_on_b(plan, system, programs(plan).iter().map(|(program, _)| program)).traced();
    vec![on_b(DISK_ONLY), on_b(PAPERS), on_b(OURS)]
}

/// How long a program took, ns, and the calls between boards meanwhile, in both directions.
fn of_program(outcome: &RunOutcome, label: &str) -> Result<(u64, u64)> {
    let measured = outcome.measured(label)?;
    let (header, events) = outcome.events()?;
    let found = counted(&header, &events, measured.begin_ns, measured.begin_ns + measured.ns);
    Ok((measured.ns, found.remote))
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let [disk_only, papers, ours] = outcomes else { bail!("three runs are needed") };
    let placements = [("disk only", disk_only), ("standard", papers), ("standard, leases", ours)];
    let mut findings = Findings::default();
    let (mut times_to_other, mut calls_to_standard) = (Vec::new(), Vec::new());
    for (time, what) in [(COUNTED, "first run"), ("2", "second run")] {
        let columns = ["", "disk only", "standard", "with leases", "calls", "standard", "with leases"];
        let mut table =
            FindingsTable::new(format!("The {what} of each program, ms, and calls between boards"), &columns);
        for (program, _) in programs(plan) {
            let label = format!("{}-{time}", program.name);
            let mut found = Vec::new();
            for (placement, outcome) in placements {
                let (ns, calls) = of_program(outcome, &label)?;
                findings.figure(format!("{} {what} {placement} ns", program.name), ns);
                findings.figure(format!("{} {what} {placement} calls", program.name), calls);
                found.push((ns, calls));
            }
            if time == COUNTED {
                times_to_other.push(quotient(found[1].0, found[0].0));
                calls_to_standard.push(quotient(found[0].1, found[1].1));
            }
            let times = found.iter().map(|(ns, _)| ms(*ns));
            let calls = found.iter().map(|(_, calls)| calls.to_string());
            table.rows.push([program.title.to_string()].into_iter().chain(times).chain(calls).collect());
        }
        findings.tables.push(table);
    }
    findings.tables.push(published(plan));
    findings.quantity(TIME, most_of(times_to_other));
    findings.quantity(CALLS, most_of(calls_to_standard));
    say_why(plan, [disk_only, papers], &mut findings)?;
    Ok(findings)
}

/// What the paper says, for a reader to compare.
fn published(plan: RowPlan) -> FindingsTable {
    let columns = ["", "disk only", "standard", "calls", "standard"];
    let mut table = FindingsTable::new("Published, s, and calls between machines".to_string(), &columns);
    for (program, [other, standard]) in programs(plan) {
        let times = [other.0, standard.0].map(|seconds| seconds.to_string());
        let calls = [other.1, standard.1].map(|calls| calls.to_string());
        table.rows.push([program.title.to_string()].into_iter().chain(times).chain(calls).collect());
    }
    table
}

/// Where the time goes without leases, with the other placement and with the standard one.
fn say_why(plan: RowPlan, runs: [&RunOutcome; 2], findings: &mut Findings) -> Result<()> {
    let labels: Vec<String> = programs(plan).iter().map(|(program, _)| format!("{}-{COUNTED}", program.name)).collect();
    let [other, standard] = [spent(runs[0], &labels)?, spent(runs[1], &labels)?];
    let mut table = spent::table();
    for ((program, _), (other, standard)) in programs(plan).iter().zip(other.iter().zip(&standard)) {
        let both = [("disk only", other), ("standard", standard)];
        table.rows.extend(both.map(|(placement, found)| found.row(&format!("{}, {placement}", program.title))));
    }
    findings.tables.push(table);
    let overlap = other.iter().zip(&standard).map(|(other, standard)| match standard.overlap_ns {
        0 => Err("both boards never work at once with the standard placement".to_string()),
        standard_ns => Ok(other.overlap_ns as f64 / standard_ns as f64),
    });
    let most = overlap.reduce(|one, next| Ok(one?.max(next?))).unwrap_or_else(|| Err("no program ran".to_string()));
    findings.measured.insert(OVERLAP.to_string(), most);
    if let (Some(other), Some(standard)) = (other.first(), standard.first()) {
        findings.notes.push(format!(
            "Why: with the standard placement the first program makes {}. With only the disk on a it makes {}. Both boards are at \
             work at once for {} ms and for {} ms.",
            standard.words(),
            other.words(),
            ms(standard.overlap_ns),
            ms(other.overlap_ns)
        ));
    }
    Ok(())
}
