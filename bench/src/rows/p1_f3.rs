//! P1.F3: one to eight programs that start at the same time on one board.

use super::{LedgerRow, RowPlan, us};
use crate::findings::{Bound, Claim, Curve, Findings, FindingsTable, Plot};
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
    evaluate,
};

const COUNTS: std::ops::RangeInclusive<u64> = 1..=8;
const SHORT: std::ops::RangeInclusive<u64> = 1..=3;
/// Time of eight to that of the monolithic system: less.
const EIGHT: Bound = Bound::AtMost(1.0, 0.5);
/// What the eighth program adds to what the second adds: the curve flattens if less.
const SLOPE: Bound = Bound::AtMost(1.0, 0.9);

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
    let curves = names.iter().zip(&all).map(|(name, points)| Curve {
        label: (*name).to_string(),
        points: counts(plan).map(|count| count as f64).zip(points.iter().map(|ns| *ns as f64 / 1e6)).collect(),
    });
    findings.plots.push(Plot {
        title: "Programs executed at the same time".to_string(),
        axes: ["programs".to_string(), "until all have ended, ms".to_string()],
        curves: curves.collect(),
    });
    let a = &all[0];
    let added = |place: usize| a[place] as f64 - a[place - 1] as f64;
    let slope = added(a.len() - 1) / added(1).max(1.0);
    findings.claims.push(Claim::new("what the last program adds to what the second adds", "< 1", slope, SLOPE));
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
    if let Some(mono) = all.get(2) {
        let last = a.len() - 1;
        let claim = Claim::new(
            "eight programs on a to the monolithic system",
            "< 1",
            a[last] as f64 / mono[last] as f64,
            EIGHT,
        );
        findings.claims.push(if plan.profile == CostProfile::Pi3 { claim } else { claim.beside() });
    }
    Ok(findings)
}
