//! Whether a run was good, and what is told of it.
//!
//! Invariant: nothing that differs between two runs of a seed is in the hash.

use super::start::ORPHANS_NS;
use crate::system::image::{self, Tree};
use crate::system::{Leftovers, System};
use renga_phy::loopback::BusCount;
use renga_router::Stats;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

/// What the files must be: the model of the file system.
pub type Files = Rc<RefCell<Tree>>;

/// How long after the stop the boards are looked at: by then replies and acknowledgements have come.
const AFTERWARDS_NS: u64 = 2_000_000_000;

/// A good run.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// Every event of it, with times, in one number.
    pub trace_hash: u64,
    /// How many events.
    pub events: u64,
    /// Simulated time, ns, without the last sleep.
    pub simulated_ns: u64,
    /// What it took here to run, without making and judging the medium.
    pub took: Duration,
    /// What crossed the link.
    pub bus: BusCount,
    /// Frames that had to be sent again.
    pub retransmissions: u64,
    /// Calls between boards whose callers waited, and whose callers did not.
    pub calls: (u64, u64),
}

impl Report {
    pub(super) fn new(seed: u64, system: &System, simulated_ns: u64, took: Duration) -> Report {
        let sum =
            |counter: fn(&Stats) -> &Cell<u64>| system.link_stats().iter().map(|stats| counter(stats).get()).sum();
        Report {
            seed,
            trace_hash: system.cluster.trace().hash(),
            events: system.cluster.trace().events(),
            simulated_ns: simulated_ns.saturating_sub(ORPHANS_NS),
            took,
            bus: system.cluster.bus().count(),
            retransmissions: sum(|stats| &stats.retransmissions),
            calls: (sum(|stats| &stats.calls_sync), sum(|stats| &stats.calls_async)),
        }
    }
}

/// A bad run.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its seed: with the same settings it fails again.
    pub seed: u64,
    /// What went wrong.
    pub what: String,
    /// What the boards logged.
    pub log: Vec<String>,
    /// Their latest events, by board.
    pub events: Vec<Vec<String>>,
}

impl Failure {
    pub(super) fn new(seed: u64, what: String, system: &System) -> Failure {
        Failure { seed, what, log: System::log(), events: system.events() }
    }
    /// Before anything was booted.
    pub(super) fn early(seed: u64, what: String) -> Failure {
        Failure { seed, what, log: Vec::new(), events: Vec::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {}", self.seed, self.what)?;
        self.log.iter().try_for_each(|line| writeln!(f, "  log: {line}"))
    }
}

/// What a panic says.
pub fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").into()
}

/// Judges a system that ended with status `stopped`, if it did.
pub fn judge(system: &mut System, stopped: Option<u8>, files: &Files) -> Result<(), String> {
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
        let bad = (stats.refused.get(), stats.deaths.get(), stats.async_lost.get(), stats.async_failed.get());
        if bad != (0, 0, 0, 0) {
            return Err(format!("calls refused, boards dead, calls lost, calls failed: {bad:?}"));
        }
    }
    let found = image::check(&system.disk.bytes()).map_err(|error| error.to_string())?;
    compare(&found, &files.borrow())
}

/// Compares the workers' files on the medium with the model.
fn compare(found: &Tree, model: &Tree) -> Result<(), String> {
    let of_workers = found.keys().filter(|name| name.starts_with("/w"));
    let names: BTreeSet<&String> = of_workers.chain(model.keys()).collect();
    for name in names {
        let (found, model) = (found.get(name), model.get(name));
        if found != model {
            let bytes = |content: Option<&Vec<u8>>| content.map(Vec::len);
            return Err(format!("{name} on the medium: {:?} bytes; in the model: {:?}", bytes(found), bytes(model)));
        }
    }
    Ok(())
}
