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
/// Those that the placement tool accepts, of all: the checks take a while, and a command needs them twice.
static ACCEPTED: OnceLock<Result<Vec<OsPlacement>, String>> = OnceLock::new();

/// Placements of the system, as rows are.
pub const ROW: LedgerRow = LedgerRow {
    id: "PLACE-OS",
    title: "The system's processes on four boards: a time predicted for each placement, and measured for a sample",
    published: "Nothing: the paper compares two placements (P1.T3). Our goal: of at least 10,000 placements the best.",
    method: "A short job runs on each board, one after the other. File system, buffers, disk and terminal may each be on \
         any board, and each board but the file system's may have a cache of names and may read ahead. Of the \
         placements that the placement tool accepts, sixteen are traced: these have the four groups apart. Their traces \
         give each job's time, and what its calls between the groups cost. Each other placement takes less by the cost \
         of calls that do not cross there.",
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
    let of_all = || accepted(&OsPlacement::all().collect::<Vec<_>>()).map_err(|refusal| format!("{refusal:#}"));
    let accepted = ACCEPTED.get_or_init(of_all).as_ref();
    Ok(accepted.map_err(|refusal| anyhow!("{refusal}"))?)
}

/// Those of `accepted` that are measured, by predicted time.
fn sampled(accepted: &[OsPlacement], plan: RowPlan, traced: &[RunOutcome]) -> Result<Vec<MeasuredPlacement>> {
    let placements = traced_placements();
    let read = placements.iter().zip(traced).map(|(placement, outcome)| sections(placement, outcome));
    let ranked = PlacementModel::of(read.collect::<Result<_>>()?).ranked(accepted);
    let places = sample(ranked.len(), if plan.short { MEASURED_SHORT } else { MEASURED });
    let of = |rank: usize| {
        let (placement, predicted_ns) = ranked[rank];
        MeasuredPlacement { placement, rank, predicted_ns, ns: 0 }
    };
    Ok(places.into_iter().map(of).collect())
}

fn further(plan: RowPlan, traced: &[RunOutcome]) -> Result<Vec<BenchRun>> {
    let sample = sampled(all_accepted()?, plan, traced)?;
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
    let mut sample = sampled(accepted, plan, traced)?;
    ensure!(measured.len() == sample.len(), "an outcome of each placement of the sample is needed");
    for (placed, outcome) in sample.iter_mut().zip(measured) {
        placed.ns = total_ns(outcome)?;
    }
    let mut findings = Findings::default();
    compare(accepted.len(), &sample, &mut findings);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::{ROW, of_accepted, sampled};
    use crate::claims::{ClaimVerdict, judge};
    use crate::os_placements::placement::OsPlacement;
    use crate::os_placements::prediction::traced_placements;
    use crate::rows::RowPlan;
    use crate::run::{CostProfile, RunOutcome};
    use crate::support::{Traces, measured, outcome};

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
        let (traces, accepted) = (Traces::new(), OsPlacement::all().step_by(40).collect::<Vec<_>>());
        let mut outcomes = traced(&traces);
        assert_eq!((ROW.runs)(PLAN).len(), outcomes.len());
        assert!((ROW.runs)(PLAN).iter().all(|run| run.traced && !run.moved.is_empty()));
        for placed in sampled(&accepted, PLAN, &outcomes).unwrap() {
            let ns = [ns(placed.predicted_ns as u64), 1, 1, 1];
            let jobs = ["a", "b", "c", "d"].iter().zip(ns);
            outcomes.push(outcome(jobs.map(|(board, ns)| measured(board, 0, ns, "0")).collect()));
        }
        assert!(of_accepted(&accepted, PLAN, &outcomes[1..]).is_err());
        assert!(of_accepted(&accepted, PLAN, &outcomes[..9]).is_err());
        let found = of_accepted(&accepted, PLAN, &outcomes).unwrap();
        let judged = judge((ROW.claims)(PLAN.profile), &found.measured).unwrap();
        let mut verdicts: Vec<_> =
            judged.into_iter().map(|judged| (judged.claim.quantity.id, judged.verdict)).collect();
        verdicts.sort_by(|one, other| one.0.cmp(&other.0));
        verdicts
    }

    #[test]
    fn os_placement_row_is_judged_by_its_runs() {
        let wanted = |tau, regret| {
            // 410 placements are fewer than are aimed at.
            let ids = [("kendall-tau", tau), ("ranked", ClaimVerdict::Missed), ("regret", regret)];
            ids.map(|(id, verdict)| (id.to_string(), verdict)).to_vec()
        };
        assert_eq!(verdicts(|predicted| 2 * predicted), wanted(ClaimVerdict::Met, ClaimVerdict::Met));
        assert_eq!(verdicts(|predicted| 20_000 - predicted), wanted(ClaimVerdict::Missed, ClaimVerdict::Missed));
    }
}
