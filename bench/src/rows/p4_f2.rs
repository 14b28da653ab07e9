//! P4.F2: I/O time control against I/O count control: how near the speed is, and how even.

use super::p4::{NEAR_PERCENT, P4Io, P4Pacing, command, times};
use super::{LedgerRow, RowPlan, mean};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::{Context, Result};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P4.F2",
    title: "Mean and variance of the achieved speed: time control (wait) and count control (fixed period)",
    published: "Wait is better in both.",
    method: "Reads of 1 KB from random blocks at 10 to 90 % of the uncontrolled speed, for 3 periods of 1 s. Mean and \
         variance are over windows of 20 reads, relative to the requested time. The paper's are over its \
         measurements, of reads of 512 bytes.",
    runs,
    further: None,
    claims,
    evaluate,
};

const PERCENTS: &[u32] = &[10, 20, 30, 50, 70, 90];
const WINDOW: u32 = 20;
const PERIOD_MS: u32 = 1_000;
const PERIODS: u32 = 3;
const FREE_READS: u32 = 200;
/// About what is possible, reads in a second: the count of each measurement follows.
const READS_PER_S: u32 = 1_750;
const WAYS: [&str; 3] = ["wait", "fixed", "variable"];
/// The quantities of claims.
const ERROR: &str = "wait-error-to-fixed";
const VARIANCE: &str = "wait-variance-to-fixed";
const WAIT: &str = "wait-error";

fn claims(_: CostProfile) -> Vec<Claim> {
    let error = Quantity::new(ERROR, "wait's largest error of the mean to fixed's", "times");
    let variance = Quantity::new(VARIANCE, "wait's largest variance to fixed's", "times");
    let better = "the paper finds wait better";
    let wait = Quantity::new(WAIT, "wait: the largest error of the mean", "%");
    vec![
        Claim::paper(error, "below 1", ClaimBound::AtMost(1.0), better),
        Claim::paper(variance, "below 1", ClaimBound::AtMost(1.0), better),
        Claim::aim(wait, ClaimBound::AtMost(NEAR_PERCENT), "a user does not notice 1 %")
            .exceeded(ClaimBound::AtMost(NEAR_PERCENT / 2.0)),
    ]
}

/// Uncached blocks lie in regions; the longest measurement has so many.
const REGIONS: u32 = 5;

fn percents(plan: RowPlan) -> &'static [u32] {
    if plan.short { &PERCENTS[..2] } else { PERCENTS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let of_way = |way: &&str| {
        let mut script = command(P4Io::Disk, "free", [FREE_READS, FREE_READS, 0]) + " || exit 1\n";
        for (place, percent) in (0..).zip(percents(plan)) {
            let rate = READS_PER_S * percent / 100;
            let pace = match *way {
                "wait" => format!("--factor {}.{:03}", 100 / percent, 100_000 / percent % 1_000),
                "variable" => format!("--rate {rate} --period {PERIOD_MS} --variable"),
                _ => format!("--rate {rate} --period {PERIOD_MS}"),
            };
            let reads = rate * PERIODS * PERIOD_MS / 1_000;
            let command = command(P4Io::Disk, &format!("at{percent}"), [reads, WINDOW, 1 + place * REGIONS]);
            script += &format!("iospeed {pace} {command} || exit 1\n");
        }
        P4Pacing::System.run(plan, &script)
    };
    WAYS.iter().map(of_way).collect()
}

/// Mean and variance of the time to the requested time, over windows of whole length.
fn spread(times: &[u64], requested_ns: f64) -> (f64, f64) {
    let ratios: Vec<f64> = times.iter().map(|ns| *ns as f64 / requested_ns).collect();
    let of_all = mean(&ratios);
    let squares: Vec<f64> = ratios.iter().map(|ratio| (ratio - of_all).powi(2)).collect();
    (of_all, mean(&squares))
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut table = FindingsTable::new("Time of 20 reads to the requested one: mean, variance", &["requested"]);
    let mut worst = Vec::new();
    let mut curves = Vec::new();
    let mut columns = Vec::new();
    for (way, outcome) in WAYS.iter().zip(outcomes) {
        table.columns.extend([format!("{way}: mean"), "variance".to_string()]);
        let free_ns = times(outcome, "free")?.iter().sum::<u64>() as f64 / f64::from(FREE_READS);
        let of = |percent: &u32| {
            let mut all = times(outcome, &format!("at{percent}"))?;
            all.pop().context("windows are needed")?; // it may be short
            // A rate is of the round number, a factor of what was measured.
            let each_ns = if *way == "wait" { free_ns } else { 1e9 / f64::from(READS_PER_S) };
            Ok(spread(&all, each_ns * f64::from(WINDOW) * 100.0 / f64::from(*percent)))
        };
        let all: Vec<(f64, f64)> = percents(plan).iter().map(of).collect::<Result<_>>()?;
        let far = all.iter().map(|(mean, _)| (mean - 1.0).abs()).fold(0.0, f64::max);
        let variance = all.iter().map(|(_, variance)| *variance).fold(0.0, f64::max);
        findings.figure(format!("{way}: without control, ns"), free_ns as u64);
        worst.push((far, variance));
        let points = percents(plan).iter().zip(&all).map(|(percent, (mean, _))| (f64::from(*percent), *mean)).collect();
        curves.push(Curve::new(*way, points));
        columns.push(all);
    }
    for (place, percent) in percents(plan).iter().enumerate() {
        let cells = columns.iter().flat_map(|all| [format!("{:.4}", all[place].0), format!("{:.6}", all[place].1)]);
        table.rows.push(std::iter::once(format!("{percent} %")).chain(cells).collect());
    }
    findings.tables.push(table);
    findings.plots.push(Plot::new(
        "Time to the requested time",
        ["requested speed, % of that without control", "mean time / requested time, times"],
        curves,
    ));
    let [wait, fixed, _] = worst[..] else { anyhow::bail!("a run of each way is needed") };
    for (id, wait, fixed) in [(ERROR, wait.0, fixed.0), (VARIANCE, wait.1, fixed.1)] {
        match fixed > 0.0 {
            true => findings.quantity(id, wait / fixed),
            false => findings.unmeasured(id, "fixed is exact"),
        }
    }
    findings.quantity(WAIT, 100.0 * wait.0);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn p4_f2_mean_and_variance_are_relative_to_request() {
        assert_eq!(spread(&[100, 100], 100.0), (1.0, 0.0));
        assert_eq!(spread(&[50, 150], 100.0), (1.0, 0.25));
    }
}
