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
use anyhow::{Result, anyhow, ensure};
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

/// All accepted placements by predicted time; those that are measured, in the same order.
fn ranked(plan: RowPlan, traced: &[RunOutcome]) -> Result<(usize, Vec<MeasuredPlacement>)> {
    let placements = traced_placements();
    let read = placements.iter().zip(traced).map(|(placement, outcome)| sections(placement, outcome));
    let model = PlacementModel::of(read.collect::<Result<_>>()?);
    let all: Vec<OsPlacement> = OsPlacement::all().collect();
    let accepted = ACCEPTED.get_or_init(|| accepted(&all).map_err(|refusal| format!("{refusal:#}")));
    let ranked = model.ranked(accepted.as_ref().map_err(|refusal| anyhow!("{refusal}"))?);
    let places = sample(ranked.len(), if plan.short { MEASURED_SHORT } else { MEASURED });
    let of = |rank: usize| {
        let (placement, predicted_ns) = ranked[rank];
        MeasuredPlacement { placement, rank, predicted_ns, ns: 0 }
    };
    Ok((ranked.len(), places.into_iter().map(of).collect()))
}

fn further(plan: RowPlan, traced: &[RunOutcome]) -> Result<Vec<BenchRun>> {
    let (_, sample) = ranked(plan, traced)?;
    Ok(sample.iter().map(|placed| run(plan.profile, &placed.placement)).collect())
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let Some((traced, measured)) = outcomes.split_at_checked(traced_placements().len()) else {
        anyhow::bail!("an outcome of each traced run is needed");
    };
    let (count, mut sample) = ranked(plan, traced)?;
    ensure!(measured.len() == sample.len(), "an outcome of each placement of the sample is needed");
    for (placed, outcome) in sample.iter_mut().zip(measured) {
        placed.ns = total_ns(outcome)?;
    }
    let mut findings = Findings::default();
    compare(count, &sample, &mut findings);
    Ok(findings)
}
