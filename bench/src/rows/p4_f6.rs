//! P4.F6: small factors, and writes of different sizes.

use super::p4::{P4Experiment, P4Io, P4Measurement, P4Pacing, show};
use super::{LedgerRow, RowPlan};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F6",
    title: "Writes of 1 to 100 bytes to the terminal, 1 to 5 times as long",
    published: "The larger the unit of output, the nearer to the ideal line: small ones only fill a buffer.",
    method: "500 writes of each size to the serial line. Requested as in P4.F4.",
    runs,
    further: None,
    claims,
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
/// The quantity of the paper's claim, which is about its library.
const LARGER: &str = "larger-units-nearer";

fn claims(_: CostProfile) -> Vec<Claim> {
    let larger = Quantity::new(LARGER, "the difference of 100 bytes to that of 1 byte", "times");
    let larger = Claim::paper(larger, "below 1", ClaimBound::AtMost(1.0), "larger units are nearer")
        .untested("the paper's figure is of its library; only the OS runs here");
    let ours = SIZES.iter().map(|size| {
        let what = format!("{}: the largest difference from what was requested, 1.1 times and more", size.title);
        let reason = "half of the least factor's 10 %";
        let aim = Claim::aim(Quantity::new(size.title, what, "%"), ClaimBound::AtMost(5.0), reason);
        aim.exceeded(ClaimBound::AtMost(1.0))
    });
    std::iter::once(larger).chain(ours).collect()
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
    let worst: Vec<f64> = all.iter().map(|measured| measured.worst_of(1_100..=u32::MAX)).collect();
    for (size, worst) in sizes(plan).iter().zip(&worst) {
        findings.quantity(size.title, *worst);
    }
    Ok(findings)
}
