//! Tables, plots and claims of a figure of P2, and why they are as they are, from what was counted.
//!
//! Not here: the times (`measured`).

use super::measured::{PairMeasurement, RegulatorCounts, measured};
use super::{MODES, P2Figure, RegulationMode};
use crate::findings::{Bound, Claim, Curve, Findings, FindingsTable, Plot};
use crate::rows::{RowPlan, ms};
use crate::run::RunOutcome;
use anyhow::Result;

/// What jobs should have of what is idle.
const SHARE: Bound = Bound::Reaches(0.9);
/// The regulator's period, s.
const PERIOD_S: f64 = 0.1;

/// Tables, plots, claims about each policy, and why they are as they are.
///
/// # Errors
/// If something was not measured.
pub fn evaluate(plan: RowPlan, figure: &P2Figure, outcomes: &[RunOutcome]) -> Result<Findings> {
    let all = measured(plan, figure, outcomes)?;
    let mut findings = Findings::default();
    for pair in &all {
        let title = pair.title();
        findings.figure(format!("{title}: foreground alone ns"), pair.front_alone);
        findings.figure(format!("{title}: jobs alone ns"), pair.job_alone);
        for (mode, found) in MODES.iter().zip(&pair.modes) {
            findings.figure(format!("{title}: foreground, {} ns", mode.title), found.front);
            findings.figure(format!("{title}: jobs, {} ns", mode.title), found.jobs);
        }
    }
    findings.tables = vec![fronts(figure, &all), jobs(&all), contention(&all), losses(&all)];
    findings.plots = plots(figure, &all);
    findings.claims = claims(figure, &all);
    Ok(findings)
}

