//! Hands seeds to workers, and collects what they say.
//!
//! Invariant: a seed is counted once: as what its worker printed, or as a failure if the worker ended or
//! fell silent at it.

use super::options::{Options, WantedLevels};
use super::progress::CampaignProgress;
use super::shrink;
use super::summary::CampaignSummary;
use super::worker::WorkerLine;
use crate::outcome::{Failure, SimScope};
use renga_workspace::output;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Seeds that one worker runs: what their runs leak must fit into memory.
const SEEDS_PER_WORKER: [(SimScope, u64); 2] = [(SimScope::Link, 100), (SimScope::System, 25)];
/// A worker that prints nothing for so long hangs: runs are bounded by simulated time and events, so it
/// loops without an event.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// Lines that wait to be read.
const LINES_MAX: usize = 64;

/// What threads share.
struct CampaignShared {
    next: u64,
    summary: CampaignSummary,
    failures: Vec<Failure>,
}

/// Runs all seeds; whether all were good.
pub fn run(options: &Options) -> bool {
    if let Err(error) = output::expect_file(options.json.as_deref()) {
        eprintln!("renga: {error:#}");
        return false;
    }
    let began = Instant::now();
    let shared =
        Mutex::new(CampaignShared { next: options.first, summary: CampaignSummary::default(), failures: Vec::new() });
    let progress = CampaignProgress::new(options.seeds);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs() {
            scope.spawn(|| while run_some(options, &shared, &progress) {});
        }
    });
    progress.end();
    let mut shared = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    shared.failures.sort_by_key(|failure| failure.seed);
    println!("{}", shared.summary.table(began.elapsed(), options.jobs()));
    for failure in &shared.failures {
        println!("seed {} ({}) fails: {}", failure.seed, failure.level.name(), failure.what);
        println!("  {}", shrink::command(failure.seed, failure.level, options, &options.cut));
    }
    let found = serde_json::json!({ "levels": shared.summary, "failures": shared.failures });
    if let Err(error) = output::write_json(options.json.as_deref(), &found) {
        eprintln!("renga: {error:#}");
        return false;
    }
    // A file has one part of many: its reader chooses what to examine.
    if let Some(first) = shared.failures.first().filter(|_| options.json.is_none()) {
        shrink::shrink(options, first);
    }
    shared.failures.is_empty()
}

/// One worker's share; whether there is more.
fn run_some(options: &Options, shared: &Mutex<CampaignShared>, progress: &CampaignProgress) -> bool {
    let with =
        |act: &mut dyn FnMut(&mut CampaignShared)| act(&mut shared.lock().unwrap_or_else(|error| error.into_inner()));
    let (mut first, mut end) = (0, 0);
    let share = share(options.level);
    with(&mut |shared| {
        let past = options.first + options.seeds;
        let stop = shared.failures.len() >= options.failures;
        (first, end) = (shared.next, if stop { shared.next } else { past.min(shared.next + share) });
        shared.next = end;
    });
    while first < end {
        let Some(next) = watch(options, first, end, &mut |line| {
            progress.one_more();
            if options.verbose {
                print_line(line);
            }
            with(&mut |shared| match line {
                WorkerLine::Good(report) => shared.summary.add(report),
                WorkerLine::Bad(failure) => {
                    shared.summary.add_failure(failure);
                    shared.failures.push(Failure::clone(failure));
                    progress.failed(shared.failures.len());
                }
            });
        }) else {
            return true;
        };
        let failure = Failure::bare(next.0, options.level.of(next.0), next.1);
        progress.one_more();
        with(&mut |shared| {
            shared.summary.add_failure(&failure);
            shared.failures.push(failure.clone());
        });
        first = next.0 + 1;
    }
    let mut more = false;
    with(&mut |shared| {
        more = shared.next < options.first + options.seeds && shared.failures.len() < options.failures;
    });
    more
}

fn share(level: WantedLevels) -> u64 {
    let shares = SEEDS_PER_WORKER.iter().filter(|(of, _)| level.0.is_none_or(|level| level == *of));
    shares.map(|(_, seeds)| *seeds).min().unwrap_or(1)
}

fn print_line(line: &WorkerLine) {
    match line {
        WorkerLine::Good(report) => {
            let counts: Vec<String> = report.counts.0.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let simulated_s = report.simulated_ns as f64 / 1e9;
            println!("seed {} ({}): {simulated_s:.3} s, {}", report.seed, report.level.name(), counts.join(", "));
        }
        WorkerLine::Bad(failure) => println!("{failure}"),
    }
}

/// A worker that runs the seeds from `first` to before `end`.
pub fn worker(options: &Options, level: WantedLevels, first: u64, end: u64) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--worker", "--level", level.name()]);
    command.args(["--first", &first.to_string(), "--seeds", &(end - first).to_string()]);
    command.args(["--cut", &options.cut.to_string()]);
    if let Some(boards) = options.boards {
        command.args(["--boards", &boards.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Has a worker run seeds and hands its lines on; at which it ended too early, and how.
pub fn watch(options: &Options, first: u64, end: u64, hand_on: &mut dyn FnMut(&WorkerLine)) -> Option<(u64, String)> {
    let mut child = match worker(options, options.level, first, end) {
        Ok(child) => child,
        Err(error) => return Some((first, format!("no worker: {error}"))),
    };
    let lines = read(&mut child);
    let mut next = first;
    let how = loop {
        match lines.recv_timeout(SILENCE_MAX) {
            Ok(line) => {
                next += 1;
                hand_on(&line);
            }
            Err(RecvTimeoutError::Timeout) => break format!("the worker was silent for {} s", SILENCE_MAX.as_secs()),
            Err(RecvTimeoutError::Disconnected) => break "the worker ended".into(),
        }
    };
    let _ = child.kill();
    let status = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
    (next < end).then(|| (next, format!("{how}: {status}")))
}

/// The worker's lines, read by a thread of their own, so that silence is detected.
fn read(child: &mut Child) -> Receiver<WorkerLine> {
    let (sender, receiver) = sync_channel(LINES_MAX);
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            for line in lines.filter_map(|text| serde_json::from_str(&text).ok()) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}
