//! P4.F4 and F5: factors from 1.1 to 100, of reads of the disk and of writes to the terminal.

use super::p4::{NEAR_PERCENT, OF_LIBRARY, P4Experiment, P4Io, P4Measurement, P4Pacing, near, show};
use super::{LedgerRow, RowPlan};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::Findings;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::Result;

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
    further: None,
    claims: |_: CostProfile| [of_disk(), ours()].concat(),
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
    further: None,
    claims: |_: CostProfile| [of_console(), ours()].concat(),
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

/// Why claims about the library's ticks are not tested.
const BY_TICKS: &str = "a sleep by a timer of 10 ms ends at its tick by construction: no outcome could differ";
/// The ways that come near from 30 times on in the paper: a word, what tables call it.
const WAYS: [(&str, &str); 3] = [("os", "in the OS"), ("lib-a", "Lib A, 10 ms"), ("lib-b", "Lib B, 10 ms")];
/// The quantity of the claim that OS and library are alike.
const ALIKE: &str = "os-to-lib";
const ALIKE_PERCENT: f64 = 5.0;
/// The quantities of our aims.
const OS: &str = "os-10-to-100";
const OS_SMALL: &str = "os-1.1-to-5";
const LIB: &str = "lib-10-to-100";

/// The paper's claims about reads.
fn of_disk() -> Vec<Claim> {
    let near = |(way, title): &(&str, &str)| {
        let what = format!("{title}, from 30 times: the largest difference from what was requested");
        let reason = "1 % does not show in the paper's figure";
        Claim::paper(
            Quantity::new(format!("from-30-{way}"), what, "%"),
            "near 0",
            ClaimBound::AtMost(NEAR_PERCENT),
            reason,
        )
    };
    let what = "Lib A, 10 ms, 10 and 20 times: longer than requested";
    let longer = Claim::paper(Quantity::new("lib-a-longer", what, "%"), "longer", ClaimBound::AtLeast(0.0), "longer");
    WAYS.iter().map(near).chain([longer.untested(BY_TICKS)]).collect()
}

/// The paper's claims about writes.
fn of_console() -> Vec<Claim> {
    let alike =
        Quantity::new(ALIKE, "OS against library with the same timer, from 10 times: the largest difference", "%");
    let uncontrolled = Quantity::new("lib-b-uncontrolled", "Lib B, 10 ms, 10 to 100 times: the least difference", "%");
    let near = ClaimBound::AtMost(ALIKE_PERCENT);
    vec![
        Claim::paper(alike, "alike", near, "5 % does not show in the paper's figure, whose axis reaches 200 times"),
        Claim::paper(uncontrolled, "not controlled", ClaimBound::AtLeast(NEAR_PERCENT), "more than near")
            .untested(BY_TICKS),
    ]
}

fn ours() -> Vec<Claim> {
    vec![
        near(OS, "in the OS, 10 to 100 times"),
        near(OS_SMALL, "in the OS, 1.1 to 5 times"),
        near(LIB, "Lib, our timer, 10 to 100 times"),
    ]
}

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
    let mut findings = show("Requested and achieved", &all);
    findings.quantity(OS, system.worst_of(PUBLISHED..=u32::MAX));
    findings.quantity(OS_SMALL, system.worst_of(0..=PUBLISHED - 1));
    findings.quantity(LIB, ours.worst_of(PUBLISHED..=u32::MAX));
    match experiment.io {
        P4Io::Disk if plan.short => {}
        P4Io::Disk => {
            for ((way, _), one) in WAYS.iter().zip([system, a, b]) {
                findings.quantity(format!("from-30-{way}"), one.worst_of(REACHED..=u32::MAX));
            }
        }
        P4Io::Console(_) => findings.quantity(ALIKE, apart(system, ours)),
    }
    if matches!(experiment.io, P4Io::Disk) {
        findings.notes.extend([OF_LIBRARY, OF_SLEEPS].map(String::from));
    } else {
        findings.notes.push("P4.F4 describes library and sleeps.".to_string());
    }
    Ok(findings)
}

/// By how much two ways differ at most where the paper compares them, of the time of the first, %.
fn apart(one: &P4Measurement, other: &P4Measurement) -> f64 {
    let both = one.differences().zip(other.differences()).filter(|((factor, _), _)| *factor >= PUBLISHED);
    both.map(|((_, one), (_, other))| (100.0 * (100.0 + other) / (100.0 + one) - 100.0).abs()).fold(0.0, f64::max)
}
