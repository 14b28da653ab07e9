//! How fast the emulator is: clusters all of whose boards compute, in instructions a second of the host.
//!
//! Invariant: none of these figures repeats: they are the host's, as busy as it is, so that its load stands beside
//! them. Not here:
//! virtual time, which does not depend on the host.

use super::measured::Fixture;
use anyhow::{Context, Result};
use renga_cli::ClusterArgs;
use renga_images::artifacts::KernelFlavour;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use std::fs;
use std::thread::available_parallelism;

/// Clusters, and the million instructions a second of each board that are aimed at on two idle cores.
const CLUSTERS: [(&str, f64); 2] = [("pair", 200.0), ("octet", 60.0)];
/// What each board does, a second of virtual time or more, beside which booting is little: an interpreter, whose jumps
/// the emulator has to resolve one by one, and a loop of instructions that follow each other.
const LOADS: [(&str, &str); 2] = [
    ("shell's loop", "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"),
    ("sha256sum", "head -c 100000000 /dev/zero | sha256sum"),
];
/// Ticks of a second in /proc, on all of Linux's machines.
const TICKS: f64 = 100.0;

/// Prints the table.
///
/// # Errors
/// If a run fails.
pub fn measure(environment: &Environment) -> Result<u8> {
    let machine = ClusterArgs::usual("");
    let fixture = Fixture::make(environment, &machine)?;
    let kernel = fixture.kernel(KernelFlavour::Plain)?;
    let cores = available_parallelism().map_or(1, usize::from);
    println!("Boards that all compute; million instructions a second of each. Host: {cores} cores\n");
    println!(
        "  load          boards  million each  host s  each a second   goal  processor s  a processor's second  load before, after"
    );
    let mut reached = true;
    for ((load_name, command), (name, goal)) in LOADS.iter().flat_map(|load| CLUSTERS.map(|cluster| (*load, cluster))) {
        let system = SystemFile::find(environment, name)?;
        let boards: Vec<&str> = system.checked.boards.iter().map(|board| board.name.as_str()).collect();
        let (load, before_s) = (load()?, processor_s()?);
        let run = fixture.run(&system, &kernel, &script(&boards, command), false)?;
        fixture.progress.step("");
        let (stats, processor_s) = (&run.outcome.stats, processor_s()? - before_s);
        let (million, count) = (stats.instructions as f64 / 1e6, boards.len() as f64);
        let speed = million / count / stats.host_s.max(1e-3);
        reached &= speed >= goal;
        println!(
            "  {load_name:<12}  {count:>6}  {:>12.0}  {:>6.1}  {speed:>13.0}  {goal:>5}  {processor_s:>11.1}  {:>20.0}  {load}, {}",
            million / count,
            stats.host_s,
            million / processor_s.max(1e-3),
            self::load()?
        );
    }
    fixture.progress.finish();
    println!("\n  goals {}", if reached { "reached" } else { "not reached under this load" });
    Ok(0)
}

/// The command on each board at once.
fn script(boards: &[&str], command: &str) -> String {
    let on = |board: &&str| format!("remote -b {board} sh -c '{command}' &\n");
    boards.iter().map(on).collect::<String>() + "wait\n"
}

/// The host's load of the last minute.
fn load() -> Result<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').next().unwrap_or("-").to_string())
}

/// What this program and those that it has awaited took of the processors, s.
fn processor_s() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // The name in parentheses may contain anything; behind it, from the third field on, are numbers.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: Option<f64> =
        fields.get(11..15).and_then(|fields| fields.iter().map(|field| field.parse::<f64>().ok()).sum());
    Ok(ticks.context("no times in /proc/self/stat")? / TICKS)
}
