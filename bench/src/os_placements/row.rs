//! Placements of the system as a row: its runs, and what they say.
//!
//! Invariant: what is measured is chosen by the traced runs and a seed alone. Not here: the model.

use super::comparison::{MeasuredPlacement, claims, compare};
use super::load::run;
use super::placement::{OsPlacement, accepted};
use super::prediction::{PlacementModel, sample, traced_placements};
use super::sections::{sections, total_ns};
use crate::findings::Findings;
use crate::rows::{LedgerRow, RowPlan};
use crate::run::{BenchRun, RunOutcome};
use anyhow::{Result, anyhow, bail, ensure};
use std::sync::OnceLock;

/// Placements that are measured.
const MEASURED: usize = 200;
const MEASURED_SHORT: usize = 10;
/// The checks of all take too long for tests.
const TESTED_EVERY: usize = 40;
/// Those that the placement tool accepts, of all: the checks take a while, and a command needs them twice.
static ACCEPTED: OnceLock<Result<Vec<OsPlacement>, String>> = OnceLock::new();

/// Placements of the system, as rows are.
pub const ROW: LedgerRow = LedgerRow {
    id: "PLACE-OS",
    title: "The system's processes on four boards: placements predicted, and a sample measured",
    published: "Nothing: the paper compares two placements (P1.T3). Our goal: the best of more than 10,000 placements.",
    method: "A short job runs on each board, one after the other. File system, buffers, disk and terminal may be on any \
         board; the other boards may lack a cache of names, or reading ahead. Sixteen traced placements, with these \
         groups apart, say how long programs waited for calls on their way. A prediction subtracts what does not cross.",
    runs,
    further: Some(further),
    claims: |_| claims(),
    evaluate,
};

/// The traced runs.
fn runs(plan: RowPlan) -> Vec<BenchRun> {
    traced_placements().iter().map(|placement| run(plan.profile, placement).traced()).collect()
}

/// All placements that the placement tool accepts.
fn all_accepted() -> Result<&'static [OsPlacement]> {
    let all = || OsPlacement::all().step_by(if cfg!(test) { TESTED_EVERY } else { 1 }).collect::<Vec<_>>();
    let of_all = || accepted(&all()).map_err(|refusal| format!("{refusal:#}"));
    let accepted = ACCEPTED.get_or_init(of_all).as_ref();
    Ok(accepted.map_err(|refusal| anyhow!("{refusal}"))?)
}

/// These by predicted time, each with that, ns.
fn ranked(accepted: &[OsPlacement], traced: &[RunOutcome]) -> Result<Vec<(OsPlacement, f64)>> {
    let placements = traced_placements();
    let read = placements.iter().zip(traced).map(|(placement, outcome)| sections(placement, outcome));
    Ok(PlacementModel::of(read.collect::<Result<_>>()?).ranked(accepted))
}

/// Those of a ranking that are measured, in its order.
fn sampled(plan: RowPlan, ranked: &[(OsPlacement, f64)]) -> Vec<MeasuredPlacement> {
    let places = sample(ranked.len(), if plan.short { MEASURED_SHORT } else { MEASURED });
    let of = |rank: usize| {
        let (placement, predicted_ns) = ranked[rank];
        MeasuredPlacement { placement, rank, predicted_ns, ns: 0 }
    };
    places.into_iter().map(of).collect()
}

fn further(plan: RowPlan, traced: &[RunOutcome]) -> Result<Vec<BenchRun>> {
    let sample = sampled(plan, &ranked(all_accepted()?, traced)?);
    Ok(sample.iter().map(|placed| run(plan.profile, &placed.placement)).collect())
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    of_accepted(all_accepted()?, plan, outcomes)
}

/// What the runs say if these placements are accepted.
fn of_accepted(accepted: &[OsPlacement], plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let Some((traced, measured)) = outcomes.split_at_checked(traced_placements().len()) else {
        bail!("an outcome of each traced run is needed");
    };
    let ranked = ranked(accepted, traced)?;
    let mut sample = sampled(plan, &ranked);
    ensure!(measured.len() == sample.len(), "an outcome of each placement of the sample is needed");
    for (placed, outcome) in sample.iter_mut().zip(measured) {
        placed.ns = total_ns(outcome)?;
    }
    let mut findings = Findings::default();
    compare(ranked.len(), &sample, &mut findings);
    findings.notes.extend(said_of(&ranked));
    Ok(findings)
}

