//! P2.F3: programs of Debian's beside a job that only computes.

use super::{Occupied, P2Figure, P2Pair, P2Task, PairPlacement};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{ALONE, BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F3",
    title: "fftw-wisdom, make and pcregrep beside a job that computes",
    published: "Beside SETI@home of the lowest priority fftw-wisdom takes 12 % longer; with EII and IPD all take at most 3.1 % longer.",
    method: "Debian's programs: fftw-wisdom plans transforms; make compiles a source of 6,876 bytes 28 times with gcc; \
         pcregrep searches a tree of unread files. A program that adds 1 to a variable stands for SETI@home. Idle is \
         what the foreground, alone, leaves of the processor.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// Plans transforms of several sizes.
pub(super) const WISDOM: P2Task = P2Task {
    name: "wisdom",
    title: "fftw-wisdom",
    before: "fftw-wisdom -n -o /dev/null cof8",
    script: "exec fftw-wisdom -n -o /dev/null cof2048 cof4096 cof8192 cof16384\n",
    work: 1,
};
/// Compiles and links copies of one source.
pub(super) const MAKE: P2Task = P2Task {
    name: "make",
    title: "make",
    before: "gcc -O1 -c -o warm.o /p1/30.c; make -v > /dev/null",
    script: r#"mkdir make-$1; cd make-$1
{
  n=0; while [ $n -lt $2 ]; do objects="$objects $n.o"; n=$((n + 1)); done
  echo "all:$objects"
  n=0; while [ $n -lt $2 ]; do printf '%s.o:\n\tgcc -O1 -c -o $@ /p1/6876.c\n' $n; n=$((n + 1)); done
} > Makefile
exec make > /dev/null
"#,
    work: 28,
};
/// Searches for a pattern in files that are not cached.
pub(super) const GREP: P2Task = P2Task {
    name: "grep",
    title: "pcregrep",
    before: "pcregrep root /etc/passwd > /dev/null",
    script: "pcregrep -r 'static\\s+inline\\s+[a-z]+' /usr/include /usr/share /usr/lib/python3.11 > /dev/null; true\n",
    work: 1,
};
const COMPUTE: P2Task = P2Task {
    name: "compute",
    title: "computes",
    before: "/usr/lib/renga/p4 compute warm 0",
    script: "exec /usr/lib/renga/p4 compute job $2\n",
    work: 1_000,
};

const fn beside(front: &'static P2Task) -> P2Pair {
    let places = PairPlacement { system: ALONE, front: "a", jobs: &["a"] };
    P2Pair { front, job: &COMPUTE, jobs: 1, places, counts: true }
}

const FIGURE: P2Figure = P2Figure {
    title: "Beside a job that computes",
    pairs: &[beside(&WISDOM), beside(&MAKE), beside(&GREP)],
    short: None,
    occupied: Occupied::Processor,
    published: (12.0, [3.1, 3.1]),
    jobs: None,
    untested: Some([
        "slow-down of make by the regulator without jobs",
        "3.1 %",
        "no run has the regulator without jobs",
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
