//! P1.T5: two compiles at once: on a monolithic system, both on one board, one on each.

use super::p1_t1::MONO_IS_RENGA;
use super::{LedgerRow, RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable};
use crate::run::{ALONE, BenchMachine, BenchRun, CostProfile, LINUX, OURS, RunOutcome};
use crate::spent::{self, spent};
use crate::workload::{CC_30, CC_1011, CC_6876, CC_96413, GCC_6876, WorkloadProgram};
use anyhow::{Result, bail};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.T5",
    title: "Two compiles at once: monolithic, both on a, both on b, one on each",
    published: "One on each board takes 15 to 30 % less than two on a monolithic system (45.9/43.2/43.4/37.4, 70.5/70.9/74.1/61.1 \
                and 149.4/153.9/155.1/115.6 s).",
    method: "A shell on a starts both and waits. Their sources are two files with the same content, as in the paper. \
         Each pair runs twice; the second run counts. Claims concern the longest compile. Monolithic: Linux with \
         profile pi3, Renga on one board with paper-1989.",
    runs,
    further: None,
    claims,
    evaluate,
};

const PROGRAMS: [(WorkloadProgram, [f64; 4]); 5] = [
    (CC_30, [45.9, 43.2, 43.4, 37.4]),
    (CC_1011, [70.5, 70.9, 74.1, 61.1]),
    (CC_6876, [149.4, 153.9, 155.1, 115.6]),
    (CC_96413, [f64::NAN; 4]),
    (GCC_6876, [149.4, 153.9, 155.1, 115.6]),
];
/// Two programs of one core share it by time slices, and a slice is a time, not a number of instructions.
const SHORT_TURNS: &str = "Two programs on one core have time slices of 1 ms, which are 1,000 instructions with this profile. The traces \
     show 283 of them between the timer's interrupt and the other program's next instruction. So two compiles on one \
     board take more than twice as long as one, and spreading saves more than half.";
/// The quantities of claims, of the longest compile.
const TO_MONO: &str = "saves-against-mono";
const TO_BOTH: &str = "saves-against-both-on-a";
const TO_BOTH_AIM: &str = "saves-against-both-on-a-aim";

fn claims(profile: CostProfile) -> Vec<Claim> {
    let saves = |id: &str, what: &str| {
        Quantity::new(id, format!("one on each saves, against {what}, the longest compile"), "%")
    };
    let to_mono = Claim::paper(
        saves(TO_MONO, "the monolithic system"),
        "23 (15 to 30)",
        ClaimBound::AtLeast(15.0),
        "the least that the paper names",
    );
    vec![
        match profile {
            CostProfile::Pi3 => to_mono,
            CostProfile::Paper1989 => to_mono.untested(MONO_IS_RENGA),
        },
        Claim::paper(saves(TO_BOTH, "both on a"), "25", ClaimBound::AtLeast(15.0), "the least that the paper names"),
        Claim::aim(
            saves(TO_BOTH_AIM, "both on a"),
            ClaimBound::Within(45.0, 50.0),
            "two boards can save half; more means that two programs of one board disturb each other",
        ),
    ]
}

fn programs(plan: RowPlan) -> Vec<(WorkloadProgram, [f64; 4])> {
    let runs = |program: &WorkloadProgram| match plan {
        RowPlan { short: true, .. } => *program == CC_6876,
        RowPlan { profile: CostProfile::Pi3, .. } => true,
        // The one that was not published would take as long as all others together.
        RowPlan { profile: CostProfile::Paper1989, .. } => !program.heavy && *program != CC_96413,
    };
    PROGRAMS.into_iter().filter(|(program, _)| runs(program)).collect()
}

/// The two compiles, the second with this before it, of another file and into another one.
pub(super) fn pair(program: &WorkloadProgram, second: &str, label: &str) -> String {
    let WorkloadProgram { name, command, .. } = program;
    let other = command.replacen(&format!("-o {name}"), &format!("-o {name}-other"), 1).replacen(".c", "-other.c", 1);
    format!("/usr/lib/renga/measure {label} sh -c '{command} & {second}{other}; wait'\n")
}

