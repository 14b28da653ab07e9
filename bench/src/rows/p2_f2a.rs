//! P2.F2a: a program that reads a byte every 8 KB, beside jobs that do the same elsewhere on the disk.

use super::p2::{self, Figure, Pair, Task};
use super::{Plan, Row};
use crate::findings::Findings;
use crate::run::{ALONE, Outcome, Run};
use anyhow::Result;

/// The row.
pub const ROW: Row = Row {
    id: "P2.F2a",
    title: "A byte read every 8 KB, beside jobs that do the same",
    published: "Beside jobs of the lowest priority the foreground takes about 6 times as long; with EII at most 12.5 % longer, with IPD \
                at most 1 %.",
    method: "Each reads its own 70 MB of the medium's blocks, by perl; the jobs together as much as the foreground, which begins \
             when they have run for 1.5 s, and takes 7 s. The paper's, 2 GB, would take 150 s. These sizes were \
             chosen after a first form of the row: 9,000 reads (5.1 s) begun 0.5 s after the jobs, when some were still held, \
             took 1.9 and 3.1 % longer with EII, 0.6 and 1.02 % with IPD. Each run starts \
             a board, so that nothing is in memory. Idle is what is left when the foreground, alone, would be done.",
    runs,
    judge,
};

const fn reads(title: &'static str, work: u32) -> Task {
    Task { name: "reads", title, before: "perl -e 1\n", script: SCRIPT, work }
}

/// Of a region of its own, from its start again at its end.
const SCRIPT: &str = r#"exec perl -e '($at, $n) = @ARGV; open F, "<", "/dev/root" or die;
for ($i = 0; $i < $n; $i++) { sysseek F, $at * 73728000 + $i % 9000 * 8192, 0; sysread F, $b, 1 or die }' $1 $2
"#;
const READS: Task = reads("12,000 reads", 12_000);
const JOB: Task = reads("reads", 12_000);

const fn beside(jobs: u32) -> Pair {
    Pair { front: &READS, job: &JOB, jobs, counts: true }
}

const FIGURE: Figure = Figure {
    title: "A byte every 8 KB",
    pairs: &[beside(1), beside(4)],
    system: ALONE,
    published: ("500 %", [12.5, 1.0]),
};

fn runs(plan: Plan) -> Vec<Run> {
    p2::runs(plan, &FIGURE)
}

fn judge(plan: Plan, outcomes: &[Outcome]) -> Result<Findings> {
    p2::judge(plan, &FIGURE, outcomes)
}
