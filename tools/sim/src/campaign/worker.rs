//! A worker: runs some seeds, and prints what became of each on a line.

use super::options::Options;
use crate::calls;
use crate::cut::Cut;
use crate::outcome::{Failure, SimReport, SimScope};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::panic;

/// Of so many seeds one is run twice, to see that it does the same.
const TWICE_EVERY: u64 = 64;

/// A line.
#[derive(Serialize, Deserialize)]
pub enum WorkerLine {
    /// A good run.
    Good(SimReport),
    /// A bad one.
    Bad(Box<Failure>),
}

/// Runs the seeds of `options` in order.
pub fn run(options: &Options) {
    // The failure contains the panic's message.
    panic::set_hook(Box::new(|_| ()));
    for seed in options.first..options.first + options.seeds {
        let line = match run_checked(seed, options) {
            Ok(report) => WorkerLine::Good(report),
            Err(failure) => WorkerLine::Bad(failure),
        };
        let Ok(text) = serde_json::to_string(&line) else { unreachable!("a line is plain data") };
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
            return; // the reader has ended
        }
    }
}

fn run_checked(seed: u64, options: &Options) -> Result<SimReport, Box<Failure>> {
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
fn run_seed(seed: u64, level: SimScope, boards: Option<u8>, cut: &Cut) -> Result<SimReport, Box<Failure>> {
    match level {
        SimScope::Link => calls::run(seed, boards, cut),
        SimScope::System => crate::seed::run(seed, boards, cut),
    }
}
