//! `renga bench p1`, `p2`, `p4`, `p5`: the rows of a paper, one after the other, each with the runs that were not done before.
//!
//! Not here: what rows are (`renga-bench`), carrying out runs (`benches`).

use crate::benches::{Laboratory, RowResult, RunFacts, counts, workers};
use crate::cli::{Measuring, ProfileName};
use crate::environment::Environment;
use crate::profile;
use crate::sweep::Remaining;
use anyhow::{Context, Result};
use renga_bench::rows::{Plan, Row, all, find};
use renga_bench::run::{Outcome, Profile};
use std::process::Command;
use std::time::Instant;

/// The rows with these names; without any, all of these.
///
/// # Errors
/// If one is not known.
pub fn rows(names: &[String], paper: &'static [Row]) -> Result<Vec<&'static Row>> {
    match names {
        [] => Ok(paper.iter().collect()),
        names => names.iter().map(|name| find(name, paper).with_context(|| unknown(name))).collect(),
    }
}

/// With which profiles rows are run.
pub fn plans(profile: Option<ProfileName>, short: bool) -> Vec<Plan> {
    let profiles = match profile {
        Some(ProfileName::Pi3) => vec![Profile::Pi3],
        Some(ProfileName::Paper1989) => vec![Profile::Paper1989],
        None => vec![Profile::Pi3, Profile::Paper1989],
    };
    profiles.into_iter().map(|profile| Plan { profile, short }).collect()
}

/// Runs the rows, prints and keeps what they find.
///
/// # Errors
/// If a run fails.
pub fn measure(environment: &Environment, rows: &[&Row], options: &Measuring) -> Result<u8> {
    let plans = plans(options.profile, options.short);
    let all: Vec<(&Row, Plan)> = rows.iter().flat_map(|row| plans.iter().map(move |plan| (*row, *plan))).collect();
    let laboratory = Laboratory::open(environment)?;
    let folder = options.results.clone().unwrap_or_else(|| Laboratory::folder(environment).join("results"));
    let left = Left::of(&laboratory, &all, options)?;
    let revision = revision(environment);
    let mut results = Vec::new();
    for (row, plan) in all {
        let result = carry_out(&laboratory, row, plan, revision.clone(), &left)?;
        laboratory.progress.step("");
        result.write(&folder)?;
        print(row, &result);
        results.push(result);
    }
    laboratory.progress.finish();
    println!("results in {}", folder.display());
    let grown = if options.short { counts::judge(environment, &results)? } else { Vec::new() };
    grown.iter().for_each(|line| println!("GROWN {line}"));
    Ok(u8::from(!grown.is_empty()))
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = all().map(|row| row.id).collect();
    format!("there is no row `{name}`; there are {}", known.join(", "))
}

fn carry_out(
    laboratory: &Laboratory<'_>,
    row: &Row,
    plan: Plan,
    revision: Option<String>,
    left: &Left,
) -> Result<RowResult> {
    let runs = (row.runs)(plan);
    let with_facts = runs.iter().map(|run| Ok((run, laboratory.facts(run)?))).collect::<Result<Vec<_>>>()?;
    let done = workers::all(&with_facts, left.workers, |(run, facts)| {
        if let Some(done) = laboratory.remembered(facts).filter(|_| !left.again) {
            return Ok(done);
        }
        let what = format!("{}: {}{}", row.id, run.label(), left.remaining.one_begun());
        let begin = Instant::now();
        let done = laboratory.carry_out(run, facts.clone(), &what).with_context(|| row.id.to_string())?;
        left.remaining.one_done(begin.elapsed());
        Ok(done)
    });
    let (facts, outcomes): (Vec<RunFacts>, Vec<Outcome>) = done?.into_iter().unzip();
    Ok(RowResult {
        row: row.id.to_string(),
        title: row.title.to_string(),
        profile: plan.profile,
        short: plan.short,
        parameters: profile::parameters(&runs),
        revision,
        runs: facts,
        findings: (row.judge)(plan, &outcomes).with_context(|| row.id.to_string())?,
    })
}

/// What decides what the machine does: all that runs on boards, and the emulator.
const MACHINE: [&str; 6] = ["--", "kernel", "sysprocs", "netlink-hw", "userland", "tools/emu"];

/// The last revision that changed the machine's sources, unless they were changed since.
fn revision(environment: &Environment) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(&environment.root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let of_machine = |command: &[&str]| git(&[command, &MACHINE].concat());
    of_machine(&["status", "--porcelain"])?.is_empty().then(|| of_machine(&["log", "-1", "--format=%H"]))?
}

/// The runs that are to be carried out.
struct Left {
    remaining: Remaining,
    /// What was done before is done again.
    again: bool,
    /// Runs at once.
    workers: usize,
}

impl Left {
    /// Counts the runs that were not done before.
    fn of(laboratory: &Laboratory<'_>, all: &[(&Row, Plan)], options: &Measuring) -> Result<Left> {
        let again = options.again;
        let mut keys = std::collections::BTreeSet::new();
        for run in all.iter().flat_map(|(row, plan)| (row.runs)(*plan)) {
            let facts = laboratory.facts(&run)?;
            if again || laboratory.remembered(&facts).is_none() {
                keys.insert(facts.key);
            }
        }
        let workers = options.jobs.into();
        Ok(Left { remaining: Remaining::of(keys.len() as u32, workers), again, workers })
    }
}

fn print(row: &Row, result: &RowResult) {
    let verdict = result.findings.verdict().map_or(String::new(), |verdict| format!(": {verdict}"));
    let title = format!("{} {}, profile {}{verdict}", row.id, row.title, result.profile.name());
    println!("{title}\n{}\n", "=".repeat(title.chars().count()));
    let parameters: Vec<String> = result.parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
    println!("{}\n\n{}", parameters.join("; "), result.findings);
}
