//! Random runs from seeds, on a good link and on a bad one.

use crate::machine::possible;
use renga_sim::cut::Cut;
use renga_sim::outcome::SimCounts;
use renga_sim::seed::{SeedSettings, run_with};

/// Seeds of each kind.
const SEEDS: u64 = 10;

fn all(settings: SeedSettings, seeds: impl Iterator<Item = u64>) {
    if !possible() {
        return;
    }
    let (mut runs, mut simulated_ns, mut counts, mut bad) = (0, 0, SimCounts::default(), Vec::new());
    for seed in seeds {
        match run_with(seed, settings, &Cut::default()) {
            Ok(report) => {
                (runs, simulated_ns) = (runs + 1, simulated_ns + report.simulated_ns);
                counts.add_all(&report.counts);
            }
            Err(failure) => bad.push(failure.to_string()),
        }
    }
    println!("{runs} runs: {:.2} simulated s, {counts:?}", simulated_ns as f64 / 1e9);
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn system_seeds_on_good_link_pass() {
    all(SeedSettings::PAIR, 1..=SEEDS);
}

#[test]
fn system_seeds_on_bad_link_pass() {
    all(SeedSettings::BAD_LINK, 101..=100 + SEEDS);
}

#[test]
fn system_seeds_with_asynchronous_calls_pass() {
    all(SeedSettings { asynchronous: true, ..SeedSettings::PAIR }, 201..=200 + SEEDS);
}

#[test]
fn system_seeds_with_asynchronous_calls_on_bad_link_pass() {
    all(SeedSettings { asynchronous: true, ..SeedSettings::BAD_LINK }, 301..=300 + SEEDS);
}

#[test]
fn system_seeds_of_four_boards_on_bad_link_pass() {
    all(SeedSettings { boards: 4, ..SeedSettings::BAD_LINK }, 401..=400 + SEEDS);
}

/// Holds: placement-line.
#[test]
fn system_seeds_of_remote_disk_pass() {
    all(SeedSettings { remote_disk: true, ..SeedSettings::PAIR }, 801..=800 + SEEDS);
    all(SeedSettings { remote_disk: true, ..SeedSettings::BAD_LINK }, 901..=900 + SEEDS);
}

/// Holds: placement-line.
#[test]
fn system_seeds_of_several_cores_pass() {
    for cores in 2..=4 {
        let first = 500 + 100 * u64::from(cores);
        // Each core is the home of programs once.
        (0..cores).for_each(|home| all(SeedSettings { cores, home, ..SeedSettings::PAIR }, first + 1..=first + SEEDS));
        all(SeedSettings { cores, asynchronous: true, ..SeedSettings::BAD_LINK }, first + 51..=first + 50 + SEEDS);
    }
}

#[test]
fn system_same_seed_repeats_run() {
    if !possible() {
        return;
    }
    for cores in [1, 3] {
        let settings = SeedSettings { cores, asynchronous: true, ..SeedSettings::BAD_LINK };
        let report = |seed| match run_with(seed, settings, &Cut::default()) {
            Ok(report) => report,
            Err(failure) => panic!("{failure}"),
        };
        let (first, again, other) = (report(7), report(7), report(8));
        println!("seed 7, {cores} cores: trace hash {:016x}, {:?}", first.trace_hash, first.counts);
        assert_eq!(first, again);
        assert_ne!(first.trace_hash, other.trace_hash);
    }
}
