//! P5.F5a: random reads without computation between, while a load process takes more and more of their core.

use super::p5::{self, P5Figure};
use super::{LedgerRow, RowPlan};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P5.F5a",
    title: "100 random reads beside a load on their core, on systems whose OS is processes and on Linux",
    published: "With full load, 90.9 % of the core, the reads take 130 ms instead of 14 on Linux, and 72 instead of 14 with \
         the OS's processes on other cores.",
    method: "AP1 reads 4 KiB a hundred times, and AP2 reads without end. The load, SCHED_FIFO on AP1's core 0, computes \
         0 to 10 ms and pauses for 1 ms. Ours: `p5-gathered-spread` and so on (applications, OS). Spread \
         applications give AP2 a core of its own; a spread OS uses cores 1 and 2 instead of 0. Linux: Debian's, four \
         cores, AP2 on core 1 (spread) or 0 (gathered), null_blk as the medium.",
    runs,
    further: None,
    claims,
    evaluate,
};

const FIGURE: P5Figure =
    P5Figure { title: "100 reads beside a load on their core", computed: 0, published: [[14.0, 130.0], [14.0, 72.0]] };

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    p5::runs(plan, &FIGURE)
}

fn claims(_: CostProfile) -> Vec<Claim> {
    p5::claims(&FIGURE)
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    p5::evaluate(plan, &FIGURE, outcomes)
}
