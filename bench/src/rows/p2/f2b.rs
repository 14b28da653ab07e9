//! P2.F2b: a program that sends bytes to another board, where they are discarded, beside jobs that do the same.

use super::f2a::FOUR;
use super::{JobsClaim, Occupied, P2Figure, P2Pair, P2Task, PairPlacement};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{BenchRun, CostProfile, OURS, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F2b",
    title: "Bytes sent to another board and thrown away, beside jobs that do the same",
    published: "Beside jobs of the lowest priority the foreground takes about 45 % longer; with EII at most 5.7 %, with IPD at most 6.1 %.",
    method: "dd writes zeros in pieces of 8 KB from board a into a pipe on b, where cat discards them. The jobs together \
         send as much as the foreground, which begins 1.5 s later. The paper has a TCP connection of 1 Gbit/s. \
         Beyond the paper, the jobs send from c to d on four boards, since all share the link. Idle is what the \
         foreground, alone, leaves.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// Of so many pieces from a to b, and from c to d.
macro_rules! send {
    ($from:literal, $to:literal, $pieces:literal) => {
        concat!(
            "remote -b ",
            $to,
            " sh -c \"remote -b ",
            $from,
            " dd if=/dev/zero bs=8192 count=",
            $pieces,
            " 2> /dev/null | cat > /dev/null\""
        )
    };
}
const PIECES: u32 = 1_400;
const FRONT: P2Task = P2Task {
    name: "send",
    title: "11 MB sent",
    before: send!("a", "b", "1"),
    script: send!("a", "b", "$2"),
    work: PIECES,
};
const JOB: P2Task = P2Task { title: "sent", ..FRONT };
const ELSEWHERE: P2Task = P2Task {
    name: "send-cd",
    title: "sent from c to d",
    before: send!("c", "d", "1"),
    script: send!("c", "d", "$2"),
    work: PIECES,
};

const fn beside(jobs: u32) -> P2Pair {
    let places = PairPlacement { system: OURS, front: "a", jobs: &["a"] };
    P2Pair { front: &FRONT, job: &JOB, jobs, places, counts: true }
}

const FIGURE: P2Figure = P2Figure {
    title: "Discard",
    pairs: &[
        beside(1),
        beside(4),
        P2Pair {
            front: &FRONT,
            job: &ELSEWHERE,
            jobs: 2,
            places: PairPlacement { system: FOUR, front: "a", jobs: &["a"] },
            counts: false,
        },
    ],
    short: None,
    occupied: Occupied::Wholly,
    published: (45.0, [5.7, 6.1]),
    jobs: Some(JobsClaim::Ipd),
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
