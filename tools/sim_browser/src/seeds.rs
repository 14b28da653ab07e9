//! A seed of `renga sim`, with its result as the page and the test compare it.
//!
//! Not here: why a seed failed (`renga sim --replay`).

use renga_sim::calls;
use renga_sim::cut::Cut;
use renga_sim::outcome::{SimReport, SimScope};
use renga_sim::seed::{self, MediumChecker};
use renga_sim::system::Pages;
use serde::{Deserialize, Serialize};

/// What a seed did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeedRun {
    /// Its report.
    Good(SimReport),
    /// What went wrong, in one line.
    Failed(String),
}

/// Runs `seed` at the level that `renga sim` gives it; a whole system begins with `fresh` on its medium, which nothing
/// checks afterwards.
pub fn run_seed(seed: u64, fresh: &Pages) -> SeedRun {
    let run = match SimScope::of(seed) {
        SimScope::Link => calls::run(seed, None, &Cut::default()),
        SimScope::System => seed::run_checked(seed, None, &Cut::default(), &MediumChecker::Absent(fresh.clone())),
    };
    match run {
        Ok(report) => SeedRun::Good(report),
        Err(failure) => SeedRun::Failed(failure.what),
    }
}
