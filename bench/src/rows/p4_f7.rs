//! P4.F7: how near it is beside a program that always computes, and beside one that computes and pauses.

use super::p4::{LIBRARIES, NEAR_PERCENT, P4Experiment, P4Io, P4Measurement, P4Pacing, near, show};
use super::{LedgerRow, RowPlan};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F7",
    title: "Reads of the disk beside programs that compute",
    published: "In the OS the time stays as requested. The library's becomes very large beside a program that always \
         computes, and not beside one that computes 5 ms and waits 10 ms.",
    method: "100 reads as in P4.F4; the paper has 1000. Requested is the factor times the time without one and without load.",
    runs,
    further: None,
    claims,
    evaluate,
};

const FACTORS: &[u32] = &[1_100, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
const ALONE: P4Experiment = P4Experiment {
    title: "alone",
    io: P4Io::Disk,
    count: 100,
    factors: FACTORS,
    at_once: false,
    beside: "",
    instruction_ns: None,
    way: P4Pacing::System,
};
const COMPUTES: &str = "/usr/lib/renga/p4 pulse 1000000 0";
const PAUSES: &str = "/usr/lib/renga/p4 pulse 5000 10000";
/// In the system, then by the library's version A with the system's timer, which differs from B in nothing.
const ALL: [P4Experiment; 6] = [
    ALONE,
    P4Experiment { title: "beside one that computes", beside: COMPUTES, ..ALONE },
    P4Experiment { title: "beside 5 ms and 10 ms", beside: PAUSES, ..ALONE },
    P4Experiment { title: "Lib, alone", way: OUR_TIMER, ..ALONE },
    P4Experiment { title: "Lib, beside one that computes", beside: COMPUTES, way: OUR_TIMER, ..ALONE },
    P4Experiment { title: "Lib, beside 5 ms and 10 ms", beside: PAUSES, way: OUR_TIMER, ..ALONE },
];
const OUR_TIMER: P4Pacing = LIBRARIES[2].1;

/// What counts as very large: twice the request, %; and as not so, a tenth of it.
const VERY_LARGE_PERCENT: f64 = 100.0;
const NOT_LARGE_PERCENT: f64 = 10.0;
/// The quantities of claims, in the order of the experiments.
const IDS: [&str; 6] = ["os-alone", "os-computes", "os-pauses", "lib-alone", "lib-computes", "lib-pauses"];

fn claims(_: CostProfile) -> Vec<Claim> {
    let worst = |at: usize| {
        let what = format!("the largest difference from what was requested, {}", ALL[at].title);
        Quantity::new(IDS[at], what, "%")
    };
    let near_bound = ClaimBound::AtMost(NEAR_PERCENT);
    vec![
        near(IDS[0], ALL[0].title),
        Claim::paper(worst(1), "as requested", near_bound, "1 % does not show in the paper's figure"),
        Claim::paper(worst(2), "as requested", near_bound, "1 % does not show in the paper's figure"),
        near(IDS[3], ALL[3].title),
        Claim::paper(
            worst(4),
            "very large",
            ClaimBound::AtLeast(VERY_LARGE_PERCENT),
            "twice the request is very large",
        ),
        Claim::paper(worst(5), "not very large", ClaimBound::AtMost(NOT_LARGE_PERCENT), "a tenth is not very large"),
    ]
}

fn factors(plan: RowPlan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    ALL.iter().map(|one| one.run(plan, factors(plan))).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let of = |(one, outcome): (&P4Experiment, &RunOutcome)| one.measured(outcome, factors(plan));
    let all: Vec<P4Measurement> = ALL.iter().zip(outcomes).map(of).collect::<Result<_>>()?;
    let title = "Beside programs that compute";
    let mut findings = show(title, &all);
    let (system, library) = all.split_at(all.len() / 2);
    let of_library = format!("{title}, paced by the library");
    findings.plots = [show(title, system), show(&of_library, library)].into_iter().flat_map(|one| one.plots).collect();
    for (id, measured) in IDS.iter().zip(&all) {
        findings.quantity(*id, measured.worst());
    }
    findings.notes.push("P4.F4 describes the library.".to_string());
    Ok(findings)
}
