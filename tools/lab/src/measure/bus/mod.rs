//! What the bus on pins carries, on a model of the pins in virtual time.
//!
//! Every figure is payload: frames are measured from the call of the driver to the end of their poll
//! word. The processor's own work is a parameter of the model: a number of instructions before each
//! access, one a clock. Not here: the model (`renga-phy`), the study (`docs/reference/link-pins.md`).

mod case;
mod cluster;
mod estimates;
mod passing;
mod serial;

pub use case::{BusPull, Case};
pub use cluster::{FrameTimes, frames};
pub use passing::{Passing, passing};
pub use serial::passing as passing_over_spi;

use crate::benches::workers;
use anyhow::{Context, Result};
use case::mode;
use estimates::{BusVerdict, INTERLOCKED_MBPS, PAPER_MBPS, estimate};
use renga_phy::pins::model::{INSTRUCTIONS, Instructions, Speed};
use renga_phy::pins::{Handshake, Width};

/// Payload of the frames whose rate is measured, and of those whose latency is: bytes.
const RATE_BYTES: usize = 1024;
const LATENCY_BYTES: usize = 64;
/// Frames of each, and with stalls.
const RATE_FRAMES: usize = 2;
const STALLED_FRAMES: usize = 6;
const LATENCY_FRAMES: usize = 40;
/// How long boards pass the token, ns.
const PASSING_NS: u64 = 20_000_000;

const HANDSHAKES: [Handshake; 2] = [Handshake::ThreeWire, Handshake::TwoEdge];

/// Prints the tables.
///
/// # Errors
/// If a frame gets lost or the driver breaks a rule of the bus.
pub fn measure(seed: u64, instructions: Option<u64>) -> Result<u8> {
    let instructions = instructions.map_or(INSTRUCTIONS, |each| Instructions { talker: each, listener: each });
    println!("The bus on pins, in a model of the pins; virtual time, seed {seed}. Mbit/s of payload, frames of");
    println!("{RATE_BYTES} bytes to all listeners, with arming, checksums and poll word. The processor takes");
    println!(
        "{} instructions before each access while it talks and {} while it listens, one a clock.\n",
        instructions.talker, instructions.listener
    );
    let speeds = Speed::ALL.map(|speed| speed.with_instructions(instructions));
    rates(seed, &speeds)?;
    few_wires(seed, &speeds)?;
    latencies(seed, &speeds)?;
    tokens(seed, &speeds)?;
    serial::rates(seed, &speeds, RATE_BYTES)?;
    serial::tokens(seed, &speeds, RATE_BYTES)?;
    Ok(0)
}

/// Runs `work` on each of `cases`, as many at once as the machine has processors; results in order.
fn each<C: Sync, T: Send>(cases: &[C], work: impl Fn(&C) -> Result<T> + Sync) -> Result<Vec<T>> {
    workers::all(cases, workers::by_default(None), work)
}

fn rate(case: &Case) -> Result<f64> {
    let count = if case.stalls { STALLED_FRAMES } else { RATE_FRAMES };
    Ok(frames(case, RATE_BYTES, count)?.rate(RATE_BYTES) / 1e6)
}

/// The sixteen-bit bus: every board, pull, handshake and number of listeners.
fn rates(seed: u64, speeds: &[Speed; 3]) -> Result<()> {
    println!(
        "{:<14} {:<13} {:<8} {:<6} {:>44}   {:>8} {:<10}",
        "mode", "board", "pull", "stalls", "listeners: 1     2     3     4     5     6     7", "estimate", "verdict"
    );
    let mut worst = f64::INFINITY;
    for handshake in HANDSHAKES {
        for speed in *speeds {
            for pull in BusPull::ALL {
                for stalls in [false, true] {
                    let case =
                        |listeners| Case { width: Width::Sixteen, handshake, speed, pull, listeners, stalls, seed };
                    let cases: Vec<Case> = (1..=7).map(case).collect();
                    let rates = each(&cases, rate)?;
                    worst = rates.iter().copied().fold(worst, f64::min);
                    print_row(cases.last().context("seven cases")?, &rates);
                }
            }
        }
    }
    for handshake in HANDSHAKES {
        let (speed, pull, stalls) = (speeds[2], BusPull::Weakest, true);
        let case = |listeners| Case { width: Width::Sixteen, handshake, speed, pull, listeners, stalls, seed };
        let cases: Vec<Case> = (1..=7).map(case).collect();
        let rates = each(&cases, rate)?;
        worst = rates.iter().copied().fold(worst, f64::min);
        print_row(cases.last().context("seven cases")?, &rates);
    }
    println!("\nThe worst of these: {worst:.2} Mbit/s (goal: never below the paper's {PAPER_MBPS}).");
    println!("The last two rows: the weakest pulls that the data sheet of a Pi 4 allows.");
    println!("Estimate: the study's (rate of words, one board's pace); with stalls, its only one is for seven");
    println!("listeners at 1k. BusVerdict: seven listeners against the estimate, confirmed within 15 %.");
    println!("Paper: {PAPER_MBPS} Mbit/s. What an interlocked handshake can reach: about {INTERLOCKED_MBPS} Mbit/s.\n");
    Ok(())
}

