//! Tables and plots of an experiment, its claims and their quantities, and why it is as it is, from what was counted.
//!
//! The cost of reclamation is relative to the same stream on a board with memory for all of it: the stream's own cost,
//! its calls and the copying of its bytes, is not the reclaimer's noise. In the paper it has a core to itself. Not
//! here: the times (`measured`).

use super::linux::{self, Kswapd};
use super::measured::{InForm, ReclaimCost, measured};
use super::{FORMS, P3Experiment, P3Form};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::rows::{RowPlan, ms};
use crate::run::RunOutcome;
use anyhow::Result;

/// What counts as "about as long as", %; less is no noise.
const GOAL_PERCENT: f64 = 0.5;
/// The quantities of claims.
const NOISE: &str = "noise";
const LONGEST: &str = "noise-longest-step";
const AS_ALONE: &str = "batching-to-alone";
const REMAINS: &str = "batching-remains";
const SPREAD: &str = "batching-spread";
const LONGEST_BATCHED: &str = "batching-longest-step";
const RESIDUAL: &str = "batching-to-stream";
const HELPS: &str = "batching-to-small-batches";
const KSWAPD: &str = "instructions-to-kswapd";

/// Tables, plots, claims.
///
/// # Errors
/// If something was not measured.
pub(super) fn evaluate(plan: RowPlan, experiment: &P3Experiment, outcomes: &[RunOutcome]) -> Result<Findings> {
    let forms = measured(plan, experiment, outcomes)?;
    let mut findings = Findings::default();
    for (form, found) in FORMS.iter().zip(&forms) {
        findings.figure(format!("{}: all steps ns", form.title()), found.steps.total());
    }
    let [_, _, small, large] = &forms;
    // Counted since the board started: more pages mean less noise.
    for (name, work) in [("ordinary reclaimer", small.all[0]), ("batcher", large.all[1])] {
        findings.figure(format!("{name}: instructions a page"), work.per_page().unwrap_or(0.0).round() as u64);
    }
    findings.tables = vec![steps(experiment, &forms), given_back(&forms)];
    findings.plots = vec![each_step(experiment, &forms), accumulated(experiment, &forms)];
    let kswapd = match &outcomes[FORMS.len()..] {
        [] => None,
        linux => Some(linux::evaluate(linux, &mut findings)?),
    };
    findings.tables.push(per_page(&forms, kswapd));
    report(experiment, &forms, &mut findings);
    if let Some((kswapd, ours)) = kswapd.zip(small.all[0].per_page()) {
        findings.quantity(KSWAPD, ours / kswapd.per_page());
    }
    findings.notes = vec![why(&forms)];
    Ok(findings)
}

fn steps(experiment: &P3Experiment, forms: &[InForm; 4]) -> FindingsTable {
    let columns = [
        "",
        "a step, ms",
        "the shortest",
        "the longest",
        "spread, %",
        "all, ms",
        "the first, ms",
        "longer, %",
        "than beside the stream, %",
        "streamed, MB/s",
    ];
    let mut table = FindingsTable::new("The computation's steps, without the first", &columns);
    let [alone, unreclaimed, ..] = forms;
    for (form, found) in FORMS.iter().zip(forms) {
        let steps = &found.steps;
        let (bytes, ns) = found.streamed;
        table.rows.push(vec![
            form.title().to_string(),
            ms(steps.mean() as u64),
            ms(steps.least()),
            ms(steps.most()),
            format!("{:.2}", steps.spread()),
            ms(steps.total()),
            ms(steps.first),
            format!("{:.2}", steps.longer(&alone.steps)),
            format!("{:.2}", steps.longer(&unreclaimed.steps)),
            format!("{:.1}", bytes as f64 * 1e3 / ns.max(1) as f64),
        ]);
    }
    if let Some((published, _)) = experiment.published {
        let row = |title: &str, longer: &str| {
            let mut row = vec![String::new(); columns.len()];
            (row[0], row[7]) = (format!("published: {title}"), longer.to_string());
            row
        };
        table.rows.push(row(P3Form::Small.title(), &format!("{published:.0}")));
        table.rows.push(row(P3Form::Large.title(), "about 0"));
    }
    table
}

