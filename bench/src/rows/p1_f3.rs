//! P1.F3: one to eight programs that start at the same time on one board.

use super::p1_t1::MONO_IS_RENGA;
use super::{LedgerRow, RowPlan, us};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::run::{ALONE, BenchMachine, BenchRun, CostProfile, LINUX, OURS, RunOutcome};
use crate::workload::files_for_calls;
use anyhow::Result;

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.F3",
    title: "One to eight programs of 10 KB executed at the same time",
    published: "The time of the process network grows ever more slowly and falls below the monolithic system's.",
    method: "Children wait at a gate and then execute a program of 10 KB, which exits at once. The time counts until the \
         last has ended. The program is in memory. Each storm runs twice; the second counts. Monolithic: Linux with \
         profile pi3, Renga on one board with paper-1989.",
    runs,
    further: None,
    claims,
    evaluate,
};

const COUNTS: std::ops::RangeInclusive<u64> = 1..=8;
const SHORT: std::ops::RangeInclusive<u64> = 1..=3;
/// Both boards are judged.
const BOARDS: [&str; 2] = ["a", "b"];

fn claims(profile: CostProfile) -> Vec<Claim> {
    let of = |board: &str| {
        let flattens = Quantity::new(
            format!("flattens-{board}"),
            format!("what programs 6 to 8 add to what 2 to 4 add, on {board}"),
            "times",
        );
        let eight = format!("eight programs on {board} to the monolithic system");
        let eight = Claim::paper(
            Quantity::new(format!("eight-{board}"), eight, "times"),
            "below 1",
            ClaimBound::AtMost(1.0),
            "the paper's curves cross",
        );
        let flattens =
            Claim::paper(flattens, "below 1", ClaimBound::AtMost(0.9), "a straight line has 1, give or take a tenth");
        let eight = if profile == CostProfile::Pi3 { eight } else { eight.untested(MONO_IS_RENGA) };
        [flattens, eight]
    };
    BOARDS.into_iter().flat_map(of).collect()
}

fn counts(plan: RowPlan) -> std::ops::RangeInclusive<u64> {
    if plan.short { SHORT } else { COUNTS }
}

/// On a; on b; monolithic.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on = |board: &str, machine| {
        let mut script = String::new();
        for count in counts(plan) {
            for time in ["first", "then"] {
                script += &format!("echo {time} {count}; on {board} /usr/lib/renga/p1 storm /p1/program {count}\n");
            }
        }
        BenchRun::new(machine, plan.profile, "small", &script).with(files_for_calls())
    };
    let mono = match plan.profile {
        CostProfile::Pi3 => LINUX,
        CostProfile::Paper1989 => BenchMachine::Cluster(ALONE),
    };
    let cluster = |board| on(board, BenchMachine::Cluster(OURS));
    if plan.short { vec![cluster("a")] } else { vec![cluster("a"), cluster("b"), on("a", mono)] }
}

/// By count: ns of the second storm.
fn points(plan: RowPlan, outcome: &RunOutcome) -> Result<Vec<u64>> {
    let one = |count: u64| {
        let behind = outcome.text.split(&format!("then {count}")).nth(1).unwrap_or("").to_string();
        let numbers = RunOutcome { text: behind, trace: None }.numbers(&format!("storm {count} "))?;
        numbers.first().copied().ok_or_else(|| anyhow::anyhow!("no time of {count} programs"))
    };
    counts(plan).map(one).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let mono = if plan.profile == CostProfile::Pi3 { "Linux" } else { "one board alone" };
    let names = ["a", "b", mono];
    let all = outcomes.iter().map(|outcome| points(plan, outcome)).collect::<Result<Vec<_>>>()?;
    let mut table = FindingsTable::new("Until all have ended, us", &["programs", names[0], names[1], names[2]]);
    for (place, count) in counts(plan).enumerate() {
        let cell = |run: usize| all.get(run).map_or("-".to_string(), |points| us(points[place]));
        table.rows.push(vec![count.to_string(), cell(0), cell(1), cell(2)]);
        for (name, points) in names.iter().zip(&all) {
            findings.figure(format!("{count} programs on {name} ns"), points[place]);
        }
    }
    findings.tables.push(table);
    let curves = names.iter().zip(&all).map(|(name, points)| {
        Curve::new(
            (*name).to_string(),
            counts(plan).map(|count| count as f64).zip(points.iter().map(|ns| *ns as f64 / 1e6)).collect(),
        )
    });
    findings.plots.push(Plot::new(
        "Programs executed at the same time",
        ["programs", "until all have ended, ms"],
        curves.collect(),
    ));
    report(&all, &mut findings);
    if let [a, b, ..] = &all[..] {
        let (first, last) = (0, a.len() - 1);
        findings.notes.push(format!(
            "Why: each further program costs {} us on a and {} us on b. Board b keeps leases on names and pages, so \
             from the second storm on no call crosses; the first takes {} us, with the calls of a first exec. The \
             system's part of an exec is serial on one core, so the line is straight.",
            us(a[last].saturating_sub(a[first]) / last.max(1) as u64),
            us(b[last].saturating_sub(b[first]) / last.max(1) as u64),
            us(b[first])
        ));
    }
    Ok(findings)
}

/// Reports for each board how the curve bends, and its end beside the monolithic system's.
fn report(all: &[Vec<u64>], findings: &mut Findings) {
    for (board, points) in BOARDS.iter().zip(all) {
        let last = points.len() - 1;
        let part = last / 2;
        let added = |to: usize| points[to] as f64 - points[to - part] as f64;
        let flattens = format!("flattens-{board}");
        match added(part) > 0.0 {
            true => findings.quantity(flattens, added(last) / added(part)),
            false => findings.unmeasured(flattens, "the first programs add nothing"),
        }
        if let Some(mono) = all.get(2) {
            findings.quantity(format!("eight-{board}"), points[last] as f64 / mono[last] as f64);
        }
    }
}
