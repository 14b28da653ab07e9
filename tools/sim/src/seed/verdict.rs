//! Whether a run was good, and its report.
//!
//! Invariant: nothing that differs between two runs of a seed is in the hash.

use super::checker::MediumChecker;
use super::known::KnownFiles;
use super::start::ORPHANS_NS;
use crate::calls::add_stats;
use crate::outcome::{SimCounts, SimReport, SimScope};
use crate::system::image::FileContents;
use crate::system::{Leftovers, SimSystem};
use std::collections::BTreeSet;

/// How long after the stop the boards are checked: by then replies and acknowledgements have come.
const AFTERWARDS_NS: u64 = 2_000_000_000;

/// The figures of a good run that took `simulated_ns`.
pub fn report(seed: u64, system: &SimSystem, simulated_ns: u64, mut counts: SimCounts) -> SimReport {
    for stats in system.link_stats().iter().chain(system.former_stats()) {
        add_stats(&mut counts, stats);
        counts.add("calls", stats.calls_sync.get());
    }
    counts.add("events", system.cluster.trace().events());
    let simulated_ns = simulated_ns.saturating_sub(ORPHANS_NS);
    SimReport { seed, level: SimScope::System, trace_hash: system.cluster.trace().hash(), simulated_ns, counts }
}

/// Checks a system that ended with status `stopped`, if it did.
pub fn verdict(
    system: &mut SimSystem,
    stopped: Option<u8>,
    files: &KnownFiles,
    checker: &MediumChecker,
) -> Result<(), String> {
    match stopped {
        None => return Err(format!("not at its end: {:?}", system.leftovers())),
        Some(0) => {}
        Some(status) => return Err(format!("init ended with status {status}")),
    }
    system.cluster.run_until(system.cluster.now_ns() + AFTERWARDS_NS);
    let leftovers = system.leftovers();
    if !leftovers.iter().all(Leftovers::none) {
        return Err(format!("left behind: {leftovers:?}"));
    }
    for stats in system.link_stats() {
        if files.is_faulty() && stats.refused.get() == 0 {
            continue;
        }
        let bad = (stats.refused.get(), stats.deaths.get(), stats.async_lost.get(), stats.async_failed.get());
        if bad != (0, 0, 0, 0) {
            return Err(format!("calls refused, boards dead, calls lost, calls failed: {bad:?}"));
        }
    }
    let Some(found) = checker.files(&system.disk.content(), files.is_damaged())? else { return Ok(()) };
    keeps(&found, files)?;
    if files.is_uncertain() { Ok(()) } else { compare(&found, files) }
}

/// Whether all is there that was promised.
pub fn keeps(found: &FileContents, known: &KnownFiles) -> Result<(), String> {
    for (name, content) in known.promised() {
        if found.get(&name) != Some(&content) {
            let bytes = found.get(&name).map(Vec::len);
            return Err(format!("{name} was synced with {} bytes; now it has {bytes:?}, or others", content.len()));
        }
    }
    Ok(())
}

/// Compares the workers' files on the medium with the model.
fn compare(found: &FileContents, known: &KnownFiles) -> Result<(), String> {
    let of_workers = found.keys().filter(|name| name.starts_with("/w"));
    let model = known.tree();
    let names: BTreeSet<&String> = of_workers.chain(model.keys()).collect();
    for name in names.into_iter().filter(|name| known.knows(name)) {
        let (found, model) = (found.get(name), model.get(name));
        if found != model {
            let bytes = |content: Option<&Vec<u8>>| content.map(Vec::len);
            return Err(format!("{name} on the medium: {:?} bytes; in the model: {:?}", bytes(found), bytes(model)));
        }
    }
    Ok(())
}
