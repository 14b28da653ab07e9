//! What a row is: data and functions, from the runs that it needs to the verdicts on its claims.
//!
//! Invariant: claims meet outcomes here only. Not here: the rows (`rows`).

use crate::claims::{Claim, JudgedClaim, decide};
use crate::findings::Findings;
use crate::phases;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::{Context, Result};

/// What a row is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlan {
    /// How fast things are.
    pub profile: CostProfile,
    /// Only the smallest run that shows the effect: for tests.
    pub short: bool,
}

/// Runs that follow from the outcomes of a row's first ones.
pub type FurtherRuns = fn(RowPlan, &[RunOutcome]) -> Result<Vec<BenchRun>>;

/// A row of the ledger.
pub struct LedgerRow {
    /// As the ledger calls it.
    pub id: &'static str,
    /// What is measured.
    pub title: &'static str,
    /// What was published, in words.
    pub published: &'static str,
    /// How it is measured here, and what is not as it was there.
    pub method: &'static str,
    /// What it needs to run.
    pub runs: fn(RowPlan) -> Vec<BenchRun>,
    /// What it needs beside, if the outcomes of those decide that.
    pub further: Option<FurtherRuns>,
    /// What is claimed of its quantities, whatever the runs say.
    pub claims: fn(CostProfile) -> Vec<Claim>,
    /// The figures and quantities of the runs, in the order of `runs` and `further`, without verdicts.
    pub(crate) evaluate: fn(RowPlan, &[RunOutcome]) -> Result<Findings>,
}

impl LedgerRow {
    /// What the runs say, and the verdicts on the row's claims.
    ///
    /// # Errors
    /// If something was not measured, or a measured quantity has no claim.
    pub fn findings(&self, plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
        self.judged(plan, (self.evaluate)(plan, outcomes).context(self.id)?)
    }

    /// What the runs of several phases say, and the verdicts on the medians.
    ///
    /// # Errors
    /// As `findings`.
    pub fn findings_over(&self, plan: RowPlan, outcomes: &[Vec<RunOutcome>]) -> Result<Findings> {
        let of_phase = |outcomes: &Vec<RunOutcome>| (self.evaluate)(plan, outcomes).context(self.id);
        let all = outcomes.iter().map(of_phase).collect::<Result<Vec<_>>>()?;
        let mut found = self.judged(plan, phases::over(&all))?;
        let over = |judged: JudgedClaim| {
            let figures: Vec<f64> = phases::figures(&all, &judged.claim.quantity.id).collect();
            judged.over(&figures, all.len())
        };
        found.claims = found.claims.into_iter().map(over).collect();
        Ok(found)
    }

    fn judged(&self, plan: RowPlan, found: Findings) -> Result<Findings> {
        let claims = decide((self.claims)(plan.profile), &found.measured).context(self.id)?;
        Ok(Findings { claims, ..found })
    }
}
