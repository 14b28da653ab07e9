//! Runs drawn from seeds, on a good link and on a bad one.

use crate::machine::possible;
use renga_sim::seed::{Report, Settings, run};

/// Seeds of each kind.
const SEEDS: u64 = 10;

fn all(settings: Settings, seeds: impl Iterator<Item = u64>) {
    if !possible() {
        return;
    }
    let (mut good, mut bad): (Vec<Report>, Vec<String>) = (Vec::new(), Vec::new());
    for seed in seeds {
        match run(seed, settings) {
            Ok(report) => good.push(report),
            Err(failure) => bad.push(failure.to_string()),
        }
    }
    let simulated_s: f64 = good.iter().map(|report| report.simulated_ns as f64 / 1e9).sum();
    let took_s: f64 = good.iter().map(|report| report.took.as_secs_f64()).sum();
    let events: u64 = good.iter().map(|report| report.events).sum();
    let again: u64 = good.iter().map(|report| report.retransmissions).sum();
    let (waited, released) = good.iter().fold((0, 0), |sum, report| (sum.0 + report.calls.0, sum.1 + report.calls.1));
    println!(
        "{} runs: {simulated_s:.2} simulated s in {took_s:.2} s ({:.2} each second), {events} events ({:.0} each \
         second), {waited} calls across and {released} released early, {again} frames sent again",
        good.len(),
        simulated_s / took_s,
        events as f64 / took_s,
    );
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_good_link() {
    all(Settings::PAIR, 1..=SEEDS);
}

#[test]
fn a_bad_link() {
    all(Settings::BAD_LINK, 101..=100 + SEEDS);
}

#[test]
fn asynchronous_calls() {
    all(Settings { asynchronous: true, ..Settings::PAIR }, 201..=200 + SEEDS);
}

#[test]
fn asynchronous_calls_on_a_bad_link() {
    all(Settings { asynchronous: true, ..Settings::BAD_LINK }, 301..=300 + SEEDS);
}

#[test]
fn four_boards_on_a_bad_link() {
    all(Settings { boards: 4, ..Settings::BAD_LINK }, 401..=400 + SEEDS);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    if !possible() {
        return;
    }
    let settings = Settings { asynchronous: true, ..Settings::BAD_LINK };
    let hash = |seed| match run(seed, settings) {
        Ok(report) => (report.trace_hash, report.events, report.simulated_ns, report.bus),
        Err(failure) => panic!("{failure}"),
    };
    let (first, again, other) = (hash(7), hash(7), hash(8));
    println!("seed 7: trace hash {:016x}, {} events", first.0, first.1);
    assert_eq!(first, again);
    assert_ne!(first.0, other.0);
}

/// For a search: `RENGA_SEEDS=FIRST,COUNT cargo test -p renga-sim --test system -- --ignored --nocapture`.
#[test]
#[ignore = "takes as long as it is told to"]
fn as_many_as_wanted() {
    let wanted = std::env::var("RENGA_SEEDS").unwrap_or_else(|_| "1000,50".into());
    let (first, count) = wanted.split_once(',').unwrap();
    let (first, count): (u64, u64) = (first.parse().unwrap(), count.parse().unwrap());
    for boards in [2, 4] {
        for settings in [Settings::PAIR, Settings::BAD_LINK] {
            for asynchronous in [false, true] {
                let settings = Settings { boards, asynchronous, ..settings };
                println!("{settings:?}");
                all(settings, first..first + count);
            }
        }
    }
}
