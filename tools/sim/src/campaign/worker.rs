//! A worker: runs some seeds, and prints what became of each on a line.

use super::options::Options;
use crate::calls;
use crate::cut::Cut;
use crate::outcome::{Failure, Level, Report};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::panic;

/// Of so many seeds one is run twice, to see that it does the same.
const TWICE_EVERY: u64 = 64;

/// A line.
#[derive(Serialize, Deserialize)]
pub enum Line {
    /// A good run.
    Good(Report),
    /// A bad one.
    Bad(Box<Failure>),
}

/// Runs the seeds of `options` in order.
pub fn run(options: &Options) {
    // What panics is told in the failure.
    panic::set_hook(Box::new(|_| ()));
    for seed in options.first..options.first + options.seeds {
        let line = match run_checked(seed, options) {
            Ok(report) => Line::Good(report),
            Err(failure) => Line::Bad(failure),
        };
        let Ok(text) = serde_json::to_string(&line) else { unreachable!("a line is plain data") };
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
            return; // nobody listens any more
        }
    }
}

fn run_checked(seed: u64, options: &Options) -> Result<Report, Box<Failure>> {
    let level = options.level.of(seed);
    let first = run_seed(seed, level, options.boards, &options.cut)?;
    if seed.is_multiple_of(TWICE_EVERY) {
        let again = run_seed(seed, level, options.boards, &options.cut)?;
        if again != first {
            return Err(Box::new(Failure::bare(seed, level, format!("two runs differ: {first:?}, {again:?}"))));
        }
    }
    Ok(first)
}

/// Runs one seed.
fn run_seed(seed: u64, level: Level, boards: Option<u8>, cut: &Cut) -> Result<Report, Box<Failure>> {
    match level {
        Level::Link => calls::run(seed, boards, cut),
        Level::System => crate::seed::run(seed, boards, cut),
    }
}
