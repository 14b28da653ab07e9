//! P4.SEVERAL: several controlled programs at once, which the paper left to do.

use super::p4::{P4Experiment, P4Io, P4Measurement, P4Pacing, near, show};
use super::{LedgerRow, RowPlan};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.SEVERAL",
    title: "Several programs at once that read the disk, each at its own speed (beyond the paper)",
    published: "Nothing: left to do in the paper.",
    method: "Each reads as in P4.F4, 300 blocks of its own. All begin together, and one that finishes leaves the others. \
         Requested is the factor times the time of one alone. Together the factors leave the medium partly idle; \
         otherwise the speeds could not be reached.",
    runs,
    further: None,
    claims,
    evaluate,
};

const FOUR: P4Experiment = P4Experiment {
    title: "four at once",
    io: P4Io::Disk,
    count: 300,
    factors: &[2_000, 5_000, 10_000, 20_000],
    at_once: true,
    beside: "",
    instruction_ns: None,
    way: P4Pacing::System,
};
const ALL: [P4Experiment; 3] = [
    FOUR,
    P4Experiment { title: "five at once", factors: &[3_000, 4_000, 6_000, 30_000, 100_000], ..FOUR },
    P4Experiment { title: "four beside one that computes", beside: "/usr/lib/renga/p4 pulse 1000000 0", ..FOUR },
];

fn claims(_: CostProfile) -> Vec<Claim> {
    ALL.iter().map(|one| near(one.title, one.title)).collect()
}

fn experiments(plan: RowPlan) -> &'static [P4Experiment] {
    if plan.short { &ALL[..1] } else { &ALL }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    experiments(plan).iter().map(|one| one.run(plan, one.factors)).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let experiments = experiments(plan);
    let of = |(one, outcome): (&P4Experiment, &RunOutcome)| one.measured(outcome, one.factors);
    let all: Vec<P4Measurement> = experiments.iter().zip(outcomes).map(of).collect::<Result<_>>()?;
    let mut findings = show("Several at once", &all);
    // Their factors differ: each has a table of its own.
    findings.tables = all.iter().flat_map(|one| show("", std::slice::from_ref(one)).tables).collect();
    for (one, measured) in experiments.iter().zip(&all) {
        findings.quantity(one.title, measured.worst());
    }
    Ok(findings)
}
