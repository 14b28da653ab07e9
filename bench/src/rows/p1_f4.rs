//! P1.F4: bytes through a pipe with computation between them; from which distance on two boards beat one.

use super::{LedgerRow, RowPlan, us};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::run::{BenchMachine, BenchRun, CostProfile, LINUX, OURS, RunOutcome};
use anyhow::{Context, Result};

/// Published for a byte: the monolithic system, one board, two boards.
const PUBLISHED_MS: [f64; 3] = [7.4, 8.2, 11.6];

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P1.F4",
    title: "One byte 2,000 times through a pipe, with computation between: one board, two boards",
    published: "7.4 ms a byte on the monolithic system, 8.2 ms on one board, 11.6 ms between two boards. Two boards win \
         once bytes are more than 3 ms apart.",
    method: "Both programs compute for a number of instructions between two bytes, which two boards do at once. The \
         crossover is where the lines through the measured points cross. With paper-1989 only 200 bytes pass, and \
         two computing programs on one board lose many of their 1,000 instructions per time slice (P1.T5).",
    runs,
    further: None,
    claims,
    evaluate,
};

/// Distances, us.
const PI3_US: &[u64] = &[0, 10, 20, 30, 40, 50, 60, 80, 100, 150, 300];
const PAPER_US: &[u64] = &[0, 1000, 2000, 3000, 4000, 5000, 7000, 10_000];
const SHORT_US: &[u64] = &[0, 60, 100, 150];
const BYTES: u64 = 2000;
const PAPER_BYTES: u64 = 200;
const SHORT_BYTES: u64 = 100;
/// The quantities of claims: the crossover in ms, and in bytes through the pipe of one board; no distance.
const CROSSOVER_MS: &str = "crossover-ms";
const CROSSOVER_BYTES: &str = "crossover-bytes";
const APART: &str = "two-boards-to-one";

fn claims(profile: CostProfile) -> Vec<Claim> {
    let what = "two boards win from this distance on";
    let ms = Quantity::new(CROSSOVER_MS, what, "ms");
    let bytes = Quantity::new(CROSSOVER_BYTES, what, "times a byte on one board");
    let apart = Quantity::new(APART, "two boards to one at no distance", "times");
    let ms = Claim::paper(ms, "3", ClaimBound::AtMost(3.0), "the published distance");
    vec![
        match profile {
            CostProfile::Pi3 => ms.untested("ms of processors a thousand times apart"),
            CostProfile::Paper1989 => ms,
        },
        Claim::paper(
            bytes,
            "0.37",
            ClaimBound::AtMost(0.37),
            "3 ms of 8.2, a unit that does not depend on the machine",
        ),
        Claim::paper(apart, "1.41", ClaimBound::AtMost(1.41), "11.6 to 8.2 ms"),
    ]
}

fn distances_us(plan: RowPlan) -> &'static [u64] {
    match plan {
        RowPlan { short: true, .. } => SHORT_US,
        RowPlan { profile: CostProfile::Pi3, .. } => PI3_US,
        RowPlan { profile: CostProfile::Paper1989, .. } => PAPER_US,
    }
}

/// One board and two boards in one run each; Linux.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let bytes = match plan {
        RowPlan { short: true, .. } => SHORT_BYTES,
        RowPlan { profile: CostProfile::Pi3, .. } => BYTES,
        RowPlan { profile: CostProfile::Paper1989, .. } => PAPER_BYTES,
    };
    let p1 = "/usr/lib/renga/p1";
    let through = |to: &str, machine| {
        let mut script = String::new();
        for distance in distances_us(plan) {
            let ns = distance * 1000;
            script += &format!("{p1} send {bytes} {ns} | on {to} {p1} receive {bytes} {ns}\n");
        }
        BenchRun::new(machine, plan.profile, "small", &script)
    };
    let mut runs = vec![through("a", BenchMachine::Cluster(OURS)), through("b", BenchMachine::Cluster(OURS))];
    if plan.profile == CostProfile::Pi3 && !plan.short {
        runs.push(through("a", LINUX));
    }
    runs
}

