//! `renga bench compare`: a load under all combinations of what varies, each run once, with a table, a plot and a page.
//!
//! - [`variation`]: what varies, and all combinations of it;
//! - [`load`]: the script around the load, and when it starts;
//! - [`record`]: what a run is reduced to while it runs;
//! - [`runs`]: the runs as a sweep, kept by their content;
//! - [`findings`]: medians and ranges, by combination;
//! - [`reason`]: why synchronous and asynchronous calls took as long as they did;
//! - [`chart`], [`page`]: the figures for people.
//!
//! Not here: carrying out jobs by cores or Slurm (`sweep`), what a phase is (`renga_trace::phases`).

mod chart;
mod findings;
mod load;
mod page;
mod reason;
mod record;
mod runs;
#[cfg(test)]
mod tests;
mod variation;

use crate::benches::workers;
use crate::sweep::{Slurm, Sweep, carry_out, missing};
use anyhow::{Context, Result};
use findings::Comparison;
use renga_cli::CompareArgs;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use renga_workspace::progress::ProgressLine;
use runs::CompareRuns;
use std::fs;

/// Runs what is missing, prints the table, and writes the folder of results.
///
/// # Errors
/// If what varies is unknown, a run fails, or the results cannot be written.
pub fn compare(environment: &Environment, options: &CompareArgs) -> Result<u8> {
    output::expect_folder(&options.out)?;
    let progress = ProgressLine::start();
    let runs = CompareRuns::new(environment, options, &progress)?;
    if let Some(key) = &options.job {
        return runs.carry_out_one(key);
    }
    let (all, to_do) = (runs.jobs().len(), missing(&runs).len());
    if options.slurm {
        Slurm::new(environment, &runs, runs.arguments(), &options.sbatch)?.carry_out(&progress)?;
    } else {
        carry_out(&runs, workers::by_default(options.jobs.map(usize::from)))?;
    }
    progress.finish();
    eprintln!("renga: {all} runs: {} were there, {to_do} were carried out", all - to_do);
    write(&runs.comparison()?, options)
}

/// Writes all forms of what was found, and prints the table.
fn write(comparison: &Comparison, options: &CompareArgs) -> Result<u8> {
    let out = &options.out;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let svg = chart::drawn(comparison)?;
    let files = [
        ("compare.json", serde_json::to_string_pretty(comparison)? + "\n"),
        ("compare.csv", comparison.csv()),
        ("compare.md", page::markdown(comparison)),
        ("compare.html", page::html(comparison, &svg)),
        ("compare.svg", svg),
    ];
    for (name, text) in files {
        let path = out.join(name);
        output::replace(&path, text.as_bytes())?;
    }
    print!("{}", page::text(comparison));
    println!(
        "\n{0}/compare.html: the page; compare.json, compare.csv, compare.svg, compare.md beside it",
        out.display()
    );
    Ok(0)
}
