//! Real workloads from the diskless board with synchronous and with asynchronous calls.

use super::measured::{Fixture, MeasuredRun};
use anyhow::{Context, Result, bail};
use renga_cli::ClusterArgs;
use renga_images::artifacts::KernelFlavour;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use std::fs;

/// The workloads: name, and what board b runs.
const WORKLOADS: [(&str, &str); 3] = [
    ("tar", "mkdir -p /tmp/x && tar xf /tmp/files.tar -C /tmp/x && rm -r /tmp/x"),
    ("sort", "sort /tmp/lines > /tmp/sorted && rm /tmp/sorted"),
    (
        "compile",
        "mkdir -p /tmp/o && for i in 1 2 3 4 5 6 7 8; do sed s/line/$i/ /tmp/short > /tmp/o/$i.i; \
         tr a-z A-Z < /tmp/o/$i.i > /tmp/o/$i.s; cksum /tmp/o/$i.s > /tmp/o/$i.o; rm /tmp/o/$i.i; done; \
         cat /tmp/o/*.o > /tmp/o/all; rm -r /tmp/o",
    ),
];

/// What the workloads work on.
const PREPARE: &str = "cd /tmp; mkdir t; for i in $(seq 40); do seq $i 600 > t/$i; done; tar cf files.tar t; rm -r t
for i in $(seq 12000); do echo \"line $((i * 7919 % 12007)) of many\"; done > lines; head -n 300 lines > short
sync
";

/// Positions of counters in what `measure` prints.
mod counter {
    pub const SYNC: usize = 0;
    pub const ASYNC: usize = 1;
    pub const COULD_BE_ASYNC: usize = 2;
    pub const FALLBACKS: usize = 3;
    pub const WAITS_AVOIDED_NS: usize = 4;
    pub const POOL_HIGH_WATER: usize = 5;
}

struct SyncAsyncRow {
    label: String,
    ns: u64,
    /// During the workload.
    counters: Vec<u64>,
    /// Since boot.
    totals: Vec<u64>,
}

/// Prints the comparison.
///
/// # Errors
/// If a run fails or a workload does.
pub fn measure(environment: &Environment, machine: &ClusterArgs) -> Result<u8> {
    let fixture = Fixture::make(environment, machine)?;
    let mut results = Vec::new();
    for mode in ["sync", "async"] {
        let system = with_mode(environment, machine, &fixture, mode)?;
        let kernel = fixture.kernel(KernelFlavour::Plain)?;
        let run = fixture.run(&system, &kernel, &script(), false)?;
        results.push(rows(&run)?);
    }
    fixture.progress.finish();
    print(&results[0], &results[1]);
    Ok(0)
}

fn script() -> String {
    let mut script = PREPARE.to_string();
    for (label, command) in WORKLOADS {
        script += &format!("remote -b b /usr/lib/renga/measure {label} sh -c '{command}' || exit 1\n");
    }
    script
}

/// The system with another mode, as a file of this measurement's own.
fn with_mode(
    environment: &Environment,
    machine: &ClusterArgs,
    fixture: &Fixture<'_>,
    mode: &str,
) -> Result<SystemFile> {
    let system = SystemFile::find(environment, &machine.system)?;
    let text = fs::read_to_string(&system.path)?;
    let changed: Vec<String> = text
        .lines()
        .map(|line| if line.trim_start().starts_with("mode") { format!("mode = \"{mode}\"") } else { line.to_string() })
        .collect();
    let path = fixture.scratch().join(format!("{}-{mode}.toml", system.name()));
    fs::write(&path, changed.join("\n") + "\n")?;
    SystemFile::find(environment, &path.to_string_lossy())
}

fn rows(run: &MeasuredRun) -> Result<Vec<SyncAsyncRow>> {
    if run.outcome.status != 0 {
        bail!("a workload failed with status {}:\n{}", run.outcome.status, run.text);
    }
    let row = |(label, _): &(&str, &str)| {
        let start = format!("measured {label} status 0 ns ");
        let line = run.text.lines().find_map(|line| line.trim_end().strip_prefix(&start));
        let line = line.with_context(|| format!("no measurement of `{label}`; the run said:\n{}", run.text))?;
        let (ns, counters) = line.split_once(" counters").context("a measurement without counters")?;
        let (counters, totals) = counters.split_once(" totals").context("a measurement without totals")?;
        let numbers = |text: &str| text.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>();
        let (counters, totals) = (numbers(counters)?, numbers(totals)?);
        Ok(SyncAsyncRow { label: (*label).to_string(), ns: ns.parse()?, counters, totals })
    };
    WORKLOADS.iter().map(row).collect()
}

fn print(sync: &[SyncAsyncRow], asynchronous: &[SyncAsyncRow]) {
    println!("Workloads on board b, disk on board a; virtual time.\n");
    println!(
        "{:<8} {:>11} {:>11} {:>8} {:>8} {:>9} {:>9} {:>9} {:>12} {:>6}",
        "", "sync ms", "async ms", "change", "calls", "could be", "released", "fallback", "avoided ms", "pool"
    );
    for (sync, asynchronous) in sync.iter().zip(asynchronous) {
        let count = |row: &SyncAsyncRow, which: usize| row.counters.get(which).copied().unwrap_or(0);
        let calls = count(sync, counter::SYNC) + count(sync, counter::ASYNC);
        let could_be = 100.0 * count(sync, counter::COULD_BE_ASYNC) as f64 / calls.max(1) as f64;
        let change = 100.0 * (asynchronous.ns as f64 - sync.ns as f64) / sync.ns as f64;
        println!(
            "{:<8} {:>11.3} {:>11.3} {:>7.1}% {:>8} {:>8.1}% {:>9} {:>9} {:>12.3} {:>6}",
            sync.label,
            sync.ns as f64 / 1e6,
            asynchronous.ns as f64 / 1e6,
            change,
            calls,
            could_be,
            count(asynchronous, counter::ASYNC),
            count(asynchronous, counter::FALLBACKS),
            count(asynchronous, counter::WAITS_AVOIDED_NS) as f64 / 1e6,
            asynchronous.totals.get(counter::POOL_HIGH_WATER).copied().unwrap_or(0),
        );
    }
    println!("\ncalls: to other boards. could be: the share whose protocol returns no result. released: callers let");
    println!("go early. fallback: made synchronous because the pool was empty. avoided: time from release to the end");
    println!("of the call. pool: most copies in use at once since boot.");
}
