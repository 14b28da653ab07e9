//! P2.F5: a tree of files copied from board to board, beside one to four jobs that do the same.

use super::{JobsClaim, Occupied, P2Figure, P2Pair, P2Task, PairPlacement};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{BenchRun, CostProfile, OURS, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F5",
    title: "A tree copied from board to board, beside jobs that do the same",
    published: "Beside four jobs of the lowest priority the foreground takes about 5 times as long; with EII at most 16.9 % longer, with IPD at \
                most 6.7 %.",
    method: "tar on a reads a tree, and tar on b writes it from a pipe into a folder of its own. Both are on the disk of \
         a, so most data cross the link twice. This stands for the paper's scp of Linux's sources. Data that jobs \
         wrote on b stay there while the jobs are stopped. Each job copies as much as the foreground. Idle is what \
         the foreground, alone, leaves; the later flush of its data over the link counts as idle though it is not.",
    runs,
    further: None,
    claims,
    evaluate,
};

const COPY: P2Task = P2Task {
    name: "copy",
    title: "copy",
    before: "mkdir -p warm; tar cf - /etc/passwd 2> /dev/null | remote -b b tar xf - -C /tmp/warm",
    script: "mkdir copy-$1; cd /usr/include; tar cf - linux rdma sound scsi | remote -b b tar xf - -C /tmp/copy-$1\n",
    work: 1,
};

const fn beside(jobs: u32, counts: bool) -> P2Pair {
    let places = PairPlacement { system: OURS, front: "a", jobs: &["a"] };
    P2Pair { front: &COPY, job: &COPY, jobs, places, counts }
}

const FIGURE: P2Figure = P2Figure {
    title: "Copies",
    pairs: &[beside(1, true), beside(2, true), beside(4, true)],
    short: None,
    occupied: Occupied::Wholly,
    published: (400.0, [16.9, 6.7]),
    jobs: Some(JobsClaim::Regulated { jobs: 4 }),
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
