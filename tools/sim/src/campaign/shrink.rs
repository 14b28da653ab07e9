//! One seed: run again, with everything that helps to see why it fails, and made smaller.
//!
//! Invariant: the shrunk run still fails. Not here: the parts that a cut can omit (`cut`).

use super::options::{Options, WantedLevels};
use super::parent::watch;
use super::worker::WorkerLine;
use crate::calls;
use crate::cut::Cut;
use crate::outcome::{Failure, SimReport, SimScope};
use crate::seed;

/// Runs that shrinking may take.
const RUNS_MAX: usize = 300;
/// More steps than any actor has.
const STEPS_MAX: usize = 1024;

/// The command that runs a seed again.
pub fn command(seed: u64, level: SimScope, options: &Options, cut: &Cut) -> String {
    let boards = options.boards.map_or(String::new(), |boards| format!(" --boards {boards}"));
    let cut = if *cut == Cut::default() { String::new() } else { format!(" --cut {cut}") };
    format!("./renga sim --replay {seed} --level {}{boards}{cut}", level.name())
}

/// Runs `seed`; whether it is good.
pub fn replay(options: &Options, seed: u64) -> bool {
    let level = options.level.of(seed);
    match attempt(options, seed, level, &options.cut) {
        Ok(report) => {
            println!("{report:#?}");
            true
        }
        Err(failure) if options.shrink => {
            shrink(options, &failure);
            false
        }
        Err(failure) => {
            println!("{failure}");
            false
        }
    }
}

/// One run in a worker.
pub fn attempt(options: &Options, seed: u64, level: SimScope, cut: &Cut) -> Result<SimReport, Box<Failure>> {
    let options = Options { cut: cut.clone(), level: WantedLevels(Some(level)), ..options.clone() };
    let mut result = None;
    let died = watch(&options, seed, seed + 1, &mut |line| {
        result = Some(match line {
            WorkerLine::Good(report) => Ok(report.clone()),
            WorkerLine::Bad(failure) => Err(failure.clone()),
        });
    });
    match (result, died) {
        (Some(result), _) => result,
        (None, died) => {
            let what = died.map_or("no result".into(), |(_, how)| how);
            Err(Box::new(Failure::bare(seed, level, what)))
        }
    }
}

/// Searches for the smallest run that still fails, and prints it.
pub fn shrink(options: &Options, failure: &Failure) {
    let (seed, level) = (failure.seed, failure.level);
    let kind = kind(&failure.what);
    let mut search = ShrinkSearch { options, seed, level, kind, cut: options.cut.clone(), least: None, runs: 0 };
    search.go();
    println!("\nthe least that still fails, found by {} runs:", search.runs);
    println!("  {}", command(seed, level, options, &search.cut));
    println!("{}", search.least.as_deref().unwrap_or(failure));
}

/// What went wrong, without numbers and names of processes: as long as that is the same, so is the fault.
fn kind(what: &str) -> String {
    let names = |word: &&str| !word.contains(|letter: char| letter.is_ascii_digit());
    what.split_whitespace().filter(names).take(KIND_WORDS).collect::<Vec<_>>().join(" ")
}

/// Words that distinguish one fault from another.
const KIND_WORDS: usize = 6;

struct ShrinkSearch<'a> {
    options: &'a Options,
    seed: u64,
    level: SimScope,
    /// The failure, without names and times.
    kind: String,
    /// The least so far.
    cut: Cut,
    least: Option<Box<Failure>>,
    runs: usize,
}

impl ShrinkSearch<'_> {
    /// Keeps `cut` if the run still fails.
    fn fails(&mut self, cut: Cut) -> bool {
        if self.runs >= RUNS_MAX {
            return false;
        }
        self.runs += 1;
        match attempt(self.options, self.seed, self.level, &cut) {
            Ok(_) => false,
            Err(failure) if kind(&failure.what) != self.kind => false,
            Err(failure) => {
                (self.cut, self.least) = (cut, Some(failure));
                true
            }
        }
    }

    fn go(&mut self) {
        let (actors, incidents) = match self.level {
            SimScope::Link => {
                (calls::actors(self.seed, self.options.boards), calls::incidents(self.seed, self.options.boards))
            }
            SimScope::System => {
                (seed::actors(self.seed, self.options.boards), seed::incidents(self.seed, self.options.boards))
            }
        };
        self.fails(self.cut.quietly());
        let _ = (2..8).any(|boards| self.fails(self.cut.with_boards(boards)));
        self.fewer((0..incidents).collect(), Cut::with_incidents);
        self.fewer((0..actors).collect(), Cut::with_actors);
        let (mut enough, mut few) = (STEPS_MAX, 0);
        while few + 1 < enough {
            let middle = few.midpoint(enough);
            if self.fails(self.cut.with_steps(middle)) { enough = middle } else { few = middle }
        }
        let _ = (2..8).any(|boards| self.fails(self.cut.with_boards(boards)));
        self.fails(self.cut.quietly());
    }

    /// Omits the elements of `kept` one after the other, halves first.
    fn fewer(&mut self, mut kept: Vec<usize>, with: fn(&Cut, &[usize]) -> Cut) {
        let mut size = kept.len().div_ceil(2);
        while size > 0 {
            let mut from = 0;
            while from < kept.len() {
                let mut without = kept.clone();
                without.drain(from..kept.len().min(from + size));
                if self.fails(with(&self.cut, &without)) { kept = without } else { from += size }
            }
            size /= 2;
        }
    }
}
