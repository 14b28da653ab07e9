//! P2.F5: a tree of files copied from board to board, beside one to four jobs that do the same.

use super::{Occupied, P2Figure, P2Pair, P2Task, PairPlacement};
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{BenchRun, OURS, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F5",
    title: "A tree copied from board to board, beside jobs that do the same",
    published: "Beside four jobs of the lowest priority the foreground takes about 5 times as long; with EII at most 16.9 % longer, with IPD at \
                most 6.7 %.",
    method: "tar on a reads a tree, and tar on b, at the other end of a pipe, makes it again, in a folder of its own for each. Both are on \
             the disk of a, so most of it crosses the link twice. For the paper's scp of Linux's sources. What jobs have written on b stays there while they are held. \
             Each job copies as much as the foreground. Idle is what is left when the foreground, alone, would be done; what that has written on b \
             comes home over the link after that, which is not idle either, and counts as if it were.",
    runs,
    judge,
};

const COPY: P2Task = P2Task {
    name: "copy",
    title: "copy",
    before: "mkdir -p warm; tar cf - /etc/passwd 2> /dev/null | remote -b b tar xf - -C /tmp/warm",
    script: "mkdir copy-$1; cd /usr/include; tar cf - linux rdma sound drm scsi | remote -b b tar xf - -C /tmp/copy-$1\n",
    work: 1,
};

const fn beside(jobs: u32, counts: bool) -> P2Pair {
    let places = PairPlacement { system: OURS, front: "a", jobs: &["a"] };
    P2Pair { front: &COPY, job: &COPY, jobs, places, counts }
}

const FIGURE: P2Figure = P2Figure {
    title: "Copies",
    pairs: &[beside(1, true), beside(2, true), beside(4, true)],
    occupied: Occupied::Wholly,
    published: ("400 %", [16.9, 6.7]),
};

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    super::runs(plan, &FIGURE)
}

fn judge(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    super::judge(plan, &FIGURE, outcomes)
}
