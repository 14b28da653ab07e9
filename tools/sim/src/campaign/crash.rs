//! Every event of one run: the run is repeated with the power cut at that event, and judged as any run.
//!
//! Invariant: each cut is at another event; what is cut depends on the options alone. Not here: the cut
//! (`seed::medium`), the verdict (`seed::verdict`).

use super::options::Options;
use super::progress::CampaignProgress;
use super::shrink::{attempt, command};
use crate::cut::{Cut, PowerCut};
use crate::outcome::{Failure, SimScope};
use crate::seed;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cut that comes when the programs have come to their end.
const BEHIND_ALL: u64 = u64::MAX >> 1;

/// Cuts the run of `seed` at its events; whether all were good.
pub fn run(options: &Options, seed: u64) -> bool {
    let (mut cuts, mut all) = (Vec::new(), 0);
    let boards = seed::boards(seed, options.boards, &options.cut);
    for kind in [PowerCut::Write(0)].into_iter().chain((1..boards).map(|board| PowerCut::Frame(board, 0))) {
        match attempt(options, seed, SimScope::System, &options.cut.with_power(kind.at(BEHIND_ALL))) {
            Ok(report) => {
                let events = report.counts.get(seed::EVENTS);
                match kind {
                    PowerCut::Write(_) => println!("{events} writes of the disk's board"),
                    PowerCut::Frame(board, _) => println!("{events} frames, to cut board {}", (b'a' + board) as char),
                }
                all += events;
                cuts.extend(spread(events, options.seeds).map(|number| options.cut.with_power(kind.at(number))));
            }
            Err(failure) => {
                println!("with the cut behind all events: {failure}");
                return false;
            }
        }
    }
    if cuts.is_empty() {
        println!("nothing was cut: no program of seed {seed} begins with --cut `{}`", options.cut);
        return false;
    }
    let (done, failures) = cut_each(options, seed, &cuts);
    for (cut, failure) in &failures {
        println!("{cut}: {}", failure.what);
        println!("  {}", command(seed, SimScope::System, options, cut));
    }
    println!("{done} of {all} points cut: {} violations", failures.len());
    failures.is_empty()
}

/// At most `most` of the numbers below `all`, spread evenly, with the last.
fn spread(all: u64, most: u64) -> impl Iterator<Item = u64> {
    let most = most.clamp(1, all.max(1));
    (0..all).filter(move |number| number * most / all != (number + 1) * most / all)
}

/// How many were made until there were enough failures, and the cuts after which something was wrong.
fn cut_each(options: &Options, seed: u64, cuts: &[Cut]) -> (usize, Vec<(Cut, Failure)>) {
    let (next, done, failures) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let progress = CampaignProgress::new(cuts.len() as u64);
    let work = || {
        while let Some(cut) = cuts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ended = attempt(options, seed, SimScope::System, cut);
            done.fetch_add(1, Ordering::Relaxed);
            progress.one_more();
            let Err(failure) = ended else { continue };
            let mut failures = failures.lock().unwrap_or_else(|error| error.into_inner());
            failures.push((cut.clone(), *failure));
            progress.failed(failures.len());
            if failures.len() >= options.failures {
                next.store(cuts.len(), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| (0..options.jobs()).for_each(|_| drop(scope.spawn(work))));
    progress.end();
    (done.into_inner(), failures.into_inner().unwrap_or_else(|error| error.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn crash_points_are_all_or_spread_evenly() {
        assert!(spread(100, 100).eq(0..100) && spread(100, 1000).eq(0..100) && spread(0, 7).eq(0..0));
        assert!(spread(100, 4).eq([24, 49, 74, 99]));
        assert_eq!(spread(1000, 7).count(), 7);
    }
}