/// By distance: ns a byte.
fn points(plan: RowPlan, outcome: &RunOutcome) -> Result<Vec<u64>> {
    let one = |distance: &u64| {
        let numbers = outcome.numbers(&format!("received {} ", distance * 1000))?;
        let [bytes, ns] = numbers[..] else { anyhow::bail!("not a measurement: {numbers:?}") };
        ns.checked_div(bytes).context("no byte was received")
    };
    distances_us(plan).iter().map(one).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let all = outcomes.iter().map(|outcome| points(plan, outcome)).collect::<Result<Vec<_>>>()?;
    let names = ["one board", "two boards", "Linux, one board"];
    let mut table = FindingsTable::new("us a byte", &["distance, us", "one board", "two boards", "Linux"]);
    for (place, distance) in distances_us(plan).iter().enumerate() {
        let cell = |run: usize| all.get(run).map_or("-".to_string(), |points| us(points[place]));
        table.rows.push(vec![distance.to_string(), cell(0), cell(1), cell(2)]);
        for (name, points) in names.iter().zip(&all) {
            findings.figure(format!("{name}, {distance} us apart ns"), points[place]);
        }
    }
    findings.tables.push(table);
    let xs: Vec<f64> = distances_us(plan).iter().map(|us| *us as f64 / 1000.0).collect();
    let curve = |points: &Vec<u64>| -> Vec<(f64, f64)> {
        xs.iter().copied().zip(points.iter().map(|ns| *ns as f64 / 1e6)).collect()
    };
    let curves = names.iter().zip(&all).map(|(name, points)| Curve::new(*name, curve(points)));
    // The other profile is a thousand times quicker.
    let published = (plan.profile == CostProfile::Paper1989)
        .then(|| Curve::published("published", PUBLISHED_MS.map(|ms| (0.0, ms)).to_vec()));
    findings.plots.push(Plot::new(
        "Time a byte through a pipe",
        ["computation between two bytes, ms", "time a byte, ms"],
        curves.chain(published).collect(),
    ));
    let (one, two) = (curve(&all[0]), curve(&all[1]));
    let crossover_ms = crossing(&one, &two).context("two boards never win")?;
    findings.quantity(CROSSOVER_MS, crossover_ms);
    findings.quantity(CROSSOVER_BYTES, crossover_ms / one[0].1);
    findings.quantity(APART, two[0].1 / one[0].1);
    let [most, then] = match plan.profile {
        CostProfile::Pi3 => ["two frames of the wire", "no software can cross them much earlier"],
        CostProfile::Paper1989 => ["instructions of both boards", "only fewer instructions can cross them earlier"],
    };
    findings.notes.push(format!(
        "Why: without computation a byte costs {} us on one board, where the reader resumes at once, and {} us \
         between two, nearly all of it {most} (P1.T1b). Two boards save the computation of one of them: so the lines \
         cross where the computation between two bytes is as long as that, and {then}.",
        us(all[0][0]),
        us(all[1][0])
    ));
    Ok(findings)
}

/// Where `other` falls below `one`, between the two points around that.
fn crossing(one: &[(f64, f64)], other: &[(f64, f64)]) -> Option<f64> {
    let ahead: Vec<(f64, f64)> = one.iter().zip(other).map(|(one, other)| (one.0, one.1 - other.1)).collect();
    if ahead.first()?.1 > 0.0 {
        return Some(ahead[0].0);
    }
    let pair = ahead.windows(2).find(|pair| pair[1].1 > 0.0)?;
    let [(x0, y0), (x1, y1)] = pair else { return None };
    Some(x0 + (x1 - x0) * -y0 / (y1 - y0))
}

#[cfg(test)]
mod tests {
    use super::crossing;

    #[test]
    fn p1_f4_crossover_lies_between_points() {
        let one = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
        assert_eq!(crossing(&one, &[(0.0, 2.0), (1.0, 3.5), (2.0, 4.0)]), Some(1.0 + 0.5 / 1.5));
        assert_eq!(crossing(&one, &[(0.0, 0.5), (1.0, 3.5), (2.0, 4.0)]), Some(0.0));
        assert_eq!(crossing(&one, &[(0.0, 2.0), (1.0, 4.0), (2.0, 6.0)]), None);
    }
}
