//! The runs of rows, the map's among them: pieces that `renga bench` then finds done.
//!
//! Not here: carrying a run out and keeping it (`benches`).

use super::piece::{Piece, Sweep};
use crate::benches::{Laboratory, RunFacts};
use anyhow::{Context, Result};
use renga_bench::rows::{Plan, Row};
use renga_bench::run::Run;
use std::collections::BTreeMap;

/// A sweep over the runs of rows.
pub struct OfRuns<'a> {
    laboratory: &'a Laboratory<'a>,
    arguments: Vec<String>,
    pieces: Vec<Piece>,
    runs: BTreeMap<String, (Run, RunFacts)>,
    /// The command that judges them.
    judged_by: String,
}

impl<'a> OfRuns<'a> {
    /// The runs of `rows`, each with each of the plans; `arguments` name them again.
    ///
    /// # Errors
    /// If what a run is made of cannot be told.
    pub fn new(
        laboratory: &'a Laboratory<'a>,
        rows: &[&Row],
        plans: &[Plan],
        arguments: Vec<String>,
        judged_by: String,
    ) -> Result<OfRuns<'a>> {
        let (mut pieces, mut runs) = (Vec::new(), BTreeMap::new());
        for (row, plan) in rows.iter().flat_map(|row| plans.iter().map(move |plan| (row, *plan))) {
            for run in (row.runs)(plan) {
                let facts = laboratory.facts(&run)?;
                let label = format!("{}, {}: {}", row.id, plan.profile.name(), run.label());
                // Rows share runs.
                if !runs.contains_key(&facts.key) {
                    pieces.push(Piece { key: facts.key.clone(), label });
                    runs.insert(facts.key.clone(), (run, facts));
                }
            }
        }
        Ok(OfRuns { laboratory, arguments, pieces, runs, judged_by })
    }
}

impl Sweep for OfRuns<'_> {
    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn is_done(&self, piece: &Piece) -> bool {
        self.runs.get(&piece.key).is_some_and(|(_, facts)| self.laboratory.remembered(facts).is_some())
    }

    fn carry_out(&self, piece: &Piece, what: &str) -> Result<()> {
        let (run, facts) = self.runs.get(&piece.key).context("no run has this name")?;
        self.laboratory.carry_out(run, facts.clone(), what).map(|_| ())
    }

    fn report(&self) -> Result<u8> {
        println!("all {} runs are kept; what they say: {}", self.pieces.len(), self.judged_by);
        Ok(0)
    }
}
