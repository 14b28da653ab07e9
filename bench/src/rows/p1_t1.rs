//! P1.T1: what a program takes on a monolithic system, on the board with the disk, and on the board without.

use super::{LedgerRow, RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable, most_of, quotient};
use crate::run::{ALONE, BenchMachine, BenchRun, BenchSystem, CostProfile, LINUX, OURS, PAPERS, RunOutcome};
use crate::spent::{self, Spent, spent};
use crate::workload::{CC_30, CC_1011, CC_6876, GCC_30, GCC_1011, GCC_6876, MANDOC, NROFF, WorkloadProgram, YACC};
use anyhow::{Context, Result};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T1",
    title: "Response times of programs: a monolithic system, board a, board b",
    published: "cc, yacc and nroff take within 5 % of the monolithic system's time on the disk board, and at most 10 % more \
         on the diskless board.",
    method: "Each program runs twice on a fresh cluster, and the second run counts, because Linux' card has no medium \
         model. tcc and gcc stand for cc, mandoc and groff for nroff. The monolithic system is Debian's Linux with \
         pi3, and Renga on one board with paper-1989. gcc and groff run with pi3 and leases only: they would take \
         minutes of 1989, and megabytes over the link without leases. The two short compiles of 1989 run with leases \
         only.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// A program, and what was published of it: mono, a, b, in s.
const PROGRAMS: [(WorkloadProgram, [f64; 3]); 9] = [
    (CC_30, [27.4, 27.1, 29.6]),
    (CC_1011, [44.7, 42.7, 45.8]),
    (CC_6876, [85.8, 87.0, 90.5]),
    (GCC_30, [27.4, 27.1, 29.6]),
    (GCC_1011, [44.7, 42.7, 45.8]),
    (GCC_6876, [85.8, 87.0, 90.5]),
    (YACC, [21.4, 21.1, 21.9]),
    (MANDOC, [20.1, 19.4, 21.4]),
    (NROFF, [20.1, 19.4, 21.4]),
];

/// The quantities of claims, each of the slowest program.
const A_TO_MONO: &str = "a-to-mono";
const B_TO_A: &str = "b-to-a";
const B_TO_A_WITHOUT: &str = "b-to-a-without-leases";
/// The longest published compile: what both processors work more, less what they work at once, to the longer response.
const EXTRA_WORK: &str = "extra-work-to-response";
/// With paper-1989 the monolithic system is Renga.
pub(super) const MONO_IS_RENGA: &str = "the monolithic system of this profile is Renga on one board";

fn claims(profile: CostProfile) -> Vec<Claim> {
    let times = |id: &str, what: &str| Quantity::new(id, what, "times");
    let to_mono = Claim::paper(
        times(A_TO_MONO, "board a to the monolithic system, the slowest program"),
        "1.01",
        ClaimBound::AtMost(1.05),
        "the paper calls 5 % the same",
    );
    let b_to_a = |id, which: &str| {
        let quantity = times(id, &format!("board b to board a, the slowest program, {which}"));
        Claim::paper(quantity, "1.10", ClaimBound::AtMost(1.10), "the largest published ratio")
    };
    vec![
        match profile {
            CostProfile::Pi3 => to_mono,
            CostProfile::Paper1989 => to_mono.untested(MONO_IS_RENGA),
        },
        b_to_a(B_TO_A, "with leases"),
        b_to_a(B_TO_A_WITHOUT, "without leases, as in the paper"),
        Claim::paper(
            Quantity::new(EXTRA_WORK, "extra work of both boards less overlap, to the longer response on b", "times"),
            "1.31 (4.59 s of 3.5)",
            ClaimBound::Within(0.69, 1.31),
            "as far from 1 as published, either way",
        ),
    ]
}

fn programs(plan: RowPlan) -> Vec<(WorkloadProgram, [f64; 3])> {
    let runs = |program: &WorkloadProgram| match plan {
        RowPlan { short: true, .. } => *program == CC_1011,
        RowPlan { profile: CostProfile::Pi3, .. } => true,
        RowPlan { profile: CostProfile::Paper1989, .. } => !program.heavy,
    };
    PROGRAMS.into_iter().filter(|(program, _)| runs(program)).collect()
}

/// Whether it runs without leases too: each program of 1989 takes more than a minute so.
fn without_leases(plan: RowPlan, program: &WorkloadProgram) -> bool {
    let short = plan.short || plan.profile == CostProfile::Pi3;
    !program.heavy && (short || ![CC_30, CC_1011].contains(program))
}

