//! Chaos seeds on booted boards, some at a time; the cluster test checks them.

use super::job::{Job, Sweep};
use super::kept::Kept;
use anyhow::{Result, bail, ensure};
use renga_images::artifacts::{self, KernelFlavour};
use renga_images::card::{sha256, sha256_of_file};
use renga_images::disk_image::DiskChoice;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// Seeds of a job.
const BLOCK: u64 = 5;
/// The test that checks them, and its workload.
const CHECKED_BY: [&str; 2] = ["tools/renga/tests/cluster/chaos.rs", "tools/renga/tests/cluster/chaos.sh"];
const TEST: &str = "chaos::chaos_seeds_leave_files_and_disk_right";

/// A sweep of chaos seeds.
pub struct Chaos<'a> {
    environment: &'a Environment,
    seeds: Range<u64>,
    kept: Kept,
    jobs: Vec<Job>,
    blocks: BTreeMap<String, Range<u64>>,
    progress: &'a ProgressLine,
}

/// What the test said of some seeds.
#[derive(Serialize, Deserialize)]
struct ChaosResult {
    passed: bool,
    /// A line each; of those that fail, all that was said.
    said: Vec<String>,
}

impl<'a> Chaos<'a> {
    /// Builds what runs, and divides the seeds; results are in `folder`.
    ///
    /// # Errors
    /// If it does not build.
    pub fn new(
        environment: &'a Environment,
        seeds: Range<u64>,
        folder: &Path,
        progress: &'a ProgressLine,
    ) -> Result<Chaos<'a>> {
        environment.expect_sources("`renga sweep chaos`")?;
        let kernel = artifacts::kernel(environment, KernelFlavour::Plain, progress)?;
        let plugin = artifacts::plugin(environment, progress)?;
        artifacts::disk(environment, &DiskChoice::default(), None, progress)?;
        let mut made_of = String::new();
        for path in [kernel.image.as_path(), &plugin, environment.qemu()?] {
            made_of += &sha256_of_file(path)?.to_string();
        }
        for file in CHECKED_BY {
            made_of += &sha256_of_file(&environment.root.join(file))?.to_string();
        }
        let kept = Kept::new(&folder.join("chaos"))?;
        let (mut jobs, mut blocks) = (Vec::new(), BTreeMap::new());
        for first in seeds.clone().step_by(BLOCK as usize) {
            let block = first..seeds.end.min(first + BLOCK);
            let key = sha256(format!("{made_of} {block:?}").as_bytes()).to_string();
            jobs.push(Job { key: key.clone(), label: format!("chaos seeds {first} to {}", block.end - 1) });
            blocks.insert(key, block);
        }
        Ok(Chaos { environment, seeds, kept, jobs, blocks, progress })
    }

    fn run_test(&self, block: &Range<u64>) -> Result<ChaosResult> {
        let mut test = Command::new(renga_workspace::cargo::program());
        test.current_dir(&self.environment.root).stdin(Stdio::null());
        test.args(["test", "--quiet", "-p", "renga", "--test", "cluster", "--", "--exact", TEST, "--nocapture"]);
        test.env("RENGA_CHAOS_SEEDS", format!("{},{}", block.start, block.end));
        let output = test.output()?;
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        let mut said: Vec<String> = out.lines().filter(|line| line.starts_with("seed ")).map(String::from).collect();
        // Two run at once and end as they like.
        said.sort();
        let complete = said.len() as u64 == block.end - block.start;
        match (output.status.success(), complete) {
            (true, true) => Ok(ChaosResult { passed: true, said }),
            (false, _) if err.contains("=== seed ") => Ok(ChaosResult { passed: false, said: vec![out, err] }),
            _ => bail!("the test did not run ({}); it said:\n{out}{err}", output.status),
        }
    }
}

impl Sweep for Chaos<'_> {
    fn arguments(&self) -> Vec<String> {
        let Range { start, end } = self.seeds;
        ["chaos", "--first", &start.to_string(), "--seeds", &(end - start).to_string()].map(String::from).to_vec()
    }

    fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    fn is_done(&self, job: &Job) -> bool {
        self.kept.has(&job.key)
    }

    fn carry_out(&self, job: &Job, what: &str) -> Result<()> {
        self.progress.step(what);
        let result = self.run_test(&self.blocks[&job.key])?;
        let text = serde_json::to_string_pretty(&result)? + "\n";
        self.kept.keep(&job.key, |path| Ok(fs::write(path, text)?))
    }

    fn report(&self) -> Result<u8> {
        let mut failed = 0;
        for job in &self.jobs {
            let result: ChaosResult = self.kept.read(&job.key)?;
            ensure!(!result.said.is_empty(), "{}: nothing was said", job.label);
            result.said.iter().for_each(|line| println!("{line}"));
            failed += u64::from(!result.passed);
        }
        let Range { start, end } = self.seeds;
        println!("chaos seeds {start} to {}: {failed} of {} jobs failed", end - 1, self.jobs.len());
        Ok(u8::from(failed > 0))
    }
}
