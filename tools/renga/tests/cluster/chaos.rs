//! Real images under random faults from seeds: `renga run --chaos SEED` with a workload on both boards. Results are
//! right, all calls succeed in the end, the disk is sound, and a seed is one run.
//!
//! All seeds twice: `RENGA_CHAOS_REPEAT=1`. Others: `RENGA_CHAOS_SEEDS=10,260`. One by hand:
//! `./renga run --log --chaos SEED -f tools/renga/tests/cluster/chaos.sh`.

use crate::support::{Disk, Ended, Facts, Renga, Scratch, clusters_can_run};
use renga_images::disk_image::{self, FsckVerdict};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const WORKLOAD: &str = include_str!("chaos.sh");
const SEEDS: Range<u64> = 0..10;
/// In every run of the tests, each so manieth seed is run twice.
const REPEATED_EVERY: u64 = 10;
/// Runs at once.
const WORKERS: usize = 2;
/// Rounds of the workload.
const ROUNDS: u32 = 3;
/// How a command may end that meets a board's death: the board is down; killed; a signal of a pipe that broke; or, of a
/// program that got an error itself, its own status.
const STATUSES: [u8; 4] = [1, 126, 137, 141];
const FILESYSTEM_MIB: u32 = 31;

/// Holds: chaos.
#[test]
fn chaos_seeds_leave_files_and_disk_right() {
    if !clusters_can_run() {
        return;
    }
    let seeds = seeds();
    let disk = Disk::of_size("chaos", FILESYSTEM_MIB, WORKLOAD, &[]);
    let next = AtomicU64::new(seeds.start);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    if let Err(failure) = check(seed, &disk.image()) {
                        failures.lock().expect("no worker panics").push((seed, failure));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no worker panics");
    failures.sort_by_key(|(seed, _)| *seed);
    let failed: Vec<u64> = failures.iter().map(|(seed, _)| *seed).collect();
    let lines: Vec<String> = failures.iter().map(|(seed, failure)| format!("=== seed {seed}: {failure}")).collect();
    assert!(failures.is_empty(), "{} of {seeds:?} failed: {failed:?}\n{}", failed.len(), lines.join("\n"));
}

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("RENGA_CHAOS_SEEDS") else { return SEEDS };
    let (first, end) = text.split_once(',').expect("RENGA_CHAOS_SEEDS is FIRST,END");
    let number = |text: &str| text.parse::<u64>().expect("RENGA_CHAOS_SEEDS has two numbers");
    number(first)..number(end)
}

fn check(seed: u64, image: &Path) -> Result<(), String> {
    let scratch = Scratch::new("chaos-seed");
    let ended = run(seed, image, &scratch.join("disk.img"));
    let fail = |why: &str| Err(format!("{why}\n{}", ended.report()));
    if ended.status != 0 {
        return fail(&format!("status {}", ended.status));
    }
    let facts = Facts::of(&ended);
    let text = ended.text();
    let failed = text.lines().find_map(|line| line.strip_prefix("failed:")).unwrap_or("no list");
    let is_about_board = |line: &str| line.starts_with("renga: ") && line.contains(": board ");
    let calm = !ended.stderr.lines().any(is_about_board);
    if calm && !failed.is_empty() {
        return fail("no board died, but commands failed");
    }
    let status = |word: &str| word.rsplit(':').next().and_then(|status| status.parse().ok()).unwrap_or(0);
    if let Some(odd) = failed.split_whitespace().find(|word| !STATUSES.contains(&status(word))) {
        return fail(&format!("a strange end: {odd}"));
    }
    if let Err(why) = check_disk(&scratch, ended.stderr.contains(": board a starts")) {
        return fail(&why);
    }
    let mut runs = "once";
    if std::env::var_os("RENGA_CHAOS_REPEAT").is_some() || seed.is_multiple_of(REPEATED_EVERY) {
        let again = run(seed, image, &scratch.join("again.img"));
        if again.status != 0 || Facts::of(&again) != facts {
            return fail(&format!("the second run differs\n{}", again.report()));
        }
        runs = "twice the same";
    }
    let strikes = ended.stderr.lines().filter(|line| line.contains(" has lost its power") || line.contains(" hangs"));
    let hash = ended.figure("frame hash");
    println!("seed {seed}: {} deaths, {:.3} s, frames {hash}, {runs}", strikes.count(), ended.virtual_s());
    Ok(())
}

/// A run on a fresh copy of the disk.
fn run(seed: u64, image: &Path, disk: &Path) -> Ended {
    fs::copy(image, disk).expect("target/ can be written");
    let options = ["--stats".into(), "--chaos".into(), seed.to_string().into(), "--disk".into(), disk.into()];
    let options: [std::ffi::OsString; 5] = options;
    Renga::run().with(options).end()
}

/// After a clean stop there is nothing to repair, after a cut nothing that needs a person; and every file is right.
fn check_disk(scratch: &Scratch, cut: bool) -> Result<(), String> {
    let disk = scratch.join("disk.img");
    let verdict = if cut { disk_image::repair(&disk) } else { disk_image::fsck(&disk) };
    if let FsckVerdict::Damaged(faults) = verdict.map_err(|error| error.to_string())? {
        return Err(format!("the file system is damaged:\n{faults}"));
    }
    disk_image::extract_folder(&disk, "/chaos", scratch.path()).map_err(|error| error.to_string())?;
    for round in 1..=ROUNDS {
        let (from, to) = (round * 100, round * 400 + 900);
        let forth: String = (from..=to).map(|number| format!("{number}\n")).collect();
        let back: String = (from..=to).rev().map(|number| format!("{number}\n")).collect();
        let long = format!("{forth}1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        for (name, right) in [("far", &forth), ("piped", &back), ("near", &back), ("moved", &forth), ("long", &long)] {
            let name = format!("chaos/{name}.{from}");
            let found = fs::read(scratch.join(&name)).map_err(|error| format!("{name}: {error}"))?;
            if found != right.as_bytes() {
                return Err(format!("{name} has {} bytes, which are not the {} right ones", found.len(), right.len()));
            }
        }
    }
    Ok(())
}