fn given_back(forms: &[InForm; 4]) -> FindingsTable {
    let columns = ["", "free before", "by the reclaimer", "begun", "ms", "by the batcher", "batches", "ms"];
    let mut table = FindingsTable::new("Pages given back while it computed", &columns);
    for (form, found) in FORMS.iter().zip(forms) {
        let cells = |work: ReclaimCost| [work.pages.to_string(), work.begun.to_string(), ms(work.us * 1000)];
        let row = [form.title().to_string(), found.free.to_string()].into_iter();
        table.rows.push(row.chain(cells(found.ordinary)).chain(cells(found.batches)).collect());
    }
    table
}

fn per_page(forms: &[InForm; 4], kswapd: Option<Kswapd>) -> FindingsTable {
    let mut table = FindingsTable::new(
        "A page given back, since the board started",
        &["", "instructions", "pages each time it is asked", "pages each ms it works"],
    );
    let [_, _, small, large] = forms;
    for (name, work) in [("the ordinary reclaimer", small.all[0]), ("the batcher", large.all[1])] {
        let each = work.pages as f64 / work.steps.max(1) as f64;
        let ns = work.per_page().unwrap_or(0.0);
        table.rows.push(vec![
            name.to_string(),
            format!("{ns:.0}"),
            format!("{each:.0}"),
            format!("{:.0}", 1e6 / ns.max(1.0)),
        ]);
    }
    if let Some(kswapd) = kswapd {
        let Kswapd { pages, scanned, direct, meanwhile, .. } = kswapd;
        let ns = kswapd.per_page();
        let title = format!(
            "Linux's kswapd ({pages} pages of {scanned} scanned, {meanwhile} of them while it computed; {direct} more by direct reclaim)"
        );
        table.rows.push(vec![title, format!("{ns:.0}"), String::new(), format!("{:.0}", 1e6 / ns.max(1.0))]);
    }
    table
}

/// Each step, over what the shortest of all takes.
fn each_step(experiment: &P3Experiment, forms: &[InForm; 4]) -> Plot {
    let least = forms.iter().map(|form| form.steps.least()).min().unwrap_or(1) as f64;
    plot(experiment, "each step", "longer than the shortest, %", forms, |steps| {
        steps.iter().map(|ns| 100.0 * (*ns as f64 / least - 1.0)).collect()
    })
}

/// How much later each step ends than with noise off.
fn accumulated(experiment: &P3Experiment, forms: &[InForm; 4]) -> Plot {
    let ends = |steps: &[u64]| {
        let add = |sum: &mut u64, ns: &u64| {
            *sum += ns;
            Some(*sum as f64 / 1e6)
        };
        steps.iter().scan(0, add).collect::<Vec<f64>>()
    };
    let alone = ends(&forms[0].steps.each);
    let title = format!("end after that of {}, ms", FORMS[0].title());
    let mut plot = plot(experiment, "end of each step", &title, forms, |steps| {
        ends(steps).iter().zip(&alone).map(|(end, alone)| end - alone).collect()
    });
    plot.curves.remove(0);
    plot
}

fn plot(
    experiment: &P3Experiment,
    what: &str,
    axis: &str,
    forms: &[InForm; 4],
    values: impl Fn(&[u64]) -> Vec<f64>,
) -> Plot {
    let curve = |(form, found): (&P3Form, &InForm)| {
        Curve::new(form.title(), (2..).map(f64::from).zip(values(&found.steps.each)).collect())
    };
    Plot::new(format!("{}: {what}", experiment.title), ["step", axis], FORMS.iter().zip(forms).map(curve).collect())
}

