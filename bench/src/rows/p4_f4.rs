//! P4.F4 and F5: factors from 1.1 to 100, of reads of the disk and of writes to the terminal.

use super::p4::{OF_LIBRARY, P4Experiment, P4Io, P4Measurement, P4Pacing, show};
use super::{LedgerRow, RowPlan};
use crate::findings::{Bound, Claim, Findings};
use crate::run::{BenchRun, RunOutcome};
use anyhow::Result;
use std::ops::RangeInclusive;

/// Figure 4.
pub const DISK: LedgerRow = LedgerRow {
    id: "P4.F4",
    title: "1000 reads of 1 KB of the disk, 1.1 to 100 times as long",
    published: "From 30 times on all ways come near the requested time. At 10 and 20 times, where delays are below the \
         timer's 10 ms, the library that always sleeps takes longer.",
    method: "pread of random blocks of the partition that no program has read before. Requested is the program's time \
         without a factor, with its I/O so many times as long, but not its own instructions, as in the paper. The \
         medium is the model of an SD card.",
    runs: |plan| runs(plan, &READS),
    evaluate: |plan, outcomes| evaluate(plan, &READS, outcomes),
};

/// Figure 5.
pub const CONSOLE: LedgerRow = LedgerRow {
    id: "P4.F5",
    title: "1000 writes of a byte to the terminal, 1.1 to 100 times as long",
    published: "The OS and the library that sleeps for 10 ms or more are alike; neither can control factors of 10 to 200 \
         with a timer of 10 ms.",
    method: "A byte each time to the serial line. Requested as in P4.F4.",
    runs: |plan| runs(plan, &WRITES),
    evaluate: |plan, outcomes| evaluate(plan, &WRITES, outcomes),
};

const FACTORS: &[u32] =
    &[1_100, 2_000, 5_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000, 100_000];
const READS: P4Experiment = P4Experiment {
    title: "in the OS",
    io: P4Io::Disk,
    count: 1_000,
    factors: FACTORS,
    at_once: false,
    beside: "",
    instruction_ns: None,
    way: P4Pacing::System,
};
const WRITES: P4Experiment = P4Experiment { io: P4Io::Console(1), ..READS };

/// The paper's factors start here, in thousandths.
const PUBLISHED: u32 = 10_000;
/// And from here on its library reached what was requested.
const REACHED: u32 = 30_000;

fn factors(plan: RowPlan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: RowPlan, experiment: &P4Experiment) -> Vec<BenchRun> {
    experiment.with_libraries().iter().map(|one| one.run(plan, factors(plan))).collect()
}

/// Why sleeps are exact, and why small factors are not.
const OF_SLEEPS: &str = "A sleep ends to the nanosecond, and the next one makes up for its error, so there is no least delay. \
    Governing itself takes time, so a lower factor is not reached. Delays below 20 us accumulate until they \
    are worth a sleep.";

fn evaluate(plan: RowPlan, experiment: &P4Experiment, outcomes: &[RunOutcome]) -> Result<Findings> {
    let all = experiment.with_libraries();
    let all: Vec<P4Measurement> =
        all.iter().zip(outcomes).map(|(one, outcome)| one.measured(outcome, factors(plan))).collect::<Result<_>>()?;
    let [system, a, b, ours] = &all[..] else { anyhow::bail!("a run of each way is needed") };
    let [published, small] = [PUBLISHED..=u32::MAX, 0..=PUBLISHED - 1].map(|factors| system.worst_of(factors));
    let mut claims = Vec::new();
    let bound = Bound::AtMost(1.0, 0.5);
    let claim = |what: &str, worst| {
        Claim::new(format!("the largest difference from what was requested, {what}, %"), "-", worst, bound)
    };
    claims.extend([claim("10 to 100 times", published), claim("1.1 to 5 times", small).beside()]);
    let of = |what: &str, one: &P4Measurement, factors: RangeInclusive<u32>, bound| {
        Claim::new(format!("{what}: the largest difference, %"), "-", one.worst_of(factors), bound).beside()
    };
    let (few, many) = (PUBLISHED..=REACHED - 1, REACHED..=u32::MAX);
    claims.push(of("Lib A, 10 ms, 10 and 20 times", a, few.clone(), Bound::Reaches(5.0)));
    claims.push(of("Lib B, 10 ms, 10 and 20 times", b, few, Bound::Reaches(5.0)));
    claims.push(of("Lib A, 10 ms, from 30 times", a, many.clone(), bound));
    claims.push(of("Lib B, 10 ms, from 30 times", b, many, bound));
    claims.push(of("Lib, our timer, from 10 times", ours, PUBLISHED..=u32::MAX, bound));
    let mut findings = show("Requested and achieved", &all);
    findings.claims = claims;
    if matches!(experiment.io, P4Io::Disk) {
        findings.notes.extend([OF_LIBRARY, OF_SLEEPS].map(String::from));
    } else {
        findings.notes.push("P4.F4 describes library and sleeps.".to_string());
    }
    Ok(findings)
}
