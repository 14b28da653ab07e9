//! The same on Linux: what kswapd costs the computation, and a page that it gives back.
//!
//! The card that QEMU emulates answers at once, so the stream waits as long as the medium would have taken. Not here:
//! ours.

use super::measured::{Steps, streamed};
use super::{END, HEAD, P3Experiment, sources};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::rows::{RowPlan, ms};
use crate::run::{BenchMachine, BenchRun, LinuxForm, RunOutcome, STREAMED};
use anyhow::{Result, ensure};

/// Linux itself needs more than ours; what it has for files with so much is about what ours has with the experiment's.
pub(super) const LIMITED_MIB: u16 = 120;
const WHOLE_MIB: u16 = 944;
/// Of the medium, as the profile has it: us to the first byte, and kilobytes a second.
const MEDIUM: &str = "400 25000";
/// `state` prints free pages, pages that kswapd has reclaimed and scanned, pages of direct reclaim, and how long kswapd
/// ran, ns.
const STATE: &str = r#"kswapd=$(pgrep kswapd0)
state() {
  set -- "$1" $(sed -n 's/^nr_free_pages //p; s/^pgsteal_kswapd //p; s/^pgscan_kswapd //p; s/^pgsteal_direct //p' /proc/vmstat)
  echo "$@" $(cut -d ' ' -f 1 /proc/$kswapd/schedstat)
}
"#;

/// What runs on Linux.
const FORMS: [(&str, u16, bool); 3] = [
    ("Linux, noise off", LIMITED_MIB, false),
    ("Linux, stream, memory for all of it", WHOLE_MIB, true),
    ("Linux, noise", LIMITED_MIB, true),
];

pub(super) fn runs(experiment: &P3Experiment, plan: RowPlan) -> Vec<BenchRun> {
    let run = |(_, mib, noise): (&str, u16, bool)| {
        let mut script = HEAD.to_string() + STATE + &format!("{} > warm || exit 1\n", experiment.stencil(2));
        if noise {
            let P3Experiment { stream, lead_s, .. } = experiment;
            script += &format!("./stream {stream} {STREAMED} {MEDIUM} > streamed & stream=$!\nsleep {lead_s}\n");
        }
        let steps = experiment.of(plan, experiment.steps);
        script += &format!("state before\n{} || exit 1\nstate after\n", experiment.stencil(steps));
        script += if noise { END } else { "" };
        BenchRun::new(
            BenchMachine::Linux(LinuxForm { memory_mib: Some(mib), ..LinuxForm::PLAIN }),
            plan.profile,
            "dev",
            &script,
        )
        .with(sources())
        .streaming(experiment.of(plan, experiment.streamed_mib))
    };
    FORMS.into_iter().map(run).collect()
}

/// What kswapd did since Linux started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kswapd {
    /// Pages reclaimed, and scanned.
    pub(super) pages: u64,
    pub(super) scanned: u64,
    /// Pages of direct reclaim, by an allocation.
    pub(super) direct: u64,
    /// How long it ran, ns.
    pub(super) ns: u64,
    /// Of the pages those while it computed.
    pub(super) meanwhile: u64,
}

impl Kswapd {
    fn of(outcome: &RunOutcome) -> Result<Kswapd> {
        let [before, after] = ["before ", "after "].map(|when| outcome.numbers(when));
        let (before, after) = (before?, after?);
        ensure!(before.len() == after.len(), "what kswapd did: {before:?}, {after:?}");
        // In the order of /proc/vmstat.
        let [_, pages, direct, scanned, ns] = after[..] else { anyhow::bail!("what kswapd did: {after:?}") };
        Ok(Kswapd { pages, scanned, direct, ns, meanwhile: pages.saturating_sub(before[1]) })
    }

    pub(super) fn per_page(self) -> f64 {
        self.ns as f64 / self.pages.max(1) as f64
    }
}

/// Adds tables and a plot; what kswapd did.
pub(super) fn evaluate(outcomes: &[RunOutcome], findings: &mut Findings) -> Result<Kswapd> {
    ensure!(outcomes.len() == FORMS.len(), "a run of each form is needed on Linux, too");
    let steps: Vec<(Steps, u64)> = outcomes.iter().map(Steps::of).collect::<Result<_>>()?;
    ensure!(steps.iter().all(|(_, sum)| *sum == steps[0].1), "the results on Linux differ");
    for outcome in &outcomes[1..] {
        streamed(outcome)?;
    }
    let kswapd = Kswapd::of(&outcomes[2])?;
    ensure!(kswapd.meanwhile > 0, "kswapd had nothing to do");
    let columns = ["", "a step, ms", "the longest", "spread, %", "all, ms", "longer, %", "than beside the stream, %"];
    let mut table = FindingsTable::new("The same on Linux on the same emulated board", &columns);
    for ((title, mib, _), (form, _)) in FORMS.iter().zip(&steps) {
        findings.figure(format!("{title}: all steps ns"), form.total());
        let [off, unreclaimed] = [0, 1].map(|at: usize| format!("{:.2}", form.longer(&steps[at].0)));
        table.rows.push(vec![
            format!("{title} ({mib} MiB)"),
            ms(form.mean() as u64),
            ms(form.most()),
            format!("{:.2}", form.spread()),
            ms(form.total()),
            off,
            unreclaimed,
        ]);
    }
    findings.tables.push(table);
    let least = steps.iter().map(|(form, _)| form.least()).min().unwrap_or(1) as f64;
    let curve = |((title, _, _), (form, _)): (&(&str, u16, bool), &(Steps, u64))| {
        Curve::new(
            (*title).to_string(),
            (2..).zip(&form.each).map(|(at, ns)| (f64::from(at), 100.0 * (*ns as f64 / least - 1.0))).collect(),
        )
    };
    findings.plots.push(Plot::new(
        "On Linux: each step",
        ["step", "longer than the shortest, %"],
        FORMS.iter().zip(&steps).map(curve).collect(),
    ));
    Ok(kswapd)
}
