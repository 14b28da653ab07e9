//! The figures of many runs.

use crate::outcome::{Failure, SimCounts, SimReport, SimScope};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

#[derive(Default, Serialize)]
struct LevelSum {
    seeds: u64,
    failures: u64,
    simulated_ns: u64,
    counts: SimCounts,
}

/// Sums by level.
#[derive(Default, Serialize)]
pub struct CampaignSummary(BTreeMap<SimScope, LevelSum>);

impl CampaignSummary {
    /// Adds a good run.
    pub fn add(&mut self, report: &SimReport) {
        let sum = self.0.entry(report.level).or_default();
        sum.seeds += 1;
        sum.simulated_ns += report.simulated_ns;
        sum.counts.add_all(&report.counts);
    }

    /// Adds a bad run.
    pub fn add_failure(&mut self, failure: &Failure) {
        let sum = self.0.entry(failure.level).or_default();
        sum.seeds += 1;
        sum.failures += 1;
    }

    /// All figures, and what they say of the speed of `jobs` workers that took `took`.
    pub fn table(&self, took: Duration, jobs: usize) -> String {
        let mut table = String::new();
        let mut row = |name: &str, values: Vec<String>| {
            let _ = write!(table, "{name:<28}");
            for value in values {
                let _ = write!(table, "{value:>16}");
            }
            table.push('\n');
        };
        let sums: Vec<&LevelSum> = self.0.values().collect();
        let each = |figure: &dyn Fn(&LevelSum) -> String| sums.iter().map(|sum| figure(sum)).collect::<Vec<_>>();
        row("level", self.0.keys().map(|level| level.name().to_string()).collect());
        row("seeds", each(&|sum| sum.seeds.to_string()));
        row("failures", each(&|sum| sum.failures.to_string()));
        row("simulated s", each(&|sum| format!("{:.1}", sum.simulated_ns as f64 / 1e9)));
        let names: std::collections::BTreeSet<&String> = sums.iter().flat_map(|sum| sum.counts.0.keys()).collect();
        for name in names {
            row(name, each(&|sum| sum.counts.get(name).to_string()));
        }
        let seeds: u64 = sums.iter().map(|sum| sum.seeds).sum();
        let simulated_s = sums.iter().map(|sum| sum.simulated_ns).sum::<u64>() as f64 / 1e9;
        let took_s = took.as_secs_f64().max(1e-9);
        let _ = write!(
            table,
            "{seeds} seeds in {took_s:.1} s with {jobs} workers: {:.1} seeds a second, {:.1} simulated seconds a second",
            seeds as f64 / took_s,
            simulated_s / took_s,
        );
        table
    }
}
