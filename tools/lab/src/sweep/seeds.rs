//! Seeds of the simulator, in blocks.
//!
//! Invariant: a block's name is made of the simulator itself, so another simulator's results are not taken for its own.

use super::job::{Job, Sweep};
use super::kept::Kept;
use anyhow::{Result, bail};
use clap::ValueEnum;
use renga_cli::SimLevel;
use renga_images::card::{sha256, sha256_of_file};
use renga_workspace::delegate::SIMULATOR;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seeds by level, from one on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedsChoice {
    /// Which levels.
    pub level: SimLevel,
    /// The first.
    pub first: u64,
    /// How many.
    pub seeds: u64,
    /// How many are one job.
    pub block: u64,
}

/// A sweep of seeds.
pub struct Seeds<'a> {
    choice: SeedsChoice,
    simulator: PathBuf,
    kept: Kept,
    jobs: Vec<Job>,
    /// The first seed and the number of seeds of each job.
    blocks: BTreeMap<String, (u64, u64)>,
    progress: &'a ProgressLine,
}

/// What the simulator writes of a block.
#[derive(Deserialize)]
struct SeedFindings {
    levels: BTreeMap<String, SeedSum>,
    failures: Vec<FailedSeed>,
}

#[derive(Deserialize, Default)]
struct SeedSum {
    seeds: u64,
    failures: u64,
    simulated_ns: u64,
    counts: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct FailedSeed {
    seed: u64,
    level: String,
    what: String,
}

impl SeedsChoice {
    /// The level as the command line has it.
    fn level(&self) -> String {
        self.level.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

impl<'a> Seeds<'a> {
    /// Builds the simulator and divides the seeds; results are in `folder`.
    ///
    /// # Errors
    /// If it does not build.
    pub fn new(
        environment: &Environment,
        choice: &SeedsChoice,
        folder: &Path,
        progress: &'a ProgressLine,
    ) -> Result<Seeds<'a>> {
        let simulator = SIMULATOR.build(environment, progress)?;
        let kept = Kept::new(&folder.join("seeds"))?;
        let (jobs, blocks) = blocks(choice, &sha256_of_file(&simulator)?.to_string());
        Ok(Seeds { choice: choice.clone(), simulator, kept, jobs, blocks, progress })
    }
}

type Blocks = (Vec<Job>, BTreeMap<String, (u64, u64)>);

fn blocks(choice: &SeedsChoice, simulator: &str) -> Blocks {
    let SeedsChoice { first, seeds, block, .. } = choice;
    let level = choice.level();
    let end = first + seeds;
    let starts = (*first..end).step_by(*block as usize);
    let of = |begin: u64| {
        let count = (*block).min(end - begin);
        let label = format!("{level} seeds {begin} to {}", begin + count - 1);
        let key = sha256(format!("{simulator} {level} {begin} {count}").as_bytes()).to_string();
        (Job { key: key.clone(), label }, (key, (begin, count)))
    };
    starts.map(of).unzip()
}

impl Sweep for Seeds<'_> {
    fn arguments(&self) -> Vec<String> {
        let SeedsChoice { first, seeds, block, .. } = &self.choice;
        let [first, seeds, block] = [first, seeds, block].map(u64::to_string);
        ["seeds", "--level", &self.choice.level(), "--first", &first, "--seeds", &seeds, "--block", &block]
            .map(String::from)
            .to_vec()
    }

    fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    fn is_done(&self, job: &Job) -> bool {
        self.kept.has(&job.key)
    }

    fn carry_out(&self, job: &Job, what: &str) -> Result<()> {
        self.progress.step(what);
        let (first, seeds) = self.blocks[&job.key];
        let numbers = [first, seeds].map(|number| number.to_string());
        self.kept.keep(&job.key, |path| {
            let mut simulator = Command::new(&self.simulator);
            simulator.args(["--level", &self.choice.level(), "--first", &numbers[0], "--seeds", &numbers[1]]);
            // All of them, in one worker: what a block finds must not hang on who is quicker.
            let mut json = OsString::from("--json=");
            json.push(path);
            simulator.args(["--jobs", "1", "--failures", &numbers[1]]).arg(json);
            let output = simulator.stdin(Stdio::null()).output()?;
            if !path.exists() {
                let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
                bail!("the simulator ended with {} and left no result; it said:\n{out}{err}", output.status);
            }
            Ok(())
        })
    }

    fn report(&self) -> Result<u8> {
        let (mut sums, mut failures) = (BTreeMap::<String, SeedSum>::new(), Vec::new());
        for job in &self.jobs {
            let found: SeedFindings = self.kept.read(&job.key)?;
            failures.extend(found.failures);
            found.levels.into_iter().for_each(|(level, sum)| sums.entry(level).or_default().add(sum));
        }
        for (level, SeedSum { seeds, failures, simulated_ns, counts }) in &sums {
            println!("{level}: {seeds} seeds, {failures} failed, {:.1} simulated seconds", *simulated_ns as f64 / 1e9);
            counts.iter().for_each(|(name, count)| println!("  {name:<46}{count:>16}"));
        }
        for FailedSeed { seed, level, what } in &failures {
            println!("seed {seed} ({level}) fails: {what}\n  ./renga sim --replay {seed} --level {level} --shrink");
        }
        Ok(u8::from(!failures.is_empty()))
    }
}

impl SeedSum {
    fn add(&mut self, other: SeedSum) {
        self.seeds += other.seeds;
        self.failures += other.failures;
        self.simulated_ns += other.simulated_ns;
        other.counts.into_iter().for_each(|(name, count)| *self.counts.entry(name).or_default() += count);
    }
}

#[cfg(test)]
mod tests {
    use super::{SeedsChoice, blocks};
    use renga_cli::SimLevel;

    /// Holds: bench-cache.
    #[test]
    fn seeds_blocks_cover_each_seed_once() {
        let choice = SeedsChoice { level: SimLevel::Link, first: 5, seeds: 25, block: 10 };
        let (jobs, places) = blocks(&choice, "simulator");
        let at: Vec<_> = jobs.iter().map(|job| places[&job.key]).collect();
        assert_eq!(at, [(5, 10), (15, 10), (25, 5)]);
        assert_eq!(jobs[2].label, "link seeds 25 to 29");
        let more = blocks(&SeedsChoice { seeds: 35, ..choice.clone() }, "simulator").0;
        assert_eq!(more[..2], jobs[..2], "what was done is not done again");
        assert!(more[2] != jobs[2]);
        let other = blocks(&choice, "another simulator").0;
        assert!(other.iter().zip(&jobs).all(|(other, job)| other.key != job.key));
    }
}
