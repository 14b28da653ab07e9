//! The options of a campaign.

use crate::cut::Cut;
use crate::outcome::SimScope;
use renga_cli::{Sim, SimLevel};
use std::path::PathBuf;

/// The options of `renga sim`, with what they mean here.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of seeds.
    pub seeds: u64,
    /// The first of them.
    pub first: u64,
    /// Seeds at a time, if the command line says.
    pub jobs: Option<u16>,
    /// Levels to run.
    pub level: WantedLevels,
    /// Boards, instead of the number that the seed draws.
    pub boards: Option<u8>,
    /// Run one seed, with every detail of its failure.
    pub replay: Option<u64>,
    /// Cut the power at each event of the run of this seed.
    pub crash: Option<u64>,
    /// Parts of the runs that are left out.
    pub cut: Cut,
    /// Search for the smallest part that still fails.
    pub shrink: bool,
    /// Failures after which no more seeds begin.
    pub failures: usize,
    /// Print the result of each seed.
    pub verbose: bool,
    /// File for the figures and the failures.
    pub json: Option<PathBuf>,
    /// Be a worker.
    pub worker: bool,
}

/// Which levels are wanted: one, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedLevels(pub Option<SimScope>);

impl WantedLevels {
    /// That of `seed`.
    pub fn of(self, seed: u64) -> SimScope {
        self.0.unwrap_or(SimScope::of(seed))
    }
    /// As on the command line.
    pub fn name(self) -> &'static str {
        self.0.map_or("both", SimScope::name)
    }
}

impl TryFrom<Sim> for Options {
    type Error = String;

    /// An error if `--cut` names no parts.
    fn try_from(given: Sim) -> Result<Options, String> {
        let level = match given.level {
            SimLevel::Both => WantedLevels(None),
            SimLevel::Link => WantedLevels(Some(SimScope::Link)),
            SimLevel::System => WantedLevels(Some(SimScope::System)),
        };
        let cut = given.cut.parse()?;
        let Sim { seeds, first, jobs, boards, replay, crash, shrink, failures, verbose, json, worker, .. } = given;
        Ok(Options { seeds, first, jobs, level, boards, replay, crash, cut, shrink, failures, verbose, json, worker })
    }
}

impl Options {
    /// Seeds at a time.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
    }
}
