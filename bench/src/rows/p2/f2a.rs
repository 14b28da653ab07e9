//! P2.F2a: a program that reads a byte every 8 KB, beside jobs that do the same elsewhere on the disk, on one to four
//! boards.

use super::{JobsClaim, Occupied, P2Figure, P2Pair, P2Task, PairPlacement};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{ALONE, BenchRun, BenchSystem, CostProfile, OURS, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F2a",
    title: "A byte read every 8 KB, beside jobs that do the same",
    published: "Beside jobs of the lowest priority the foreground takes about 6 times as long; with EII at most 12.5 % longer, with IPD \
                at most 1 %.",
    method: "Each program reads its own 70 MB of the medium's blocks with perl. The jobs together read as much as the \
         foreground, which begins 1.5 s later and takes 7 s; the paper's 2 GB would take 150 s. A first form with \
         9,000 reads, begun after 0.5 s, took 1.9 and 3.1 % longer with EII, 0.6 and 1.02 % with IPD. Each run \
         boots, so memory is empty. Beyond the paper, jobs and foreground run on different boards. Idle is what the \
         foreground, alone, leaves.",
    runs,
    further: None,
    claims,
    evaluate,
};

const fn reads(title: &'static str, work: u32) -> P2Task {
    P2Task { name: "reads", title, before: "perl -e 1", script: SCRIPT, work }
}

/// Of a region of its own, from its start again at its end.
const SCRIPT: &str = r#"exec perl -e '($at, $n) = @ARGV; open F, "<", "/dev/root" or die;
for ($i = 0; $i < $n; $i++) { sysseek F, $at * 73728000 + $i % 9000 * 8192, 0; sysread F, $b, 1 or die }' $1 $2
"#;
const READS: P2Task = reads("12,000 reads", 12_000);
const JOB: P2Task = reads("reads", 12_000);
/// Of the short form: some samples long, and the job is not done before.
const SHORT_READS: P2Task = reads("1,000 reads", 1_000);
const SHORT_JOB: P2Task = reads("reads", 4_000);

/// Four boards.
pub(super) const FOUR: BenchSystem = BenchSystem { label: "four boards", base: "quad", edits: &[] };

const fn beside(jobs: u32) -> P2Pair {
    let places = PairPlacement { system: ALONE, front: "a", jobs: &["a"] };
    P2Pair { front: &READS, job: &JOB, jobs, places, counts: true }
}

const fn between(system: BenchSystem, front: &'static str, jobs: &'static [&'static str]) -> P2Pair {
    let places = PairPlacement { system, front, jobs };
    P2Pair { front: &READS, job: &JOB, jobs: jobs.len() as u32, places, counts: false }
}

const FIGURE: P2Figure = P2Figure {
    title: "A byte every 8 KB",
    pairs: &[
        beside(1),
        beside(4),
        between(OURS, "a", &["b"]),
        between(OURS, "b", &["a"]),
        between(FOUR, "a", &["b", "c", "d"]),
    ],
    short: Some(&P2Pair { front: &SHORT_READS, job: &SHORT_JOB, ..beside(1) }),
    occupied: Occupied::Wholly,
    published: (500.0, [12.5, 1.0]),
    jobs: Some(JobsClaim::Eii),
    untested: Some([
        "slow-down over the jobs' use of the resource, 12.5 to 100 %",
        "grows with the use",
        "the jobs use all that they get",
    ]),
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