/// What the paper says of an experiment, and what we aim at.
pub(super) fn claims(experiment: &P3Experiment) -> Vec<Claim> {
    let quantity = Quantity::new;
    let mut claims = Vec::new();
    if let Some((noise, longest)) = experiment.published {
        let half = "half of what was published still is the phenomenon that the service shall remove";
        let what = "without the service: longer than beside the stream with memory for all of it";
        let published = format!("about {noise:.0}");
        claims.push(Claim::paper(quantity(NOISE, what, "%"), published, ClaimBound::AtLeast(noise / 2.0), half));
        claims.extend(longest.map(|times| {
            let what = quantity(LONGEST, "without the service: the longest step to the mean one", "times");
            Claim::paper(what, format!("about {times:.0}"), ClaimBound::AtLeast(1.0 + (times - 1.0) / 2.0), half)
        }));
        let as_alone = quantity(AS_ALONE, "with the service: longer than the computation alone", "%");
        let remains = quantity(REMAINS, "with the service: what remains of the noise", "share");
        let spread = quantity(SPREAD, "the steps' spread with the service to that without", "times");
        let longest = quantity(LONGEST_BATCHED, "the longest step with the service to that without", "times");
        claims.extend([
            Claim::paper(
                as_alone,
                "about 0",
                ClaimBound::AtMost(GOAL_PERCENT),
                "0.5 % does not show in the paper's plot",
            ),
            Claim::paper(remains, "about 0", ClaimBound::AtMost(0.5), "the service removes at least half"),
            Claim::paper(spread, "nearly constant", ClaimBound::AtMost(1.0), "the service makes steps more even"),
            Claim::paper(longest, "below 1", ClaimBound::AtMost(1.0), "the service removes long steps"),
        ]);
    }
    let residual = quantity(RESIDUAL, "with the service: longer than beside the stream with memory for all of it", "%");
    let helps = quantity(HELPS, "with the service: longer than without it", "%");
    let goal = ClaimBound::AtMost(GOAL_PERCENT);
    let reason = "a noise of 0.5 % is not seen in the steps";
    claims.push(Claim::aim(residual, goal, reason).exceeded(ClaimBound::AtMost(GOAL_PERCENT / 2.0)));
    claims.push(Claim::aim(helps, ClaimBound::AtMost(0.0), "a service that costs time is of no use"));
    if experiment.linux {
        let kswapd = quantity(KSWAPD, "the ordinary reclaimer's instructions a page to kswapd's", "times");
        let reason = "Linux is the measure";
        claims.push(Claim::aim(kswapd, ClaimBound::AtMost(1.0), reason).exceeded(ClaimBound::AtMost(0.5)));
    }
    claims
}

/// The quantities of the claims, except Linux's.
fn report(experiment: &P3Experiment, forms: &[InForm; 4], findings: &mut Findings) {
    let [alone, base, small, large] = forms.each_ref().map(|form| &form.steps);
    let (noise, residual) = (small.longer(base), large.longer(base));
    let nothing = || format!("the noise is {noise:.2} %: nothing is there to remove");
    match noise > GOAL_PERCENT {
        true => findings.quantity(RESIDUAL, residual),
        false => findings.unmeasured(RESIDUAL, nothing()),
    }
    findings.quantity(HELPS, large.longer(small));
    let Some((_, longest)) = experiment.published else { return };
    findings.quantity(NOISE, noise);
    if longest.is_some() {
        findings.quantity(LONGEST, small.most() as f64 / small.mean());
    }
    findings.quantity(AS_ALONE, large.longer(alone));
    match noise > GOAL_PERCENT {
        true => findings.quantity(REMAINS, residual / noise),
        false => findings.unmeasured(REMAINS, nothing()),
    }
    match small.spread() > 0.0 {
        true => findings.quantity(SPREAD, large.spread() / small.spread()),
        false => findings.unmeasured(SPREAD, "all steps without the service take the same time"),
    }
    findings.quantity(LONGEST_BATCHED, large.most() as f64 / small.most() as f64);
}

fn why(forms: &[InForm; 4]) -> String {
    let [alone, unreclaimed, small, large] = forms;
    let lost = |form: &InForm| (form.steps.total() as f64 - unreclaimed.steps.total() as f64) / 1e6;
    let took = |work: ReclaimCost| work.us as f64 / 1e3;
    format!(
        "The stream itself makes the steps {:.2} % longer. Small batches, begun {} times, freed {} pages in {:.1} \
         ms, and the steps took {:.1} ms longer than without reclamation. {} large ones freed {} pages in {:.1} ms, \
         and the steps took {:.1} ms longer, of {:.0} ms. The longest step is {:.2} times the mean with small \
         batches, {:.2} times with large ones.",
        unreclaimed.steps.longer(&alone.steps),
        small.ordinary.begun,
        small.ordinary.pages,
        took(small.ordinary),
        lost(small),
        large.batches.begun,
        large.batches.pages,
        took(large.batches),
        lost(large),
        alone.steps.total() as f64 / 1e6,
        small.steps.most() as f64 / small.steps.mean(),
        large.steps.most() as f64 / large.steps.mean(),
    )
}