fn print_row(case: &Case, rates: &[f64]) {
    let columns: String = rates.iter().map(|rate| format!("{rate:>6.2}")).collect();
    let estimate = estimate(case);
    let verdict = estimate.map(|estimate| BusVerdict::of(rates[rates.len() - 1], estimate));
    println!(
        "{:<14} {:<13} {:<8} {:<6} {:>44}   {:>8} {:<10}",
        mode(case.width, case.handshake),
        case.speed.name,
        case.pull,
        if case.stalls { "1 %" } else { "none" },
        columns,
        estimate.map_or(String::new(), |estimate| format!("{estimate:.1}")),
        verdict.map_or(String::new(), |verdict| verdict.to_string()),
    );
}

/// Four data wires, and one.
fn few_wires(seed: u64, speeds: &[Speed; 3]) -> Result<()> {
    println!("Few wires, pull 1k, no stalls; frames of 256 bytes:\n");
    println!(
        "{:<14} {:<13} {:>12} {:>12}   {:>8} {:<10}",
        "mode", "board", "1 listener", "7 listeners", "estimate", "verdict"
    );
    for width in [Width::Four, Width::One] {
        for handshake in HANDSHAKES {
            for speed in *speeds {
                let case =
                    |listeners| Case { width, handshake, speed, pull: BusPull::ALL[0], listeners, stalls: false, seed };
                let cases = [case(1), case(7)];
                let rates = each(&cases, |case| Ok(frames(case, 256, 1)?.rate(256) / 1e6))?;
                let estimate = estimate(&cases[1]);
                println!(
                    "{:<14} {:<13} {:>12.2} {:>12.2}   {:>8} {:<10}",
                    mode(width, handshake),
                    speed.name,
                    rates[0],
                    rates[1],
                    estimate.map_or(String::new(), |estimate| format!("{estimate:.1}")),
                    estimate.map_or(String::new(), |estimate| BusVerdict::of(rates[1], estimate).to_string()),
                );
            }
        }
    }
    println!();
    Ok(())
}

/// Short frames: from the call of the driver to the end of the poll word.
fn latencies(seed: u64, speeds: &[Speed; 3]) -> Result<()> {
    println!(
        "Latency of a frame of {LATENCY_BYTES} bytes, arming (10 us) and poll word included, us: min / mean / max\n"
    );
    println!("{:<14} {:<13} {:<8} {:<6} {:>21} {:>21}", "mode", "board", "pull", "stalls", "1 listener", "7 listeners");
    for handshake in HANDSHAKES {
        for speed in *speeds {
            for (pull, stalls) in [(BusPull::ALL[0], false), (BusPull::ALL[0], true), (BusPull::Internal, true)] {
                let case = |listeners| Case { width: Width::Sixteen, handshake, speed, pull, listeners, stalls, seed };
                let times =
                    each(&[case(1), case(7)], |case| Ok(frames(case, LATENCY_BYTES, LATENCY_FRAMES)?.frames_ns))?;
                let column = |ns: &[u64]| {
                    let us = |ns: u64| ns as f64 / 1e3;
                    let (least, most) = (ns.iter().min().copied(), ns.iter().max().copied());
                    let mean = ns.iter().sum::<u64>() / ns.len().max(1) as u64;
                    format!("{:.1} / {:.1} / {:.1}", us(least.unwrap_or(0)), us(mean), us(most.unwrap_or(0)))
                };
                println!(
                    "{:<14} {:<13} {:<8} {:<6} {:>21} {:>21}",
                    mode(Width::Sixteen, handshake),
                    speed.name,
                    pull,
                    if stalls { "1 %" } else { "none" },
                    column(&times[0]),
                    column(&times[1])
                );
            }
        }
    }
    println!();
    Ok(())
}

/// The token protocol on the same pins: all boards always have something for the next one.
fn tokens(seed: u64, speeds: &[Speed; 3]) -> Result<()> {
    println!("Passing the token: each board always has frames of {RATE_BYTES} bytes for the next one; pull 1k,");
    println!("{} ms of virtual time, stalls 1 %.\n", PASSING_NS / 1_000_000);
    println!("{:<14} {:<13} {:>6} {}", "mode", "board", "boards", passing::heads());
    for handshake in HANDSHAKES {
        for speed in [speeds[0], speeds[2]] {
            let case = |boards: u8| Case {
                width: Width::Sixteen,
                handshake,
                speed,
                pull: BusPull::ALL[0],
                listeners: boards - 1,
                stalls: true,
                seed,
            };
            let cases: Vec<Case> = [2, 3, 4, 8].map(case).to_vec();
            for (case, run) in cases.iter().zip(each(&cases, |case| passing(case, RATE_BYTES, PASSING_NS))?) {
                let (mode, speed) = (mode(case.width, case.handshake), case.speed.name);
                println!("{mode:<14} {speed:<13} {:>6} {}", case.listeners + 1, run.columns(RATE_BYTES));
            }
        }
    }
    Ok(())
}
