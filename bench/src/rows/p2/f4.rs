//! P2.F4: the same programs as in F3 beside a check of the file system, which reads the same disk.

use super::f3::{GREP, MAKE, WISDOM};
use super::{Occupied, P2Figure, P2Pair, P2Task, PairPlacement};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{ALONE, BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F4",
    title: "fftw-wisdom, make and pcregrep beside a check of the file system",
    published: "Beside fsck of the lowest priority pcregrep takes about 6 times as long; with EII at most 13.5 % longer, with IPD at most 3.3 %.",
    method: "The programs of P2.F3. The job is Debian's e2fsck -fn of their disk, three times; no memory keeps its \
         reads. Idle is what the foreground, alone, leaves, also where it rarely uses the medium.",
    runs,
    further: None,
    claims,
    evaluate,
};

const CHECK: P2Task = P2Task {
    name: "check",
    title: "e2fsck",
    before: "e2fsck -V 2> /dev/null",
    script: "n=0; while [ $n -lt $2 ]; do e2fsck -fn /dev/root > /dev/null 2>&1; n=$((n + 1)); done; true\n",
    work: 3,
};

const fn beside(front: &'static P2Task) -> P2Pair {
    let places = PairPlacement { system: ALONE, front: "a", jobs: &["a"] };
    P2Pair { front, job: &CHECK, jobs: 1, places, counts: true }
}

const FIGURE: P2Figure = P2Figure {
    title: "Beside a check of the file system",
    pairs: &[beside(&GREP), beside(&WISDOM), beside(&MAKE)],
    short: None,
    occupied: Occupied::Wholly,
    published: (500.0, [13.5, 3.3]),
    jobs: None,
    untested: None,
};

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    super::runs(plan, &FIGURE)
}

fn claims(_: CostProfile) -> Vec<Claim> {
    super::claims(&FIGURE)
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    super::evaluate(plan, &FIGURE, outcomes)
}