/// Both on a; both on b; one on each; monolithic.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let spread = |board: &str, second: &str, machine| {
        let mut script = String::new();
        for (program, _) in programs(plan) {
            for time in ["1", "2"] {
                script += &format!("on {board} {}", pair(&program, second, &format!("{}-{time}", program.name)));
            }
        }
        BenchRun::new(machine, plan.profile, "dev", &script)
    };
    let cluster = |board, second| spread(board, second, BenchMachine::Cluster(OURS)).traced();
    let mono = match plan.profile {
        CostProfile::Pi3 => LINUX,
        CostProfile::Paper1989 => BenchMachine::Cluster(ALONE),
    };
    let mut runs = vec![cluster("a", ""), cluster("b", ""), cluster("a", "remote -b b ")];
    if !plan.short {
        runs.push(spread("a", "", mono));
    }
    runs
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let columns = [
        "",
        "mono",
        "both a",
        "both b",
        "spread",
        "saves",
        "published:",
        "mono",
        "both a",
        "both b",
        "spread",
        "saves",
    ];
    let mut table = FindingsTable::new("ms (published: s); saves: spread against both on a", &columns);
    let mut last = None;
    for (program, published) in programs(plan) {
        let label = format!("{}-2", program.name);
        let ns = outcomes.iter().map(|outcome| Ok(outcome.measured(&label)?.ns)).collect::<Result<Vec<u64>>>()?;
        let [a, b, spread, ..] = ns[..] else { bail!("three runs are needed") };
        let mono = ns.get(3).copied();
        for (name, ns) in ["both on a", "both on b", "spread", "monolithic"].iter().zip(&ns) {
            findings.figure(format!("{} {name} ns", program.name), *ns);
        }
        let saves = |all: f64, less: f64| 100.0 * (all - less) / all;
        let ours = saves(a as f64, spread as f64);
        let mut row = vec![program.title.to_string(), mono.map_or("-".to_string(), ms), ms(a), ms(b), ms(spread)];
        row.extend([format!("{ours:.0} %"), String::new()]);
        let said = |seconds: f64| if seconds.is_nan() { "-".to_string() } else { seconds.to_string() };
        row.extend(published.map(said));
        let theirs = saves(published[0], published[3]);
        row.push(if theirs.is_nan() { "-".to_string() } else { format!("{theirs:.0} % (mono)") });
        table.rows.push(row);
        last = Some((ours, mono.map(|mono| saves(mono as f64, spread as f64))));
    }
    findings.tables.push(table);
    let Some((ours, to_mono)) = last else { bail!("no program was run") };
    findings.quantity(TO_BOTH, ours);
    findings.quantity(TO_BOTH_AIM, ours);
    if let Some(to_mono) = to_mono {
        findings.quantity(TO_MONO, to_mono);
    }
    say_why(plan, outcomes, &mut findings)?;
    if plan.profile == CostProfile::Paper1989 {
        findings.notes.push(SHORT_TURNS.to_string());
    }
    Ok(findings)
}

/// Where the time goes with both on a and with one on each, and what keeps the second from taking half as long.
fn say_why(plan: RowPlan, outcomes: &[RunOutcome], findings: &mut Findings) -> Result<()> {
    let programs = programs(plan);
    let labels: Vec<String> = programs.iter().map(|(program, _)| format!("{}-2", program.name)).collect();
    let [both, spread] = [spent(&outcomes[0], &labels)?, spent(&outcomes[2], &labels)?];
    let mut table = spent::table();
    for ((program, _), (both, spread)) in programs.iter().zip(both.iter().zip(&spread)) {
        let places = [("both on a", both), ("one on each", spread)];
        table.rows.extend(places.map(|(place, found)| found.row(&format!("{}, {place}", program.title))));
    }
    findings.tables.push(table);
    if let Some(((program, _), (both, spread))) = programs.iter().zip(both.iter().zip(&spread)).next_back() {
        let busy = |board: usize| spread.busy_ns.get(board).copied().unwrap_or(0);
        findings.notes.push(format!(
            "Why: {} twice keeps a's core at work for {} ms of {} ms; one on each, a's for {} ms and b's for {} ms of {} ms, both at \
             once for {} ms. b's part makes {}.",
            program.title,
            ms(both.busy_ns.first().copied().unwrap_or(0)),
            ms(both.ns),
            ms(busy(0)),
            ms(busy(1)),
            ms(spread.ns),
            ms(spread.overlap_ns),
            spread.words()
        ));
    }
    Ok(())
}
