//! P4.F8: what a program that computes loses beside one whose I/O is controlled.

use super::p4::{REGION, WITHOUT_LIBRARY, run, times};
use super::{Plan, Row, ms};
use crate::findings::{Bound, Claim, Curve, Findings, Plot, Table};
use crate::run::{Outcome, Run};
use anyhow::{Context, Result};

/// The row.
pub const ROW: Row = Row {
    id: "P4.F8",
    title: "A program that computes, beside one that reads the disk at a controlled speed",
    published: "It takes at most 8 % longer; beside the library less than beside the OS.",
    method: "It adds 1 to a variable for about half a second; the other reads 1 KB from random blocks without end. Loop keeps the processor \
             busy in the delays.",
    runs,
    judge,
};

const MILLIONS: u32 = 100;
const MILLIONS_SHORT: u32 = 20;
const FACTORS: &[u32] = &[1, 2, 5, 10, 20, 50, 100];
const WAYS: [(&str, &str); 2] = [("wait", ""), ("loop", "--loop ")];

fn factors(plan: Plan) -> &'static [u32] {
    if plan.short { &FACTORS[..4] } else { FACTORS }
}

fn runs(plan: Plan) -> Vec<Run> {
    let millions = if plan.short { MILLIONS_SHORT } else { MILLIONS };
    let mut script = format!("/usr/lib/renga/p4 compute alone {millions}\n");
    let points = WAYS.iter().flat_map(|way| factors(plan).iter().map(move |factor| (way, factor)));
    for (region, ((name, option), factor)) in (2..).zip(points) {
        script += &format!(
            "iospeed --factor {factor} {option}/usr/lib/renga/p4 read {} & other=$!\nsleep 0.1\n\
             /usr/lib/renga/p4 compute {name}-{factor} {millions} || exit 1\nkill -9 $other\nwait $other\n",
            region * 2 * REGION,
        );
    }
    vec![run(plan, &(script + "true\n"))]
}

fn judge(plan: Plan, outcomes: &[Outcome]) -> Result<Findings> {
    let outcome = outcomes.first().context("a run is needed")?;
    let time = |label: &str| Ok::<u64, anyhow::Error>(times(outcome, label)?[0]);
    let alone_ns = time("alone")?;
    let mut findings = Findings::default();
    findings.figure("alone, ns", alone_ns);
    let mut table = Table::new("The program that computes, ms, and how much longer it takes", &["factor"]);
    table.columns.extend(WAYS.iter().flat_map(|(name, _)| [(*name).to_string(), "longer".to_string()]));
    table.rows.push(vec!["alone".to_string(), ms(alone_ns), String::new(), ms(alone_ns), String::new()]);
    let mut curves = WAYS.map(|(name, _)| Curve { label: name.to_string(), points: Vec::new() });
    for factor in factors(plan) {
        let mut row = vec![factor.to_string()];
        for ((name, _), curve) in WAYS.iter().zip(&mut curves) {
            let ns = time(&format!("{name}-{factor}"))?;
            findings.figure(format!("{name}, factor {factor}, ns"), ns);
            let percent = 100.0 * (ns as f64 / alone_ns as f64 - 1.0);
            row.extend([ms(ns), format!("{percent:.2} %")]);
            curve.points.push((f64::from(*factor), percent));
        }
        table.rows.push(row);
    }
    let worst = curves[0].points.iter().map(|(_, percent)| *percent).fold(f64::MIN, f64::max);
    findings.tables.push(table);
    findings.plots.push(Plot {
        title: "What a program that computes loses".to_string(),
        axes: ["factor of the other".to_string(), "longer, %".to_string()],
        curves: curves.to_vec(),
    });
    findings.claims.push(Claim::new("wait: it takes longer by, at most, %", "8", worst, Bound::AtMost(8.0, 2.0)));
    findings.notes.push(WITHOUT_LIBRARY.to_string());
    Ok(findings)
}