/// Monolithic; a; b; b without leases. The short form leaves out the first.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on = |board: &str, machine| {
        let mut script = String::new();
        let without = machine == BenchMachine::Cluster(PAPERS);
        for (program, _) in programs(plan).into_iter().filter(|(program, _)| !without || without_leases(plan, program))
        {
            for time in ["1", "2"] {
                script += &format!("on {board} {}\n", program.timed(&format!("{}-{time}", program.name)));
            }
        }
        BenchRun::new(machine, plan.profile, "dev", &script)
    };
    let cluster = |board, system: BenchSystem| on(board, BenchMachine::Cluster(system)).traced();
    let mono = match plan.profile {
        CostProfile::Pi3 => on("a", LINUX),
        CostProfile::Paper1989 => cluster("a", ALONE),
    };
    let mut runs = vec![cluster("a", OURS), cluster("b", OURS), cluster("b", PAPERS)];
    if !plan.short {
        runs.push(mono);
    }
    runs
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut table = FindingsTable::new(
        "Times, ms (published: s). b/a: with leases; without: the paper's configuration.",
        &["", "mono", "a", "b", "b without", "a/mono", "b/a", "without", "published:", "mono", "a", "b", "b/a"],
    );
    let mut all: [Vec<f64>; 3] = Default::default();
    for (program, published) in programs(plan) {
        let label = format!("{}-2", program.name);
        let ns =
            |run: usize| outcomes.get(run).map(|outcome| outcome.measured(&label).map(|found| found.ns)).transpose();
        let without = if without_leases(plan, &program) { ns(2)? } else { None };
        let [a, b] = [ns(0)?, ns(1)?].map(|ns| ns.context("runs on a and on b are needed"));
        let (a, b, mono) = (a?, b?, ns(3)?);
        for (name, ns) in [("a", Some(a)), ("b", Some(b)), ("b without leases", without), ("mono", mono)] {
            ns.into_iter().for_each(|ns| findings.figure(format!("{} {name} ns", program.name), ns));
        }
        for (name, run) in [("b", 1), ("b without leases", 2)] {
            if run == 2 && !without_leases(plan, &program) {
                continue;
            }
            findings.figure(format!("{} {name} calls to a", program.name), outcomes[run].measured(&label)?.calls);
        }
        let ratios =
            [mono.map(|mono| quotient(a, mono)), Some(quotient(b, a)), without.map(|without| quotient(without, a))];
        all.iter_mut().zip(ratios).for_each(|(all, ratio)| all.extend(ratio));
        let mut row = vec![program.title.to_string(), mono.map_or("-".to_string(), ms), ms(a), ms(b)];
        row.push(without.map_or("-".to_string(), ms));
        row.extend(ratios.map(|ratio| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"))));
        row.push(String::new());
        row.extend(published.map(|seconds| seconds.to_string()));
        row.push(format!("{:.2}", published[2] / published[1]));
        table.rows.push(row);
    }
    findings.tables.push(table);
    for (id, ratios) in [A_TO_MONO, B_TO_A, B_TO_A_WITHOUT].into_iter().zip(all) {
        // What the plan does not run is not claimed to be measured.
        if !ratios.is_empty() {
            findings.quantity(id, most_of(ratios));
        }
    }
    report_extra_work(plan, outcomes, &mut findings)?;
    say_why(plan, outcomes, &mut findings)?;
    Ok(findings)
}

/// Where the paper's longest compile takes longer on b without leases: in work, or in waiting.
fn report_extra_work(plan: RowPlan, outcomes: &[RunOutcome], findings: &mut Findings) -> Result<()> {
    if !programs(plan).iter().any(|(program, _)| *program == CC_6876) {
        return Ok(());
    }
    let labels = [format!("{}-2", CC_6876.name)];
    let (on_a, on_b) = (spent(&outcomes[0], &labels)?.remove(0), spent(&outcomes[2], &labels)?.remove(0));
    let work = |spent: &Spent| spent.busy_ns.iter().sum::<u64>() as f64;
    let extra_ns = work(&on_b) - work(&on_a) - on_b.overlap_ns as f64;
    match on_b.ns > on_a.ns {
        true => findings.quantity(EXTRA_WORK, extra_ns / (on_b.ns - on_a.ns) as f64),
        false => findings.unmeasured(EXTRA_WORK, "the compile takes no longer on b"),
    }
    Ok(())
}

/// Where the time of each program goes on a and on b, and the cause of the largest loss.
fn say_why(plan: RowPlan, outcomes: &[RunOutcome], findings: &mut Findings) -> Result<()> {
    let programs = programs(plan);
    let labels: Vec<String> = programs.iter().map(|(program, _)| format!("{}-2", program.name)).collect();
    let [on_a, on_b] = [spent(&outcomes[0], &labels)?, spent(&outcomes[1], &labels)?];
    let mut table = spent::table();
    for ((program, _), (a, b)) in programs.iter().zip(on_a.iter().zip(&on_b)) {
        table
            .rows
            .extend([("a", a), ("b", b)].map(|(board, found)| found.row(&format!("{} on {board}", program.title))));
    }
    findings.tables.push(table);
    let ratio = |(a, b): (&Spent, &Spent)| b.ns as f64 / a.ns.max(1) as f64;
    let all = || programs.iter().zip(on_a.iter().zip(&on_b));
    let worst = all().max_by(|(_, one), (_, other)| ratio(*one).total_cmp(&ratio(*other)));
    if let Some(((program, _), (a, b))) = worst.filter(|(_, (a, b))| b.ns > a.ns) {
        let more = ms(b.ns - a.ns);
        findings.notes.push(format!(
            "Why: {} takes {more} ms more on b than on a. It makes {}.",
            program.title,
            b.words()
        ));
    }
    Ok(())
}