/// Where the ranking has the system as its file has it, and what being apart costs.
fn said_of(ranked: &[(OsPlacement, f64)]) -> Option<String> {
    let (_, best_ns) = ranked.first()?;
    let rank = ranked.iter().position(|(placement, _)| *placement == OsPlacement::SHIPPED)?;
    let more = |ns: f64, than_ns: f64| 100.0 * (ns / than_ns - 1.0);
    let mean = |is_meant: &dyn Fn(&OsPlacement) -> bool| {
        let meant = ranked.iter().filter(|(placement, _)| is_meant(placement));
        let (sum, count) = meant.fold((0.0, 0), |(sum, count), (_, ns)| (sum + ns, count + 1));
        sum / f64::from(count.max(1))
    };
    let apart = |of: fn(&OsPlacement) -> u8| {
        more(mean(&|placement| of(placement) != placement.files), mean(&|placement| of(placement) == placement.files))
    };
    Some(format!(
        "The file `quad` has number {} of the ranking, predicted to take {:.1} % more than the first. On average a disk \
         apart from the file system costs {:.1} %, buffers apart from it {:.1} %.",
        rank + 1,
        more(ranked[rank].1, *best_ns),
        apart(|placement| placement.disk),
        apart(|placement| placement.buffers)
    ))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{ROW, TESTED_EVERY, of_accepted, ranked, said_of, sampled};
    use crate::claims::{ClaimVerdict, decide};
    use crate::os_placements::placement::OsPlacement;
    use crate::os_placements::prediction::traced_placements;
    use crate::rows::RowPlan;
    use crate::run::{CostProfile, RunOutcome};
    use crate::support::{Traces, measured, outcome};

    /// Outcomes of all runs, in which a placement takes as long as `ns` makes of its predicted time.
    pub(crate) fn outcomes(traces: &Traces, plan: RowPlan, ns: impl Fn(u64) -> u64) -> Vec<RunOutcome> {
        let mut outcomes = traced(traces);
        for placed in sampled(plan, &ranked(super::all_accepted().unwrap(), &outcomes).unwrap()) {
            let jobs = ["a", "b", "c", "d"].iter().zip([ns(placed.predicted_ns as u64), 1, 1, 1]);
            outcomes.push(outcome(jobs.map(|(board, ns)| measured(board, 0, ns, "0")).collect()));
        }
        outcomes
    }

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

    /// Traced runs whose jobs make no calls, and take longer without caches and the later their files' board is.
    fn traced(traces: &Traces) -> Vec<RunOutcome> {
        let of = |placement: &OsPlacement| {
            let absent = |set: u8, board: u8| u64::from(set >> board & 1 == 0);
            let ns = |board: u8| {
                let caches = absent(placement.names, board) + 10 * absent(placement.prefetch, board);
                1_000 + 500 * u64::from(placement.files) + (caches << board)
            };
            let jobs = ["a", "b", "c", "d"].iter().zip(0..);
            traces.outcome(jobs.map(|(board, number)| measured(board, 0, ns(number), "0")).collect(), &[])
        };
        traced_placements().iter().map(of).collect()
    }

    /// Verdicts by quantity, if each placement takes as long as `ns` makes of its predicted time.
    fn verdicts(ns: impl Fn(u64) -> u64) -> Vec<(String, ClaimVerdict)> {
        let (traces, accepted) = (Traces::new(), OsPlacement::all().step_by(TESTED_EVERY).collect::<Vec<_>>());
        let outcomes = outcomes(&traces, PLAN, ns);
        assert_eq!((ROW.runs)(PLAN).len() + 200, outcomes.len());
        assert!((ROW.runs)(PLAN).iter().all(|run| run.traced && !run.moved.is_empty()));
        assert!(of_accepted(&accepted, PLAN, &outcomes[1..]).is_err());
        assert!(of_accepted(&accepted, PLAN, &outcomes[..9]).is_err());
        let found = of_accepted(&accepted, PLAN, &outcomes).unwrap();
        let judged = decide((ROW.claims)(PLAN.profile), &found.measured).unwrap();
        let mut verdicts: Vec<_> =
            judged.into_iter().map(|judged| (judged.claim.quantity.id, judged.verdict)).collect();
        verdicts.sort_by(|one, other| one.0.cmp(&other.0));
        verdicts
    }

    #[test]
    fn os_placement_row_is_judged_by_its_runs() {
        let wanted = |tau, regret| {
            let ids = [("kendall-tau", tau), ("regret", regret)];
            ids.map(|(id, verdict)| (id.to_string(), verdict)).to_vec()
        };
        assert_eq!(verdicts(|predicted| 2 * predicted), wanted(ClaimVerdict::Met, ClaimVerdict::Met));
        assert_eq!(verdicts(|predicted| 20_000 - predicted), wanted(ClaimVerdict::Missed, ClaimVerdict::Missed));
    }

    #[test]
    fn os_placement_note_compares_shipped_system() {
        let with = |disk, buffers| OsPlacement { disk, buffers, ..OsPlacement::SHIPPED };
        let ranked = [(with(1, 0), 100.0), (with(0, 0), 110.0), (with(0, 1), 120.0)];
        let said = said_of(&ranked).unwrap();
        assert!(said.contains("has number 2 of the ranking, predicted to take 10.0 % more than the first"), "{said}");
        assert!(said.ends_with("file system costs -13.0 %, buffers apart from it 14.3 %."), "{said}");
        assert_eq!(said_of(&ranked[..1]), None);
    }
}
