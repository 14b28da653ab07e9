//! `renga bench p1` to `p5`: the rows of a paper: all runs that were not done before, by all cores, and then what each
//! row says of its own.
//!
//! Not here: what rows are (`renga-bench`), carrying out runs (`benches`).

use crate::benches::{RowResult, Runner, counts, sources, workers};
use crate::machines::{self, MachinePlan};
use crate::sweep::{OfRow, OfRuns, Sweep, carry_out};
use anyhow::{Context, Result};
use renga_bench::claims::summary;
use renga_bench::rows::{LedgerRow, all, find};
use renga_cli::Measuring;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use std::time::Instant;

/// The rows with these names; without any, all of these.
///
/// # Errors
/// If one is not known.
pub fn rows(names: &[String], paper: &'static [LedgerRow]) -> Result<Vec<&'static LedgerRow>> {
    match names {
        [] => Ok(paper.iter().collect()),
        names => names.iter().map(|name| find(name, paper).with_context(|| unknown(name))).collect(),
    }
}

/// Runs the rows with each of the plans, prints and keeps what they find.
///
/// # Errors
/// If a run fails.
pub fn measure(
    environment: &Environment,
    rows: &[&LedgerRow],
    plans: &[MachinePlan],
    options: &Measuring,
) -> Result<u8> {
    let folder = options.results.clone().unwrap_or_else(|| Runner::folder(environment).join("results"));
    output::expect_folder(&folder)?;
    let runner = Runner::open(environment)?;
    let runs = OfRuns::new(&runner, rows, plans, Vec::new(), options.phases)?.force(options.force);
    let begin = Instant::now();
    let workers = workers::by_default(options.jobs.map(usize::from));
    let (first, carried_out) = (runs.jobs().len(), carry_out(&runs, workers)?);
    let runs = runs.continued()?;
    let (all, carried_out) = (first + runs.jobs().len(), carried_out + carry_out(&runs, workers)?);
    runner.progress.step("");
    let revision = sources::revision(environment);
    let mut results = Vec::new();
    for of_row in runs.rows() {
        let result = evaluate(&runs, of_row, revision.clone())?;
        result.write(&folder)?;
        print(of_row.row, &result);
        results.push(result);
    }
    runner.progress.finish();
    let seconds = begin.elapsed().as_secs();
    eprintln!("renga: {all} runs: {} were there, {carried_out} were carried out; {seconds} s", all - carried_out);
    println!("results in {}", folder.display());
    let differing = if options.profiles.short && options.phases == 1 {
        counts::evaluate(environment, &results)?
    } else {
        Vec::new()
    };
    differing.iter().for_each(|line| println!("{line}"));
    Ok(u8::from(!differing.is_empty()))
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = all().map(|row| row.id).collect();
    format!("there is no row `{name}`; there are {}", known.join(", "))
}

fn evaluate(runs: &OfRuns<'_>, of_row: &OfRow<'_>, revision: Option<String>) -> Result<RowResult> {
    let OfRow { row, machine: MachinePlan { plan, name: machine, .. }, .. } = of_row;
    let ((runs, facts), outcomes) = runs.outcomes(of_row)?;
    Ok(RowResult {
        row: row.id.to_string(),
        title: row.title.to_string(),
        profile: plan.profile,
        machine: (*machine != plan.profile.name()).then(|| machine.clone()),
        short: plan.short,
        phases: outcomes.len(),
        parameters: machines::parameters(&runs),
        revision,
        runs: facts,
        findings: row.findings_over(*plan, &outcomes)?,
    })
}

fn print(row: &LedgerRow, result: &RowResult) {
    let title = format!("{} {}, profile {}", row.id, row.title, result.machine());
    println!("{title}\n{}\n{}\n", "=".repeat(title.chars().count()), summary(&result.findings.claims));
    let parameters: Vec<String> = result.parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let starts = if result.phases > 1 { format!("\n{}", result.starts()) } else { String::new() };
    println!("{}{starts}\n\n{}", parameters.join("; "), result.findings);
}

#[cfg(test)]
mod tests {
    use super::measure;
    use renga_cli::{BenchProfiles, Measuring};
    use renga_workspace::environment::Environment;

    /// Holds: output-lost.
    #[test]
    fn ledger_results_folder_that_cannot_be_made_is_refused_before_runs() {
        // Nothing can be built there.
        let nowhere = Environment::of("/nonexistent".into());
        let (profiles, results) = (BenchProfiles::default(), Some("/dev/null/results".into()));
        let options = Measuring { profiles, force: false, jobs: None, phases: 1, results };
        let error = format!("{:#}", measure(&nowhere, &[], &[], &options).unwrap_err());
        assert!(error.contains("cannot make /dev/null/results"), "{error}");
    }
}
