//! `renga test --mutants`: choice, progress, summary.
//!
//! Invariant: a verdict is kept by the sources that it was found with; a second call goes on where the first was ended.

use crate::area::{self, MutantArea};
use crate::build::{self, Built, NumberedChange};
use crate::suite::{MutantVerdict, TestSuite, run_against};
use anyhow::{Context, Result, ensure};
use renga_cli::Mutants;
use renga_random::Random;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A verdict as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptVerdict {
    key: String,
    verdict: MutantVerdict,
}

/// A mutant that no test can see, with the reason.
#[derive(Deserialize)]
struct Equivalent {
    file: String,
    function: String,
    before: String,
    after: String,
    reason: String,
}

#[derive(Deserialize, Default)]
struct EquivalentList {
    #[serde(default)]
    mutant: Vec<Equivalent>,
}

/// The counts of an area.
#[derive(Default)]
struct AreaCount {
    all: usize,
    refused: usize,
    equivalent: usize,
    killed: usize,
    endless: usize,
    survived: usize,
    not_reached: usize,
}

/// Carries it out; 1 if a mutant of changed lines was not killed.
///
/// # Errors
/// If the tree cannot be built or a test fails without a mutant.
pub fn mutants(environment: &Environment, options: &Mutants) -> Result<u8> {
    let areas = area::chosen(&options.area)?;
    let changed = options.since.as_deref().map(|since| changed_lines(&environment.root, since)).transpose()?;
    let mut counts = Vec::new();
    for area in &areas {
        let touches = |lines: &BTreeMap<String, BTreeSet<usize>>| {
            lines.keys().any(|file| area.folders.iter().any(|folder| file.starts_with(&format!("{folder}/src/"))))
        };
        if changed.as_ref().is_none_or(touches) {
            counts.push((area.name, one_area(environment, options, area, changed.as_ref())?));
        }
    }
    print_table(&counts);
    let missed = counts.iter().map(|(_, count)| count.survived + count.not_reached).sum::<usize>();
    Ok(u8::from(changed.is_some() && missed > 0))
}

fn one_area(
    environment: &Environment,
    options: &Mutants,
    area: &MutantArea,
    changed: Option<&BTreeMap<String, BTreeSet<usize>>>,
) -> Result<AreaCount> {
    let work = environment.work().join("mutants");
    fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    let progress = ProgressLine::start();
    let built = build::build(environment, area, &progress)?;
    progress.finish();
    let mut chosen = built.mutants.clone();
    if let Some(changed) = changed {
        chosen
            .retain(|mutant| changed.get(&mutant.change.file).is_some_and(|lines| lines.contains(&mutant.change.line)));
    }
    let listed = read_equivalent(&environment.root)?;
    let before = chosen.len();
    chosen.retain(|mutant| !listed.mutant.iter().any(|one| is_that(one, mutant)));
    let mut count = AreaCount {
        all: built.mutants.len(),
        refused: built.refused,
        equivalent: before - chosen.len(),
        ..AreaCount::default()
    };
    if let Some(sample) = options.sample {
        shuffle(&mut chosen, options.seed);
        chosen.truncate(sample);
    }
    println!("== {}: {} mutants, of which {} are tried", area.name, built.mutants.len(), chosen.len());
    let suites = suites(&built, &work)?;
    for verdict in try_all(&chosen, &suites, &results_path(&work, area, &built))? {
        match verdict {
            MutantVerdict::Killed => count.killed += 1,
            MutantVerdict::Endless => count.endless += 1,
            MutantVerdict::Survived => count.survived += 1,
            MutantVerdict::NotReached => count.not_reached += 1,
        }
    }
    Ok(count)
}

fn suites(built: &Built, work: &Path) -> Result<Vec<TestSuite>> {
    let mut suites = Vec::new();
    for (number, program) in built.programs.iter().enumerate() {
        let progress = ProgressLine::start();
        progress.step(&format!("{} without a mutant ({} of {})", program.name, number + 1, built.programs.len()));
        let suite = TestSuite::of(program, work)?;
        progress.finish();
        let skipped = suite.skipped();
        if !skipped.is_empty() {
            println!("{}: left out, as mutants change what they measure: {}", program.name, skipped.join(", "));
        }
        suites.push(suite);
    }
    Ok(suites)
}

/// Tries all, on as many cores as there are; what is known already is not tried again.
fn try_all(chosen: &[NumberedChange], suites: &[TestSuite], path: &Path) -> Result<Vec<MutantVerdict>> {
    let known: BTreeMap<String, MutantVerdict> = fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str::<KeptVerdict>(line).ok())
        .map(|kept| (kept.key, kept.verdict))
        .collect();
    let file = OpenOptions::new().create(true).append(true).open(path);
    let file = Mutex::new(file.with_context(|| format!("cannot write {}", path.display()))?);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let progress = ProgressLine::start();
    let work = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = chosen.get(at) else { return Ok(()) };
            progress.step(&format!("mutant {} of {}", at + 1, chosen.len()));
            let verdict = match known.get(&mutant.change.key()) {
                Some(verdict) => *verdict,
                None => {
                    let verdict = run_against(suites, mutant)?;
                    keep(&file, mutant, verdict)?;
                    verdict
                }
            };
            match verdict {
                MutantVerdict::Survived => println!("survived: {}", mutant.change),
                MutantVerdict::NotReached => println!("not reached: {}", mutant.change),
                MutantVerdict::Killed | MutantVerdict::Endless => {}
            }
            done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(verdict);
        }
    };
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Ok(()))).collect()
    });
    progress.finish();
    results.into_iter().collect::<Result<Vec<()>>>()?;
    let done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    ensure!(done.len() == chosen.len(), "only {} of {} mutants were tried", done.len(), chosen.len());
    Ok(done)
}

