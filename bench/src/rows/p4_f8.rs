//! P4.F8: what a program that computes loses beside one whose I/O is controlled.

use super::p4::{LIBRARIES, P4Pacing, times};
use super::{LedgerRow, RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::{Context, Result};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F8",
    title: "A program that computes, beside one that reads the disk at a controlled speed",
    published: "It takes at most 8 % longer; beside the library less than beside the OS.",
    method: "It adds 1 to a variable for about half a second, while the other reads 1 KB from random blocks without end. \
         Loop keeps the processor busy during delays. The library's columns compare with their own program alone.",
    runs,
    further: None,
    claims,
    evaluate,
};

const MILLIONS: u32 = 100;
const MILLIONS_SHORT: u32 = 20;
const FACTORS: &[u32] = &[1, 2, 5, 10, 20, 50, 100];
/// In the system: sleeping, and keeping the processor busy.
const OF_SYSTEM: [(&str, &str); 2] = [("wait", ""), ("loop", "--loop ")];

/// The paper's ways: a word, what tables call it.
const PAPERS: [(&str, &str); 3] = [("os", "wait"), ("lib-a", "Lib A, 10 ms"), ("lib-b", "Lib B, 10 ms")];

fn claims(_: CostProfile) -> Vec<Claim> {
    let longer = |(way, title): &(&str, &str)| {
        let quantity = Quantity::new(format!("longer-{way}"), format!("{title}: it takes longer by, at most"), "%");
        Claim::paper(quantity, "8", ClaimBound::AtMost(8.0), "the largest published loss")
    };
    let less = |(way, title): &(&str, &str)| {
        let what = format!("{title}: its loss less that beside the OS");
        let quantity = Quantity::new(format!("beyond-os-{way}"), what, "percent points");
        Claim::paper(quantity, "below 0", ClaimBound::AtMost(0.0), "the paper's library costs less than its OS")
    };
    PAPERS.iter().map(longer).chain(PAPERS[1..].iter().map(less)).collect()
}

fn factors(plan: RowPlan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let script = |way: P4Pacing, column: &str, option: &str| {
        let millions = if plan.short { MILLIONS_SHORT } else { MILLIONS };
        let mut script = format!("/usr/lib/renga/p4 compute alone {millions}\n");
        for (region, factor) in (2..).zip(factors(plan)) {
            let (paced, endless) = (way.paced(factor * 1_000), way.endless(2 * region));
            script += &format!(
                "{paced}{option}{endless} & other=$!\nsleep 0.1\n\
                 /usr/lib/renga/p4 compute {column}-{factor} {millions} || exit 1\nkill -9 $other\nwait $other\n",
            );
        }
        way.run(plan, &(script + "true\n"))
    };
    let system = OF_SYSTEM.iter().map(|(name, option)| script(P4Pacing::System, name, option));
    system.chain(LIBRARIES.iter().map(|(_, way)| script(*way, "lib", ""))).collect()
}

/// What the program takes alone, and beside the other at each factor, ns.
fn measured(plan: RowPlan, outcome: &RunOutcome, label: &str) -> Result<(u64, Vec<u64>)> {
    let time = |label: &str| Ok::<u64, anyhow::Error>(*times(outcome, label)?.first().context("a time is needed")?);
    let beside = factors(plan).iter().map(|factor| time(&format!("{label}-{factor}"))).collect::<Result<_>>()?;
    Ok((time("alone")?, beside))
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let columns = OF_SYSTEM.iter().map(|(name, _)| (*name, *name)).chain(LIBRARIES.map(|(title, _)| (title, "lib")));
    let mut findings = Findings::default();
    let mut table = FindingsTable::new("The program that computes, ms, and how much longer it takes", &["factor"]);
    table.rows.push(vec!["alone".to_string()]);
    table.rows.extend(factors(plan).iter().map(|factor| vec![factor.to_string()]));
    let mut curves = Vec::new();
    for ((title, label), outcome) in columns.zip(outcomes) {
        let (alone_ns, beside) = measured(plan, outcome, label)?;
        findings.figure(format!("{title}: alone, ns"), alone_ns);
        table.columns.extend([title.to_string(), "longer".to_string()]);
        table.rows[0].extend([ms(alone_ns), String::new()]);
        let mut points = Vec::new();
        for ((factor, ns), row) in factors(plan).iter().zip(beside).zip(&mut table.rows[1..]) {
            findings.figure(format!("{title}, factor {factor}, ns"), ns);
            let percent = 100.0 * (ns as f64 / alone_ns as f64 - 1.0);
            row.extend([ms(ns), format!("{percent:.2} %")]);
            points.push((f64::from(*factor), percent));
        }
        curves.push(Curve::new(title, points));
    }
    let worst = |curve: &Curve| curve.points.iter().map(|(_, percent)| *percent).fold(f64::MIN, f64::max);
    let [wait, _, a, b, _] = &curves[..] else { anyhow::bail!("a run of each way is needed") };
    for ((way, _), curve) in PAPERS.iter().zip([wait, a, b]) {
        findings.quantity(format!("longer-{way}"), worst(curve));
        if *way != PAPERS[0].0 {
            findings.quantity(format!("beyond-os-{way}"), worst(curve) - worst(wait));
        }
    }
    findings.tables.push(table);
    // Loop is far above all others: the table has it.
    let curves = curves.into_iter().filter(|curve| curve.label != OF_SYSTEM[1].0).collect();
    let axes = ["factor of the other, times", "longer, %"];
    findings.plots.push(Plot::new("What a program that computes loses", axes, curves));
    findings.notes.push("P4.F4 describes the library.".to_string());
    Ok(findings)
}
