//! P4.F7: how near it is beside a program that always computes, and beside one that computes and pauses.

use super::p4::{Experiment, Io, LIBRARIES, Measured, OF_LIBRARY, Way, show};
use super::{Plan, Row};
use crate::findings::{Bound, Claim, Findings};
use crate::run::{Outcome, Run};
use anyhow::Result;

/// The row.
pub const ROW: Row = Row {
    id: "P4.F7",
    title: "Reads of the disk beside programs that compute",
    published: "In the OS the time stays that which was requested; the library's becomes very large beside a program that always \
                computes, and not beside one that computes 5 ms and waits 10 ms.",
    method: "100 reads as in P4.F4; the paper has 1000. Requested is the factor times the time without one and without load.",
    runs,
    judge,
};

const FACTORS: &[u32] = &[1_100, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
const ALONE: Experiment = Experiment {
    title: "alone",
    io: Io::Disk,
    count: 100,
    factors: FACTORS,
    at_once: false,
    beside: "",
    instruction_ns: None,
    way: Way::System,
};
const COMPUTES: &str = "/usr/lib/renga/p4 pulse 1000000 0";
const PAUSES: &str = "/usr/lib/renga/p4 pulse 5000 10000";
/// In the system, then by the library's version A with the system's timer, which differs from B in nothing.
const ALL: [Experiment; 6] = [
    ALONE,
    Experiment { title: "beside one that computes", beside: COMPUTES, ..ALONE },
    Experiment { title: "beside 5 ms and 10 ms", beside: PAUSES, ..ALONE },
    Experiment { title: "Lib, alone", way: OUR_TIMER, ..ALONE },
    Experiment { title: "Lib, beside one that computes", beside: COMPUTES, way: OUR_TIMER, ..ALONE },
    Experiment { title: "Lib, beside 5 ms and 10 ms", beside: PAUSES, way: OUR_TIMER, ..ALONE },
];
const OUR_TIMER: Way = LIBRARIES[2].1;

fn factors(plan: Plan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: Plan) -> Vec<Run> {
    ALL.iter().map(|one| one.run(plan, factors(plan))).collect()
}

fn judge(plan: Plan, outcomes: &[Outcome]) -> Result<Findings> {
    let of = |(one, outcome): (&Experiment, &Outcome)| one.measured(outcome, factors(plan));
    let all: Vec<Measured> = ALL.iter().zip(outcomes).map(of).collect::<Result<_>>()?;
    let worst: Vec<f64> = all.iter().map(Measured::worst).collect();
    let mut findings = show("Beside programs that compute", &all);
    for (one, worst) in ALL.iter().zip(worst) {
        let what = format!("the largest difference from what was requested, {}, %", one.title);
        let claim = Claim::new(what, "-", worst, Bound::AtMost(1.0, 0.5));
        findings.claims.push(if one.way == Way::System { claim } else { claim.beside() });
    }
    findings.notes.push(OF_LIBRARY.to_string());
    Ok(findings)
}
