//! What was measured of an experiment: how long each step took, and what was given back meanwhile.
//!
//! Invariant: runs whose results differ, or of which a stream had begun its file again, so that some of it might have
//! been in memory, are errors. Not here: what follows (`verdict`).

use super::{FORMS, P3Experiment, P3Form};
use crate::rows::RowPlan;
use crate::run::RunOutcome;
use anyhow::{Context, Result, ensure};

/// The computation's steps, ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// The first, in which its processes start and are loaded: it is reported apart.
    pub(super) first: u64,
    /// All others.
    pub(super) each: Vec<u64>,
}

impl Steps {
    /// Those that a run says, and what its points add up to.
    pub(super) fn of(outcome: &RunOutcome) -> Result<(Steps, u64)> {
        let steps = outcome.numbers("steps ")?;
        let (first, each) = steps.split_first().context("no step was made")?;
        ensure!(!each.is_empty(), "one step was made");
        let sum = outcome.numbers("sum ")?;
        Ok((Steps { first: *first, each: each.to_vec() }, sum.first().copied().context("a result")?))
    }

    pub(super) fn total(&self) -> u64 {
        self.each.iter().sum()
    }

    pub(super) fn mean(&self) -> f64 {
        self.total() as f64 / self.each.len() as f64
    }

    pub(super) fn least(&self) -> u64 {
        self.each.iter().copied().min().unwrap_or(0)
    }

    pub(super) fn most(&self) -> u64 {
        self.each.iter().copied().max().unwrap_or(0)
    }

    /// The standard deviation, of a hundred of the mean.
    pub(super) fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.each.iter().map(|ns| (*ns as f64 - mean).powi(2)).sum();
        100.0 * (squares / self.each.len() as f64).sqrt() / mean
    }

    /// How much longer all take than those of `other`, %.
    pub(super) fn longer(&self, other: &Steps) -> f64 {
        100.0 * (self.total() as f64 / other.total() as f64 - 1.0)
    }
}

/// What one of the two that have pages given back did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReclaimCost {
    pub(super) begun: u64,
    pub(super) steps: u64,
    pub(super) pages: u64,
    pub(super) us: u64,
}

impl ReclaimCost {
    fn since([begun, steps, pages, us]: [u64; 4], before: [u64; 4]) -> ReclaimCost {
        let [b, s, p, u] = before;
        ReclaimCost { begun: begun - b, steps: steps - s, pages: pages - p, us: us - u }
    }

    /// ns for a page, which are instructions; it includes the time of others that ran between.
    pub(super) fn per_page(self) -> Option<f64> {
        (self.pages > 0).then(|| self.us as f64 * 1e3 / self.pages as f64)
    }
}

/// One run.
#[derive(Clone, Debug)]
pub(super) struct InForm {
    pub(super) steps: Steps,
    /// By the ordinary reclaimer, and by the batcher, while it computed.
    pub(super) ordinary: ReclaimCost,
    pub(super) batches: ReclaimCost,
    /// The same since the board started.
    pub(super) all: [ReclaimCost; 2],
    /// Free when it began.
    pub(super) free: u64,
    /// What the stream did, bytes, and in how long, ns.
    pub(super) streamed: (u64, u64),
}

/// Free pages and the figures of the two reclaimers, from a board's output.
fn state(outcome: &RunOutcome, when: &str) -> Result<(u64, [u64; 4], [u64; 4])> {
    let numbers = outcome.numbers(when)?;
    let [_, free, _, _, ordinary @ .., b1, b2, b3, b4] = &numbers[..] else { anyhow::bail!("`{when}`: {numbers:?}") };
    let ordinary = ordinary.try_into().with_context(|| format!("`{when}`: {numbers:?}"))?;
    Ok((*free, ordinary, [*b1, *b2, *b3, *b4]))
}

/// What the stream of a run did: bytes, ns.
pub(super) fn streamed(outcome: &RunOutcome) -> Result<(u64, u64)> {
    let [bytes, again, ns] = outcome.numbers("streamed ")?[..] else { anyhow::bail!("what was streamed") };
    ensure!(again == 0, "the stream came to the end of its file and began again");
    Ok((bytes, ns))
}

fn in_form(form: P3Form, outcome: &RunOutcome) -> Result<(InForm, u64)> {
    let (steps, sum) = Steps::of(outcome)?;
    let (free, ordinary_1, batches_1) = state(outcome, "before ")?;
    let (_, ordinary_2, batches_2) = state(outcome, "after ")?;
    let streamed = if form == P3Form::Alone { (0, 0) } else { streamed(outcome)? };
    let [ordinary, batches] = [ReclaimCost::since(ordinary_2, ordinary_1), ReclaimCost::since(batches_2, batches_1)];
    let all = [ordinary_2, batches_2].map(|work| ReclaimCost::since(work, [0; 4]));
    Ok((InForm { steps, ordinary, batches, all, free, streamed }, sum))
}

/// All of an experiment, in the order of its forms.
pub(super) fn measured(plan: RowPlan, experiment: &P3Experiment, outcomes: &[RunOutcome]) -> Result<[InForm; 4]> {
    ensure!(outcomes.len() >= FORMS.len(), "a run of each form is needed");
    let all = FORMS.iter().zip(outcomes).map(|(form, outcome)| in_form(*form, outcome).context(form.title()));
    let (forms, sums): (Vec<InForm>, Vec<u64>) = all.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    ensure!(sums.iter().all(|sum| *sum == sums[0]), "the results differ: {sums:?}");
    let steps = experiment.of(plan, experiment.steps) as usize;
    ensure!(forms.iter().all(|form| form.steps.each.len() + 1 == steps), "not all steps were made");
    let [_, unreclaimed, small, large] = &forms[..] else { anyhow::bail!("a run of each form is needed") };
    let given = |form: &InForm| form.ordinary.pages + form.batches.pages;
    ensure!(given(unreclaimed) == 0, "pages were given back though there was memory for all");
    ensure!(small.ordinary.pages > 0 && small.batches.pages == 0, "the ordinary reclaimer had nothing to do");
    ensure!(large.all[1].pages > 0, "no batch was given back");
    forms.try_into().map_err(|_| anyhow::anyhow!("a run of each form is needed"))
}
