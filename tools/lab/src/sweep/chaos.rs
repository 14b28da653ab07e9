//! Chaos seeds on booted boards, some at a time; the cluster test judges them.

use super::kept::Kept;
use super::piece::{Piece, Sweep};
use anyhow::{Result, bail, ensure};
use renga_images::artifacts::{self, Flavour};
use renga_images::card::{sha256, sha256_of_file};
use renga_images::disk_image::Choice;
use renga_workspace::environment::Environment;
use renga_workspace::progress::Progress;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// Seeds of a piece.
const BLOCK: u64 = 5;
/// The test that judges them, and its workload.
const JUDGE: [&str; 2] = ["tools/renga/tests/cluster/chaos.rs", "tools/renga/tests/cluster/chaos.sh"];
const TEST: &str = "chaos::chaos_seeds_leave_files_and_disk_right";

/// A sweep of chaos seeds.
pub struct Chaos<'a> {
    environment: &'a Environment,
    seeds: Range<u64>,
    kept: Kept,
    pieces: Vec<Piece>,
    blocks: BTreeMap<String, Range<u64>>,
    progress: &'a Progress,
}

/// What the test said of some seeds.
#[derive(Serialize, Deserialize)]
struct Judged {
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
        progress: &'a Progress,
    ) -> Result<Chaos<'a>> {
        let kernel = artifacts::kernel(environment, Flavour::Plain, progress)?;
        let plugin = artifacts::plugin(environment, progress)?;
        artifacts::disk(environment, &Choice::default(), None, progress)?;
        let mut made_of = String::new();
        for path in [kernel.image.as_path(), &plugin, environment.qemu()?] {
            made_of += &sha256_of_file(path)?.to_string();
        }
        for file in JUDGE {
            made_of += &sha256_of_file(&environment.root.join(file))?.to_string();
        }
        let kept = Kept::new(&folder.join("chaos"))?;
        let (mut pieces, mut blocks) = (Vec::new(), BTreeMap::new());
        for first in seeds.clone().step_by(BLOCK as usize) {
            let block = first..seeds.end.min(first + BLOCK);
            let key = sha256(format!("{made_of} {block:?}").as_bytes()).to_string();
            pieces.push(Piece { key: key.clone(), label: format!("chaos seeds {first} to {}", block.end - 1) });
            blocks.insert(key, block);
        }
        Ok(Chaos { environment, seeds, kept, pieces, blocks, progress })
    }

    fn judge(&self, block: &Range<u64>) -> Result<Judged> {
        let mut test = Command::new(renga_workspace::cargo::program());
        test.current_dir(&self.environment.root).stdin(Stdio::null());
        test.args(["test", "--quiet", "-p", "renga", "--test", "cluster", "--", "--exact", TEST, "--nocapture"]);
        test.env("RENGA_CHAOS_SEEDS", format!("{},{}", block.start, block.end));
        let output = test.output()?;
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        let mut said: Vec<String> = out.lines().filter(|line| line.starts_with("seed ")).map(String::from).collect();
        // Two run at once and end as they like.
        said.sort();
        let judged = said.len() as u64 == block.end - block.start;
        match (output.status.success(), judged) {
            (true, true) => Ok(Judged { passed: true, said }),
            (false, _) if err.contains("=== seed ") => Ok(Judged { passed: false, said: vec![out, err] }),
            _ => bail!("the test did not run ({}); it said:\n{out}{err}", output.status),
        }
    }
}

impl Sweep for Chaos<'_> {
    fn arguments(&self) -> Vec<String> {
        let Range { start, end } = self.seeds;
        ["chaos", "--first", &start.to_string(), "--seeds", &(end - start).to_string()].map(String::from).to_vec()
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn is_done(&self, piece: &Piece) -> bool {
        self.kept.has(&piece.key)
    }

    fn carry_out(&self, piece: &Piece, what: &str) -> Result<()> {
        self.progress.step(what);
        let judged = self.judge(&self.blocks[&piece.key])?;
        let text = serde_json::to_string_pretty(&judged)? + "\n";
        self.kept.keep(&piece.key, |path| Ok(fs::write(path, text)?))
    }

    fn report(&self) -> Result<u8> {
        let mut failed = 0;
        for piece in &self.pieces {
            let judged: Judged = self.kept.read(&piece.key)?;
            ensure!(!judged.said.is_empty(), "{}: nothing was said", piece.label);
            judged.said.iter().for_each(|line| println!("{line}"));
            failed += u64::from(!judged.passed);
        }
        let Range { start, end } = self.seeds;
        println!("chaos seeds {start} to {}: {failed} of {} pieces failed", end - 1, self.pieces.len());
        Ok(u8::from(failed > 0))
    }
}
