//! The runs of rows, the map's among them: jobs that are kept by their content, so that rows which share a run share
//! what came of it.
//!
//! Not here: carrying a run out and keeping it (`benches`), judging (`command::bench`).

use super::job::{Job, Sweep};
use crate::benches::{RunFacts, Runner};
use crate::machines::MachinePlan;
use anyhow::{Context, Result};
use renga_bench::rows::LedgerRow;
use renga_bench::run::{BenchRun, RunOutcome};
use std::collections::BTreeMap;

/// Runs, and what is known of each, in the same order.
type RunsWithFacts = (Vec<BenchRun>, Vec<RunFacts>);

/// A row with one machine, and the names of its runs, in its order.
pub struct OfRow<'a> {
    /// The row.
    pub row: &'a LedgerRow,
    /// With which machine, and how much of it.
    pub machine: &'a MachinePlan,
    /// By phase.
    keys: Vec<Vec<String>>,
}

/// A sweep over the runs of rows.
pub struct OfRuns<'a> {
    runner: &'a Runner<'a>,
    arguments: Vec<String>,
    jobs: Vec<Job>,
    runs: BTreeMap<String, (BenchRun, RunFacts)>,
    rows: Vec<OfRow<'a>>,
    force: bool,
}

impl<'a> OfRuns<'a> {
    /// The runs of `rows`, each with each of the plans, in so many phases if it has any; `arguments` name them again.
    ///
    /// # Errors
    /// If the parts of a run cannot be read.
    pub fn new(
        runner: &'a Runner<'a>,
        rows: &[&'a LedgerRow],
        plans: &'a [MachinePlan],
        arguments: Vec<String>,
        phases: u16,
    ) -> Result<OfRuns<'a>> {
        let mut all =
            OfRuns { runner, arguments, jobs: Vec::new(), runs: BTreeMap::new(), rows: Vec::new(), force: false };
        for (row, machine) in rows.iter().flat_map(|row| plans.iter().map(move |machine| (*row, machine))) {
            let runs = (row.runs)(machine.plan);
            let phases = if runs.iter().any(BenchRun::has_phases) { phases } else { 1 };
            let mut keys = Vec::new();
            for phase in 0..phases {
                let of_phase = |run: &BenchRun| all.add(row, machine, run.clone().at_phase(phase), phase);
                keys.push(runs.iter().map(of_phase).collect::<Result<_>>()?);
            }
            all.rows.push(OfRow { row, machine, keys });
        }
        Ok(all)
    }

    /// Names a run of a row.
    fn add(&mut self, row: &LedgerRow, machine: &MachinePlan, run: BenchRun, phase: u16) -> Result<String> {
        let run = run.with_settings(&machine.settings);
        let facts = self.runner.facts(&run)?;
        let key = facts.key.clone();
        // Rows share runs, and phases those that have none.
        if !self.runs.contains_key(&key) {
            let phase = if phase == 0 { String::new() } else { format!(", start {}", phase + 1) };
            let label = format!("{}, {}: {}{phase}", row.id, machine.name, run.label());
            self.jobs.push(Job { key: key.clone(), label });
            self.runs.insert(key.clone(), (run, facts));
        }
        Ok(key)
    }

    /// The runs that the outcomes of the rows' runs lead to, instead of those: its jobs from now on.
    ///
    /// # Errors
    /// If a run was not carried out, or leads to none.
    pub fn continued(mut self) -> Result<OfRuns<'a>> {
        self.jobs.clear();
        for place in 0..self.rows.len() {
            let OfRow { row, machine, .. } = self.rows[place];
            let Some(further) = row.further else { continue };
            let (_, outcomes) = self.outcomes(&self.rows[place])?;
            for (phase, outcomes) in (0..).zip(&outcomes) {
                for run in further(machine.plan, outcomes)? {
                    let key = self.add(row, machine, run.at_phase(phase), phase)?;
                    self.rows[place].keys[usize::from(phase)].push(key);
                }
            }
        }
        Ok(self)
    }

    /// The same; with `force` also runs with a result are carried out.
    #[must_use]
    pub fn force(self, force: bool) -> OfRuns<'a> {
        OfRuns { force, ..self }
    }

    /// The rows, each with each of its plans.
    pub fn rows(&self) -> &[OfRow<'a>] {
        &self.rows
    }

    /// What came of the runs of one of the rows, by phase, and the runs.
    ///
    /// # Errors
    /// If one was not carried out.
    pub fn outcomes(&self, of: &OfRow<'_>) -> Result<(RunsWithFacts, Vec<Vec<RunOutcome>>)> {
        let (mut runs, mut outcomes) = (Vec::new(), Vec::new());
        for keys in &of.keys {
            let mut of_phase = Vec::new();
            for key in keys {
                let (run, facts) = self.runs.get(key).context("no run has this name")?;
                let (facts, outcome) =
                    self.runner.remembered(facts).with_context(|| format!("{} was not carried out", run.label()))?;
                runs.push((run.clone(), facts));
                of_phase.push(outcome);
            }
            outcomes.push(of_phase);
        }
        Ok((runs.into_iter().unzip(), outcomes))
    }
}

impl Sweep for OfRuns<'_> {
    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    fn is_done(&self, job: &Job) -> bool {
        !self.force && self.runs.get(&job.key).is_some_and(|(_, facts)| self.runner.remembered(facts).is_some())
    }

    fn carry_out(&self, job: &Job, what: &str) -> Result<()> {
        let (run, facts) = self.runs.get(&job.key).context("no run has this name")?;
        self.runner.carry_out(run, facts.clone(), what).map(|_| ())
    }

    fn report(&self) -> Result<u8> {
        let reported_by = format!("./renga bench {}", self.arguments.join(" "));
        println!("all {} runs are kept; what they say: {reported_by}", self.jobs.len());
        Ok(0)
    }
}
