//! P4.F6: small factors, and writes of different sizes.

use super::p4::{P4Experiment, P4Io, P4Measurement, P4Pacing, show};
use super::{LedgerRow, RowPlan};
use crate::findings::{Bound, Claim, Findings};
use crate::run::{BenchRun, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F6",
    title: "Writes of 1 to 100 bytes to the terminal, 1 to 5 times as long",
    published: "The larger the unit of output, the nearer to the ideal line: small ones only fill a buffer.",
    method: "500 writes of each size to the serial line. Requested as in P4.F4.",
    runs,
    evaluate,
};

const FACTORS: &[u32] = &[1_000, 1_100, 1_500, 2_000, 3_000, 4_000, 5_000];
const fn writes(title: &'static str, bytes: u32) -> P4Experiment {
    let io = P4Io::Console(bytes);
    P4Experiment {
        title,
        io,
        count: 500,
        factors: FACTORS,
        at_once: false,
        beside: "",
        instruction_ns: None,
        way: P4Pacing::System,
    }
}
const SIZES: [P4Experiment; 3] = [writes("1 byte", 1), writes("10 bytes", 10), writes("100 bytes", 100)];

fn sizes(plan: RowPlan) -> &'static [P4Experiment] {
    if plan.short { &SIZES[..1] } else { &SIZES }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    sizes(plan).iter().map(|size| size.run(plan, size.factors)).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let all: Vec<P4Measurement> = sizes(plan)
        .iter()
        .zip(outcomes)
        .map(|(size, outcome)| size.measured(outcome, size.factors))
        .collect::<Result<_>>()?;
    let mut findings = show("Small factors", &all);
    for (place, (size, measured)) in sizes(plan).iter().zip(&all).enumerate() {
        let what = format!("{}: the largest difference from what was requested, 1.1 times and more, %", size.title);
        let claim = Claim::new(what, "-", measured.worst_of(1_100..=u32::MAX), Bound::AtMost(5.0, 1.0));
        // The largest size decides.
        findings.claims.push(if place + 1 == SIZES.len() { claim } else { claim.beside() });
    }
    Ok(findings)
}
