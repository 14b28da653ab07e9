//! What the tests say about a mutant.
//!
//! A test program that fails, crashes or does not end in time has seen it. Before, each program runs once without a
//! mutant: it says which sites it reaches and how long it takes, and which of its tests the instrumentation itself
//! breaks (sizes, counts of instructions), which are left out. Not here: which mutants there are.

use crate::build::{NumberedChange, TestProgram};
use crate::instrument::{ACTIVE, REACHED};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A program that runs with a mutant takes at most so many times as long as without, and so much beside.
const TIMES_MAX: u32 = 10;
/// As above: other work may have the machine.
const BESIDE: Duration = Duration::from_secs(20);
/// A program that takes longer than this without a mutant takes no part.
const PROGRAM_MAX: Duration = Duration::from_secs(600);

/// What the tests say about a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutantVerdict {
    /// A test failed.
    Killed,
    /// A test did not end.
    Endless,
    /// No test saw it.
    Survived,
    /// No test reaches its place.
    NotReached,
}

/// A test program that has run without a mutant.
#[derive(Debug)]
pub struct TestSuite {
    program: TestProgram,
    /// The tests that are left out.
    skipped: Vec<String>,
    reached: BTreeSet<u32>,
    takes: Duration,
}

impl TestSuite {
    /// Runs `program` without a mutant, twice if tests fail of themselves. `work` is a folder for what it reaches.
    ///
    /// # Errors
    /// If it fails even without the tests that failed at first.
    pub fn of(program: &TestProgram, work: &Path) -> Result<TestSuite> {
        let mut suite = TestSuite {
            program: program.clone(),
            skipped: Vec::new(),
            reached: BTreeSet::new(),
            takes: Duration::ZERO,
        };
        let reached = work.join("reached");
        for last in [false, true] {
            let _ = fs::remove_file(&reached); // none is there at first
            let begin = Instant::now();
            let (ended, failed) = suite.run(0, PROGRAM_MAX, Some(&reached), false)?;
            suite.takes = begin.elapsed();
            if ended == ProgramEnd::Well {
                let lines = fs::read_to_string(&reached).unwrap_or_default();
                suite.reached = lines.lines().filter_map(|line| line.parse().ok()).collect();
                return Ok(suite);
            }
            ensure!(!last && !failed.is_empty(), "{} fails without a mutant", program.name);
            suite.skipped = failed;
        }
        unreachable!("the last run returns")
    }

    /// How long it takes without a mutant.
    pub fn takes(&self) -> Duration {
        self.takes
    }

    /// The tests that the instrumentation breaks.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Runs with mutant `number`; stops at the first failure if `brief`. The tests that failed.
    fn run(
        &self,
        number: u32,
        most: Duration,
        reached: Option<&Path>,
        brief: bool,
    ) -> Result<(ProgramEnd, Vec<String>)> {
        let mut command = Command::new(&self.program.path);
        command.current_dir(&self.program.folder).env(ACTIVE, number.to_string()).env("RUST_BACKTRACE", "0");
        command.args(["--test-threads=1", "--exact"]);
        command.args(self.skipped.iter().flat_map(|name| ["--skip", name]));
        match reached {
            Some(path) => command.env(REACHED, path),
            None => command.env_remove(REACHED),
        };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.program.path.display()))?;
        let out = child.stdout.take().context("a pipe was asked for")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let (end, mut failed) = (Instant::now() + most, Vec::new());
        loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let words = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
                    failed.extend(words.map(|name| name.trim_end_matches(" - should panic").to_string()));
                    if brief && words.is_some() {
                        stop(&mut child);
                        return Ok((ProgramEnd::Badly, failed));
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    stop(&mut child);
                    return Ok((ProgramEnd::TooLate, failed));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        let well = child.wait().context("the program is gone")?.success();
        Ok((if well { ProgramEnd::Well } else { ProgramEnd::Badly }, failed))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProgramEnd {
    Well,
    Badly,
    TooLate,
}

fn stop(child: &mut Child) {
    let _ = child.kill(); // it may have ended
    let _ = child.wait(); // it has been killed
}

/// What `suites` say about `mutant`, those that end soonest first.
///
/// # Errors
/// If one cannot be started.
pub fn run_against(suites: &[TestSuite], mutant: &NumberedChange) -> Result<MutantVerdict> {
    let mut reached: Vec<&TestSuite> = suites.iter().filter(|suite| suite.reached.contains(&mutant.number)).collect();
    reached.sort_by_key(|suite| suite.takes);
    let mut verdict = MutantVerdict::NotReached;
    for suite in reached {
        match suite.run(mutant.number, suite.takes * TIMES_MAX + BESIDE, None, true)?.0 {
            ProgramEnd::Badly => return Ok(MutantVerdict::Killed),
            ProgramEnd::TooLate => return Ok(MutantVerdict::Endless),
            ProgramEnd::Well => verdict = MutantVerdict::Survived,
        }
    }
    Ok(verdict)
}
