//! Tables and plots of a figure of P2, its claims and their quantities.
//!
//! Not here: the times (`measured`).

use super::measured::{PairMeasurement, RegulatorCounts, measured};
use super::{JobsClaim, MODES, P2Figure};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot, most_of};
use crate::rows::{RowPlan, ms};
use crate::run::RunOutcome;
use anyhow::Result;

/// What jobs should have of what is idle.
const SHARE: f64 = 0.9;
/// The quantities of claims that are no policy's.
const LOWEST: &str = "lowest-class";
const JOBS: &str = "jobs-end";
const UNTESTED: &str = "published-beside";
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
    report(figure, &all, &mut findings);
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
    let lowest = format!("{lowest} %");
    let published = ["published, at most", "", "", &lowest, "", &at_most(eii), "", &at_most(ipd)];
    table.rows.push(published.map(str::to_string).to_vec());
    table
}

fn jobs(all: &[PairMeasurement<'_>]) -> FindingsTable {
    let mut table = FindingsTable::new("The jobs' time, ms, and share of the idle time", &["", "alone"]);
    table.columns.extend(MODES.iter().flat_map(|mode| [mode.title.to_string(), "share".to_string()]));
    for pair in all {
        let mut row = vec![pair.title(), ms(pair.job_alone)];
        for (mode, found) in pair.modes.iter().enumerate() {
            row.extend([ms(found.jobs), share(pair, mode)]);
        }
        table.rows.push(row);
    }
    table
}

fn share(pair: &PairMeasurement<'_>, mode: usize) -> String {
    match pair.share(mode) {
        share if share.is_finite() => format!("{:.0} %", 100.0 * share),
        _ => "-".to_string(),
    }
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
    let plot = |what: &str, value: &dyn Fn(&PairMeasurement<'_>, usize) -> f64| {
        let points = |mode| all.iter().enumerate().map(|(at, pair)| (at as f64, value(pair, mode))).collect();
        let curves = MODES.iter().enumerate().map(|(mode, found)| Curve::new(found.title, points(mode)));
        let axes = ["line of the table", "time / time alone, times"];
        let names = (1..=all.len()).map(|line| line.to_string()).collect();
        Plot::new(format!("{}: {what}", figure.title), axes, curves.collect()).of_bars(names)
    };
    let (lowest, [eii, ipd]) = figure.published;
    let of_paper = || all.iter().enumerate().filter(|(_, pair)| pair.pair.counts);
    let published = MODES.iter().zip([lowest, eii, ipd]).map(|(mode, percent)| {
        Curve::published(mode.title, of_paper().map(|(at, _)| (at as f64, 1.0 + percent / 100.0)).collect())
    });
    let mut front = plot("the foreground", &|pair, mode| 1.0 + pair.slower(mode) / 100.0);
    front.curves.extend(published);
    vec![front, plot("the jobs", &|pair, mode| pair.modes[mode].jobs as f64 / pair.job_alone as f64)]
}

/// What the paper says of a figure, and what we aim at.
pub fn claims(figure: &P2Figure) -> Vec<Claim> {
    let (lowest, policies) = figure.published;
    let slower =
        |id: String, what: String| Quantity::new(id, format!("{what}: the foreground takes longer by, at most"), "%");
    let mut claims = vec![Claim::paper(
        slower(LOWEST.to_string(), "lowest class alone".to_string()),
        lowest.to_string(),
        ClaimBound::AtLeast(lowest / 2.0),
        "half of the published slow-down still is the phenomenon that policies shall remove",
    )];
    let regulated = MODES.iter().filter_map(|mode| Some((mode.title, mode.goal?)));
    for ((title, goal), published) in regulated.zip(policies) {
        let bound = ClaimBound::AtMost(published);
        let what = slower(title.to_string(), title.to_string());
        claims.push(Claim::paper(what, published.to_string(), bound, "the largest published slow-down"));
        let what = slower(format!("{title}-aim"), format!("{title}, all pairs"));
        let aim = Claim::aim(what, ClaimBound::AtMost(goal), "a user does not notice so little");
        claims.push(aim.exceeded(ClaimBound::AtMost(goal / 2.0)));
        let share =
            Quantity::new(format!("{title}-share"), format!("{title}: the jobs' share of what was idle"), "share");
        claims.push(Claim::aim(share, ClaimBound::AtLeast(SHARE), "jobs shall lose a tenth of the idle time at most"));
    }
    claims.extend(figure.jobs.map(of_jobs));
    claims.extend(figure.untested.map(|[what, published, why]| {
        let bound = ClaimBound::AtLeast(0.0);
        Claim::paper(Quantity::new(UNTESTED, what, "%"), published, bound, "as published").untested(why)
    }));
    claims
}

/// What the paper says of the jobs' own end.
fn of_jobs(jobs: JobsClaim) -> Claim {
    let (what, published) = match jobs {
        JobsClaim::Eii => ("the jobs' end with EII to that with IPD", "EII's end first"),
        JobsClaim::Ipd => ("the jobs' end with IPD to that with EII", "IPD's end first"),
        JobsClaim::Regulated { .. } => {
            ("the jobs' end with a policy to that with the lowest class, four jobs", "regulated jobs end first")
        }
    };
    let quantity = Quantity::new(JOBS, format!("{what}, the most"), "times");
    Claim::paper(quantity, published, ClaimBound::AtMost(1.0), "an earlier end is less")
}

/// The quantities of the claims: of each policy the worst pair. If the lowest class alone is within the bound, nothing
/// is left to regulate.
fn report(figure: &P2Figure, all: &[PairMeasurement<'_>], findings: &mut Findings) {
    let papers = || all.iter().filter(|pair| pair.pair.counts);
    let most = |mode: usize, pairs: &mut dyn Iterator<Item = &PairMeasurement<'_>>| {
        pairs.map(|pair| pair.slower(mode)).fold(f64::MIN, f64::max)
    };
    let lowest = most(0, &mut papers());
    findings.quantity(LOWEST, lowest);
    let modes = MODES.iter().enumerate().filter_map(|(place, mode)| Some((place, mode.title, mode.goal?)));
    for ((place, title, goal), published) in modes.zip(figure.published.1) {
        let slower = [
            (title.to_string(), published, lowest, most(place, &mut papers())),
            (format!("{title}-aim"), goal, most(0, &mut all.iter()), most(place, &mut all.iter())),
        ];
        for (id, bound, alone, regulated) in slower {
            match alone > bound {
                true => findings.quantity(id, regulated),
                false => findings
                    .unmeasured(id, format!("the lowest class alone takes {alone:.2} % longer: nothing is left")),
            }
        }
        let least = -most_of(all.iter().map(|pair| -pair.share(place)));
        findings.quantity(format!("{title}-share"), least);
    }
    if let Some(jobs) = figure.jobs {
        let ratios = papers().filter_map(|pair| jobs_end(jobs, pair));
        match ratios.reduce(f64::max) {
            Some(most) => findings.quantity(JOBS, most),
            None => findings.unmeasured(JOBS, "no pair has so many jobs"),
        }
    }
}

/// When the jobs of a pair end, to when they end otherwise.
fn jobs_end(claim: JobsClaim, pair: &PairMeasurement<'_>) -> Option<f64> {
    let [lowest, eii, ipd] = pair.modes.iter().map(|mode| mode.jobs as f64).collect::<Vec<_>>()[..] else {
        return None;
    };
    match claim {
        JobsClaim::Eii => Some(eii / ipd),
        JobsClaim::Ipd => Some(ipd / eii),
        JobsClaim::Regulated { jobs } => (pair.pair.jobs == jobs).then(|| eii.max(ipd) / lowest),
    }
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
