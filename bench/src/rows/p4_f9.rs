//! P4.F9: from which factor on a speed can be controlled, on a slower and on a faster processor.

use super::p4::{P4Experiment, P4Io, P4Measurement, P4Pacing, show};
use super::{LedgerRow, RowPlan};
use crate::findings::{Bound, Claim, Findings};
use crate::run::{BenchRun, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F9",
    title: "1000 writes of a byte to the terminal, on processors of two speeds",
    published: "With 233 MHz factors from about 300 on can be controlled, with 800 MHz from a larger one on: an I/O takes \
         less, and a delay needs 10 ms.",
    method: "An instruction takes 4 ns and 1 ns; all else is the same. A factor counts as controlled within 1 %.",
    runs,
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
/// What counts as controlled, %.
const NEAR: f64 = 1.0;

fn factors(plan: RowPlan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    BOTH.iter().map(|one| one.run(plan, factors(plan))).collect()
}

/// The least factor from which on all are controlled; that behind the last if none is.
fn least(measured: &P4Measurement) -> f64 {
    let all: Vec<(u32, f64)> = measured.differences().collect();
    let controlled = all.iter().rev().take_while(|(_, percent)| percent.abs() <= NEAR).last();
    f64::from(controlled.map_or(2 * FACTORS[FACTORS.len() - 1], |(factor, _)| *factor)) / 1e3
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let of = |(one, outcome): (&P4Experiment, &RunOutcome)| one.measured(outcome, factors(plan));
    let all: Vec<P4Measurement> = BOTH.iter().zip(outcomes).map(of).collect::<Result<_>>()?;
    let least: Vec<f64> = all.iter().map(least).collect();
    let mut findings = show("Two processors", &all);
    for (one, least) in BOTH.iter().zip(least) {
        let what = format!("{}: the least factor that is controlled", one.title);
        findings.claims.push(Claim::new(what, "about 300", least, Bound::AtMost(300.0, 10.0)));
    }
    findings.notes.push("The paper's figure is of its library, with a timer of 10 ms: see P4.F5.".to_string());
    Ok(findings)
}
