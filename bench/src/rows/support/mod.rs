//! For each claim an outcome by which it fails, and one by which it holds.
//!
//! Invariant: a row's bad outcome for a claim differs from its good one in what that claim is about.

mod p1;
mod p1_traced;
mod p2;
mod p3;
mod p4;
mod p5;

use super::{LedgerRow, RowPlan, all};
use crate::claims::{ClaimVerdict, JudgedClaim};
use crate::findings::Curve;
use crate::run::{BenchRun, CostProfile, RunOutcome};
use crate::support::Traces;

/// What outcomes are made for.
pub(super) struct Asked<'a> {
    pub(super) row: &'static LedgerRow,
    pub(super) plan: RowPlan,
    pub(super) runs: &'a [BenchRun],
    pub(super) traces: &'a Traces,
    /// The quantity whose claim shall fail, or hold; the other one is empty.
    pub(super) fails: &'a str,
    /// As above.
    pub(super) holds: &'a str,
}

impl Asked<'_> {
    /// `bad` if one of these claims shall fail, else `good`.
    pub(super) fn pick<T>(&self, ids: &[&str], bad: T, good: T) -> T {
        if ids.contains(&self.fails) { bad } else { good }
    }

    fn outcomes(&self) -> Vec<RunOutcome> {
        match self.row.id.split_once('.') {
            Some(("P1", _)) => p1::outcomes(self),
            Some(("P2", _)) => p2::outcomes(self),
            Some(("P3", _)) => p3::outcomes(self),
            Some(("P4", _)) => p4::outcomes(self),
            Some(("P5", _)) => p5::outcomes(self),
            _ => p5::beyond(self),
        }
    }

    /// What becomes of the claim about `id`.
    fn judged(&self, id: &str) -> JudgedClaim {
        let found = self.row.findings(self.plan, &self.outcomes()).unwrap();
        found.claims.into_iter().find(|judged| judged.claim.quantity.id == id).unwrap()
    }
}

/// Each row with each of its profiles.
fn plans() -> impl Iterator<Item = (&'static LedgerRow, RowPlan)> {
    let plan = |profile| RowPlan { profile, short: false };
    all().flat_map(move |row| {
        let both = !["P2", "P3", "P4", "P5"].iter().any(|paper| row.id.starts_with(paper));
        let slow = both.then_some((row, plan(CostProfile::Paper1989)));
        [(row, plan(CostProfile::Pi3))].into_iter().chain(slow)
    })
}

/// Holds: bench-verdicts.
#[test]
fn claims_each_fail_by_one_outcome_and_hold_by_another() {
    let traces = Traces::new();
    for (row, plan) in plans() {
        let runs = (row.runs)(plan);
        for claim in (row.claims)(plan.profile) {
            let id = claim.quantity.id.as_str();
            let asked = |fails, holds| Asked { row, plan, runs: &runs, traces: &traces, fails, holds }.judged(id);
            let (good, bad) = (asked("", id), asked(id, ""));
            if claim.untested.is_some() {
                assert!(good.verdict == ClaimVerdict::NotTested && bad.verdict == good.verdict, "{}: {good:?}", row.id);
                continue;
            }
            assert!(good.verdict >= ClaimVerdict::So, "{}: it holds by no outcome: {good:?}", row.id);
            assert!(bad.verdict.failed(), "{}: it fails by no outcome: {bad:?}", row.id);
        }
    }
}

/// Holds: bench-verdicts.
#[test]
fn claims_are_declared_with_unit_and_reason() {
    for (row, plan) in plans() {
        for claim in (row.claims)(plan.profile) {
            let quantity = &claim.quantity;
            let all = [&quantity.id, &quantity.what, &quantity.unit, &claim.reason];
            assert!(all.iter().all(|text| !text.is_empty()), "{}: {claim:?}", row.id);
            assert!(claim.untested.as_ref().is_none_or(|why| !why.is_empty()), "{}: {claim:?}", row.id);
        }
    }
}

/// Holds: bench-report.
#[test]
fn plots_have_few_curves_and_axes_with_units() {
    let traces = Traces::new();
    // The map has no claims, and a drawing of its own.
    for (row, plan) in plans().filter(|(row, plan)| !(row.claims)(plan.profile).is_empty()) {
        let runs = (row.runs)(plan);
        let outcomes = Asked { row, plan, runs: &runs, traces: &traces, fails: "", holds: "" }.outcomes();
        for plot in row.findings(plan, &outcomes).unwrap().plots {
            let measured = plot.curves.iter().filter(|curve| !curve.is_published);
            assert!((1..=5).contains(&measured.count()), "{}: {}", row.id, plot.title);
            // What is counted has no unit.
            let [x, y] = &plot.axes;
            assert!(!x.is_empty() && y.contains(", "), "{}: {}: {x}; {y}", row.id, plot.title);
            let named = |curve: &Curve| curve.points.iter().all(|(x, _)| plot.categories.get(*x as usize).is_some());
            assert!(plot.categories.is_empty() || plot.curves.iter().all(named), "{}: {}", row.id, plot.title);
        }
    }
}
