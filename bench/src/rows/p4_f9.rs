//! P4.F9: from which factor on a speed can be controlled, on a slower and on a faster processor.

use super::p4::{P4Experiment, P4Io, P4Measurement, P4Pacing, near, show};
use super::{LedgerRow, RowPlan};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F9",
    title: "1000 writes of a byte to the terminal, on processors of two speeds",
    published: "With 233 MHz factors from about 300 on can be controlled, with 800 MHz from a larger one on: an I/O takes \
         less, and a delay needs 10 ms.",
    method: "An instruction takes 4 ns and 1 ns; all else is the same.",
    runs,
    further: None,
    claims,
    evaluate,
};

const FACTORS: &[u32] = &[1_100, 2_000, 5_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const FAST: P4Experiment = P4Experiment {
    title: "1 ns an instruction",
    io: P4Io::Console(1),
    count: 1_000,
    factors: FACTORS,
    at_once: false,
    beside: "",
    instruction_ns: None,
    way: P4Pacing::System,
};
const BOTH: [P4Experiment; 2] = [P4Experiment { title: "4 ns an instruction", instruction_ns: Some(4), ..FAST }, FAST];
/// The paper's factors start here, in thousandths.
const PUBLISHED: u32 = 10_000;
/// The quantities of our aims, in the order of the processors.
const IDS: [&str; 2] = ["slower", "faster"];

fn claims(_: CostProfile) -> Vec<Claim> {
    let least =
        Quantity::new("least-factor", "the least factor that the library controls, 233 MHz to 800 MHz", "times");
    let least = Claim::paper(least, "below 1", ClaimBound::AtMost(1.0), "the faster processor needs a larger factor")
        .untested("the paper's figure is of its library with a timer of 10 ms; only the OS runs here");
    let ours = IDS.iter().zip(&BOTH).map(|(id, one)| near(id, &format!("{}, from 10 times", one.title)));
    std::iter::once(least).chain(ours).collect()
}

fn factors(plan: RowPlan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    BOTH.iter().map(|one| one.run(plan, factors(plan))).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let of = |(one, outcome): (&P4Experiment, &RunOutcome)| one.measured(outcome, factors(plan));
    let all: Vec<P4Measurement> = BOTH.iter().zip(outcomes).map(of).collect::<Result<_>>()?;
    let mut findings = show("Two processors", &all);
    for (id, measured) in IDS.iter().zip(&all) {
        findings.quantity(*id, measured.worst_of(PUBLISHED..=u32::MAX));
    }
    findings.notes.push("The paper's figure is of its library, with a timer of 10 ms: see P4.F5.".to_string());
    Ok(findings)
}
