//! P5.F5b: the same with computation before each read.

use super::p5::{self, P5Figure};
use super::{LedgerRow, RowPlan};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P5.F5b",
    title: "100 random reads with 0.1 ms of computation before each, beside a load on their core",
    published: "With full load the reads take 208 ms instead of 24 on Linux, and 134 instead of 23 with the OS's processes \
         on other cores.",
    method: "As P5.F5a, with 100,000 instructions before each read of AP1 and AP2.",
    runs,
    further: None,
    claims,
    evaluate,
};

const FIGURE: P5Figure = P5Figure {
    title: "100 reads with 0.1 ms of computation, beside a load on their core",
    computed: 100_000,
    published: [[24.0, 208.0], [23.0, 134.0]],
};

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    p5::runs(plan, &FIGURE)
}

fn claims(_: CostProfile) -> Vec<Claim> {
    p5::claims(&FIGURE)
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    p5::evaluate(plan, &FIGURE, outcomes)
}