fn keep(file: &Mutex<File>, mutant: &NumberedChange, verdict: MutantVerdict) -> Result<()> {
    let mut line = serde_json::to_string(&KeptVerdict { key: mutant.change.key(), verdict })?;
    line.push('\n');
    let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    file.write_all(line.as_bytes()).context("cannot keep a verdict")
}

/// Where verdicts are kept: by the area and what its test programs are made of.
fn results_path(work: &Path, area: &MutantArea, built: &Built) -> PathBuf {
    let mut hash = Sha256::new();
    for program in &built.programs {
        hash.update(fs::read(&program.path).unwrap_or_default());
    }
    let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    work.join(format!("{}-{hash}.jsonl", area.name))
}

fn shuffle(mutants: &mut [NumberedChange], seed: u64) {
    let mut random = Random::new(seed);
    for at in (1..mutants.len()).rev() {
        mutants.swap(at, random.below(at as u64 + 1) as usize);
    }
}

fn read_equivalent(root: &Path) -> Result<EquivalentList> {
    let path = root.join("tools/mutants/equivalent.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let list: EquivalentList = toml::from_str(&text).with_context(|| format!("{} is wrong", path.display()))?;
    for one in &list.mutant {
        ensure!(!one.reason.trim().is_empty(), "{}: a mutant of {} has no reason", path.display(), one.file);
    }
    Ok(list)
}

fn is_that(one: &Equivalent, mutant: &NumberedChange) -> bool {
    let change = &mutant.change;
    (&one.file, &one.function, &one.before, &one.after)
        == (&change.file, &change.function, &change.before, &change.after)
}

/// The lines that have changed since a revision, by file.
fn changed_lines(root: &Path, since: &str) -> Result<BTreeMap<String, BTreeSet<usize>>> {
    let output = Command::new("git")
        .current_dir(root)
        .args(["diff", "--unified=0", "--no-prefix", "--no-color", since, "--"])
        .output()
        .context("cannot start git")?;
    ensure!(output.status.success(), "git diff {since}: {}", String::from_utf8_lossy(&output.stderr).trim());
    let mut lines = lines_of_diff(&String::from_utf8_lossy(&output.stdout));
    let unknown = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "--others", "--exclude-standard"])
        .output()
        .context("cannot start git")?;
    for name in String::from_utf8_lossy(&unknown.stdout).lines() {
        let count = fs::read_to_string(root.join(name)).unwrap_or_default().lines().count();
        lines.entry(name.to_string()).or_default().extend(1..=count);
    }
    Ok(lines)
}

fn lines_of_diff(diff: &str) -> BTreeMap<String, BTreeSet<usize>> {
    let (mut lines, mut file) = (BTreeMap::<String, BTreeSet<usize>>::new(), String::new());
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ ") {
            file = name.to_string();
        } else if let Some(rest) = line.strip_prefix("@@ ") {
            let added = rest.split_whitespace().find_map(|word| word.strip_prefix('+')).unwrap_or("0");
            let (first, count) = added.split_once(',').unwrap_or((added, "1"));
            let (first, count) = (first.parse().unwrap_or(0), count.parse().unwrap_or(0));
            lines.entry(file.clone()).or_default().extend(first..first + count);
        }
    }
    lines
}

fn print_table(counts: &[(&str, AreaCount)]) {
    println!();
    println!(
        "{:<12}{:>8}{:>8}{:>9}{:>10}{:>13}{:>12}{:>14}",
        "area", "mutants", "killed", "endless", "survived", "not reached", "equivalent", "not compiled"
    );
    for (name, count) in counts {
        println!(
            "{name:<12}{:>8}{:>8}{:>9}{:>10}{:>13}{:>12}{:>14}   {}",
            count.all,
            count.killed,
            count.endless,
            count.survived,
            count.not_reached,
            count.equivalent,
            count.refused,
            share(count)
        );
    }
}

/// What part of those tried was killed.
fn share(count: &AreaCount) -> String {
    let seen = count.killed + count.endless;
    let tried = seen + count.survived + count.not_reached;
    if tried == 0 { "none tried".into() } else { format!("{:.1} % of {tried}", 100.0 * seen as f64 / tried as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_those_of_new_file() {
        let diff =
            "--- a.rs\n+++ a.rs\n@@ -1,2 +3,2 @@ fn f\n+x\n+y\n@@ -9 +11 @@\n-old\n+new\n+++ b.rs\n@@ -4,2 +4,0 @@\n";
        let lines = lines_of_diff(diff);
        assert_eq!(lines.get("a.rs"), Some(&BTreeSet::from([3, 4, 11])));
        assert_eq!(lines.get("b.rs"), Some(&BTreeSet::new()), "nothing was added");
    }
}