fn fronts(figure: &P2Figure, all: &[PairMeasurement<'_>]) -> FindingsTable {
    let mut table = FindingsTable::new("The foreground, ms, and how much longer it takes", &["", "alone"]);
    table.columns.extend(MODES.iter().flat_map(|mode| [mode.title.to_string(), "longer".to_string()]));
    for pair in all {
        let mut row = vec![pair.title(), ms(pair.front_alone)];
        for (mode, found) in pair.modes.iter().enumerate() {
            row.extend([ms(found.front), format!("{:.2} %", pair.slower(mode))]);
        }
        table.rows.push(row);
    }
    let (lowest, [eii, ipd]) = figure.published;
    let at_most = |percent: f64| format!("<= {percent} %");
    let published = ["published, at most", "", "", lowest, "", &at_most(eii), "", &at_most(ipd)];
    table.rows.push(published.map(str::to_string).to_vec());
    table
}

fn jobs(all: &[PairMeasurement<'_>]) -> FindingsTable {
    let mut table = FindingsTable::new("The jobs' time, ms, and share of the idle time", &["", "alone"]);
    table.columns.extend(MODES.iter().flat_map(|mode| [mode.title.to_string(), "share".to_string()]));
    for pair in all {
        let mut row = vec![pair.title(), ms(pair.job_alone)];
        for (mode, found) in pair.modes.iter().enumerate() {
            row.extend([ms(found.jobs), format!("{:.0} %", 100.0 * pair.share(mode))]);
        }
        table.rows.push(row);
    }
    table
}

/// Counts while the foreground ran: samples with contention, of all samples.
fn contention(all: &[PairMeasurement<'_>]) -> FindingsTable {
    let title = "Samples with contention for processor, medium, link, of all";
    let mut table = FindingsTable::new(title, &[""]);
    table.columns.extend(MODES.iter().map(|mode| mode.title.to_string()));
    for pair in all {
        let cell = |RegulatorCounts { samples, contended: [cpu, disk, link], .. }: RegulatorCounts| {
            format!("{cpu}, {disk}, {link} of {samples}")
        };
        let cells = pair.modes.iter().map(|found| cell(found.seen));
        table.rows.push(std::iter::once(pair.title()).chain(cells).collect());
    }
    table
}

fn plots(figure: &P2Figure, all: &[PairMeasurement<'_>]) -> Vec<Plot> {
    let plot = |what: &str, axis: &str, value: &dyn Fn(&PairMeasurement<'_>, usize) -> f64| {
        let points = |mode| all.iter().enumerate().map(|(at, pair)| (at as f64 + 1.0, value(pair, mode))).collect();
        let curves = MODES
            .iter()
            .enumerate()
            .map(|(mode, RegulationMode { title, .. })| Curve { label: (*title).to_string(), points: points(mode) });
        Plot {
            title: format!("{}: {what}", figure.title),
            axes: ["line of the table".to_string(), axis.to_string()],
            curves: curves.collect(),
        }
    };
    vec![
        plot("the foreground", "time / time alone", &|pair, mode| 1.0 + pair.slower(mode) / 100.0),
        plot("the jobs", "time / time alone", &|pair, mode| pair.modes[mode].jobs as f64 / pair.job_alone as f64),
    ]
}

/// Of each policy the worst pair. Half of what was published beats it, if that is not under what is aimed at.
fn claims(figure: &P2Figure, all: &[PairMeasurement<'_>]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (place, (mode, published)) in MODES[1..].iter().zip(figure.published.1).enumerate() {
        let RegulationMode { title, goal, .. } = mode;
        let bound = Bound::AtMost(published, goal.map_or(published, |goal| goal.min(published / 2.0)));
        let of = |counts: bool| all.iter().filter(move |pair| pair.pair.counts == counts);
        let worst = |counts| of(counts).map(|pair| pair.slower(place + 1)).fold(f64::MIN, f64::max);
        for (which, counts) in [("", true), (", beyond the paper", false)] {
            let what = format!("{title}: the foreground takes longer by, %{which}");
            let claim = Claim::new(what, published.to_string(), worst(counts), bound);
            match (counts, of(counts).next()) {
                (_, None) => {}
                (true, Some(_)) => claims.push(claim),
                (false, Some(_)) => claims.push(claim.beside()),
            }
        }
        if let Some(goal) = goal {
            let worst = worst(true).max(worst(false));
            let what = format!("{title}: aimed at, the worst of all, %");
            claims.push(Claim::new(what, "-", worst, Bound::AtMost(*goal, goal / 2.0)).beside());
        }
        let least = all.iter().map(|pair| pair.share(place + 1)).fold(f64::MAX, f64::min);
        claims.push(Claim::new(format!("{title}: the jobs' share of what was idle"), "-", least, SHARE).beside());
    }
    claims
}

/// What both used while no job was stopped, and what each policy lost.
fn losses(all: &[PairMeasurement<'_>]) -> FindingsTable {
    let title = "The foreground alone; used beside running jobs: ms, blocks, frames; lost periods of 100 ms; possible \
         earlier end of the jobs, s";
    let columns = ["", "alone, s", "busy", "foreground", "jobs", "EII lost", "IPD lost", "EII earlier", "IPD earlier"];
    let mut table = FindingsTable::new(title, &columns);
    for pair in all {
        let used = |[ms, blocks, frames]: [u64; 3]| format!("{ms}, {blocks}, {frames}");
        let lost = |mode: usize| (pair.modes[mode].front as f64 - pair.front_alone as f64) / (PERIOD_S * 1e9);
        let (free, alone_s) = (pair.modes[0].seen, pair.front_alone as f64 / 1e9);
        let busy = 100.0 * pair.busy as f64 / pair.front_alone as f64;
        let mut row =
            vec![pair.title(), format!("{alone_s:.1}"), format!("{busy:.0} %"), used(free.front), used(free.jobs)];
        row.extend([lost(1), lost(2), late_s(pair, 1), late_s(pair, 2)].map(|value| format!("{value:.1}")));
        table.rows.push(row);
    }
    table
}

/// What was idle and the jobs did not have, s.
fn late_s(pair: &PairMeasurement<'_>, mode: usize) -> f64 {
    (pair.modes[mode].jobs as f64 - pair.occupied as f64 - pair.job_alone as f64) / 1e9
}
