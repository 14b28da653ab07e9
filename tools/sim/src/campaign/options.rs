//! The command line.

use crate::cut::Cut;
use crate::outcome::Level;
use clap::Parser;
use std::path::PathBuf;

/// Runs the whole cluster in one host program, drawn from seeds: workloads, faults of the link, deaths.
#[derive(Clone, Debug, Parser)]
#[command(name = "renga sim", version)]
pub struct Options {
    /// How many seeds to run
    #[arg(long, default_value_t = 1000)]
    pub seeds: u64,
    /// The first of them
    #[arg(long, default_value_t = 1)]
    pub first: u64,
    /// Seeds at a time [default: as many as there are cores]
    #[arg(long)]
    pub jobs: Option<usize>,
    /// `link` (calls between boards), `system` (also disk, files and programs) or `both`: of ten seeds one is of the system
    #[arg(long, default_value = "both", value_parser = level)]
    pub level: Wanted,
    /// Boards, where the seed would else draw them
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=8))]
    pub boards: Option<u8>,
    /// Runs one seed, and says everything about it if it fails
    #[arg(long, value_name = "SEED")]
    pub replay: Option<u64>,
    /// Leaves away parts of the runs, as a report of a failure says
    #[arg(long, default_value = "")]
    pub cut: Cut,
    /// With `--replay`: looks for the least that still fails
    #[arg(long)]
    pub shrink: bool,
    /// Failures after which no more seeds are begun
    #[arg(long, default_value_t = 5)]
    pub failures: usize,
    /// Prints what each seed did
    #[arg(long)]
    pub verbose: bool,
    /// Also writes the figures and the failures into this file, which depends on the seeds alone
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Is a worker: prints results as JSON lines
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// Which levels are wanted: one, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted(pub Option<Level>);

impl Wanted {
    /// That of `seed`.
    pub fn of(self, seed: u64) -> Level {
        self.0.unwrap_or(Level::of(seed))
    }
    /// As on the command line.
    pub fn name(self) -> &'static str {
        self.0.map_or("both", Level::name)
    }
}

fn level(text: &str) -> Result<Wanted, String> {
    if text == "both" { Ok(Wanted(None)) } else { text.parse().map(|level| Wanted(Some(level))) }
}

impl Options {
    /// Seeds at a time.
    pub fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
    }
}
