//! P4.F7: how near it is beside a program that always computes, and beside one that computes and pauses.

use super::p4::{LIBRARIES, P4Experiment, P4Io, P4Measurement, P4Pacing, show};
use super::{LedgerRow, RowPlan};
use crate::findings::{Bound, Claim, Findings};
use crate::run::{BenchRun, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F7",
    title: "Reads of the disk beside programs that compute",
    published: "In the OS the time stays as requested. The library's becomes very large beside a program that always \
         computes, and not beside one that computes 5 ms and waits 10 ms.",
    method: "100 reads as in P4.F4; the paper has 1000. Requested is the factor times the time without one and without load.",
    runs,
    evaluate,
};

const FACTORS: &[u32] = &[1_100, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
const ALONE: P4Experiment = P4Experiment {
    title: "alone",
    io: P4Io::Disk,
    count: 100,
    factors: FACTORS,
    at_once: false,
    beside: "",
    instruction_ns: None,
    way: P4Pacing::System,
};
const COMPUTES: &str = "/usr/lib/renga/p4 pulse 1000000 0";
const PAUSES: &str = "/usr/lib/renga/p4 pulse 5000 10000";
/// In the system, then by the library's version A with the system's timer, which differs from B in nothing.
const ALL: [P4Experiment; 6] = [
    ALONE,
    P4Experiment { title: "beside one that computes", beside: COMPUTES, ..ALONE },
    P4Experiment { title: "beside 5 ms and 10 ms", beside: PAUSES, ..ALONE },
    P4Experiment { title: "Lib, alone", way: OUR_TIMER, ..ALONE },
    P4Experiment { title: "Lib, beside one that computes", beside: COMPUTES, way: OUR_TIMER, ..ALONE },
    P4Experiment { title: "Lib, beside 5 ms and 10 ms", beside: PAUSES, way: OUR_TIMER, ..ALONE },
];
const OUR_TIMER: P4Pacing = LIBRARIES[2].1;

fn factors(plan: RowPlan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    ALL.iter().map(|one| one.run(plan, factors(plan))).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let of = |(one, outcome): (&P4Experiment, &RunOutcome)| one.measured(outcome, factors(plan));
    let all: Vec<P4Measurement> = ALL.iter().zip(outcomes).map(of).collect::<Result<_>>()?;
    let worst: Vec<f64> = all.iter().map(P4Measurement::worst).collect();
    let mut findings = show("Beside programs that compute", &all);
    for (one, worst) in ALL.iter().zip(worst) {
        let what = format!("the largest difference from what was requested, {}, %", one.title);
        let claim = Claim::new(what, "-", worst, Bound::AtMost(1.0, 0.5));
        findings.claims.push(if one.way == P4Pacing::System { claim } else { claim.beside() });
    }
    findings.notes.push("P4.F4 describes the library.".to_string());
    Ok(findings)
}
