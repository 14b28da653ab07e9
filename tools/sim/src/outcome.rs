//! What a run says of itself: figures if it was good, everything that helps to see why if not.
//!
//! Invariant: nothing that differs between two runs of a seed is in a report.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// How much of the system a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SimScope {
    /// Calls of random clients to random servers over routers and the link.
    Link,
    /// Every process of a placement file, a disk and user programs.
    System,
}

impl SimScope {
    /// Of ten seeds, this many are of the whole system when both are wanted.
    const SYSTEMS_OF_TEN: u64 = 1;

    /// That of `seed` when both are wanted.
    pub fn of(seed: u64) -> SimScope {
        if seed % 10 < SimScope::SYSTEMS_OF_TEN { SimScope::System } else { SimScope::Link }
    }
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            SimScope::Link => "link",
            SimScope::System => "system",
        }
    }
}

impl FromStr for SimScope {
    type Err = String;

    fn from_str(text: &str) -> Result<SimScope, String> {
        let levels = [SimScope::Link, SimScope::System];
        levels.into_iter().find(|level| level.name() == text).ok_or(format!("there is no level `{text}`"))
    }
}

/// Figures by name; those of many runs add up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimCounts(pub BTreeMap<String, u64>);

impl SimCounts {
    /// Adds to a figure.
    pub fn add(&mut self, name: &str, amount: u64) {
        if amount > 0 {
            *self.0.entry(name.into()).or_default() += amount;
        }
    }
    /// Adds all figures of another run.
    pub fn add_all(&mut self, other: &SimCounts) {
        other.0.iter().for_each(|(name, amount)| self.add(name, *amount));
    }
    /// A figure.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }
}

/// A good run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimReport {
    /// Its seed.
    pub seed: u64,
    /// Its level.
    pub level: SimScope,
    /// Every event of it, with times, in one number.
    pub trace_hash: u64,
    /// Simulated time, ns.
    pub simulated_ns: u64,
    /// What happened how often.
    pub counts: SimCounts,
}

/// A bad run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// Its seed: with the same settings it fails again.
    pub seed: u64,
    /// Its level.
    pub level: SimScope,
    /// What went wrong.
    pub what: String,
    /// The planned faults.
    pub plan: String,
    /// What the boards logged last.
    pub log: Vec<String>,
    /// Their latest events, by board.
    pub events: Vec<Vec<String>>,
    /// The graph of waits.
    pub waits: Vec<String>,
}

impl Failure {
    /// One of which only this is known.
    pub fn bare(seed: u64, level: SimScope, what: String) -> Failure {
        let (plan, log, events, waits) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        Failure { seed, level, what, plan, log, events, waits }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {} ({}): {}", self.seed, self.level.name(), self.what)?;
        if !self.plan.is_empty() {
            writeln!(f, "{}", self.plan)?;
        }
        for (board, events) in self.events.iter().enumerate() {
            writeln!(f, "latest events of board {}:", (b'a' + board as u8) as char)?;
            events.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        if !self.log.is_empty() {
            writeln!(f, "log:")?;
            self.log.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        writeln!(f, "who waits for whom:")?;
        self.waits.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}
