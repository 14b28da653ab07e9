//! `renga bench diff`: what changed between two sets of results.

use crate::benches::RowResult;
use anyhow::Result;
use renga_bench::claims::{ClaimVerdict, JudgedClaim};
use renga_bench::findings::Findings;
use renga_cli::BenchDiff;
use std::collections::{BTreeMap, BTreeSet};

/// Prints what differs; 1 if anything does.
///
/// # Errors
/// If a result cannot be read.
pub fn diff(options: &BenchDiff) -> Result<u8> {
    let [old, new] = [&options.old, &options.new].map(|folder| RowResult::read_all(folder));
    let by_name = |results: Vec<RowResult>| -> BTreeMap<String, RowResult> {
        results.into_iter().map(|result| (result.file_name(), result)).collect()
    };
    let (old, new) = (by_name(old?), by_name(new?));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let lines: Vec<String> = names.iter().flat_map(|name| changes(name, old.get(*name), new.get(*name))).collect();
    lines.iter().for_each(|line| println!("{line}"));
    println!("{} results, {} changes", names.len(), lines.len());
    Ok(u8::from(!lines.is_empty()))
}

/// A line for each change.
fn changes(name: &str, old: Option<&RowResult>, new: Option<&RowResult>) -> Vec<String> {
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (&old.findings, &new.findings),
        (Some(_), None) => return vec![format!("{name}: only in the old set")],
        (None, _) => return vec![format!("{name}: only in the new set")],
    };
    let mut lines = Vec::new();
    let verdicts = |findings: &Findings| -> BTreeMap<String, ClaimVerdict> {
        let of = |judged: &JudgedClaim| (judged.claim.quantity.to_string(), judged.verdict);
        findings.claims.iter().map(of).collect()
    };
    let (old_verdicts, new_verdicts) = (verdicts(old), verdicts(new));
    for (what, verdict) in &new_verdicts {
        match old_verdicts.get(what) {
            Some(before) if before != verdict => lines.push(format!("{name}: {what}: {before} -> {verdict}")),
            _ => {}
        }
    }
    let figures: BTreeSet<&String> = old.figures.keys().chain(new.figures.keys()).collect();
    for figure in figures {
        let change = match (old.figures.get(figure), new.figures.get(figure)) {
            (old, new) if old == new => continue,
            (Some(old), Some(new)) => {
                format!("{old} -> {new} ({:+.2} %)", 100.0 * (*new as f64 - *old as f64) / (*old).max(1) as f64)
            }
            (Some(old), None) => format!("{old} -> not measured"),
            (None, new) => format!("not measured -> {}", new.copied().unwrap_or(0)),
        };
        lines.push(format!("{name}: {figure}: {change}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::benches::RowResult;
    use renga_bench::claims::{Claim, ClaimBound, Quantity, decide};
    use renga_bench::findings::Findings;
    use renga_bench::run::CostProfile;
    use std::collections::BTreeMap;

    fn result(figures: &[(&str, u64)]) -> RowResult {
        let mut findings = Findings::default();
        figures.iter().for_each(|(name, value)| findings.figure(*name, *value));
        RowResult {
            row: "P1.T1".to_string(),
            title: String::new(),
            profile: CostProfile::Pi3,
            machine: None,
            short: false,
            phases: 1,
            parameters: BTreeMap::new(),
            revision: None,
            runs: Vec::new(),
            findings,
        }
    }

    /// Holds: bench-counts.
    #[test]
    fn diff_changed_new_or_missing_figures_are_listed() {
        let (old, new) = (result(&[("a", 100), ("b", 5), ("c", 1)]), result(&[("a", 90), ("b", 5), ("d", 2)]));
        assert_eq!(
            changes("x", Some(&old), Some(&new)),
            ["x: a: 100 -> 90 (-10.00 %)", "x: c: 1 -> not measured", "x: d: not measured -> 2"]
        );
        assert!(changes("x", Some(&old), Some(&old.clone())).is_empty());
        assert_eq!(changes("x", None, Some(&new)), ["x: only in the new set"]);
    }

    /// Holds: bench-counts.
    #[test]
    fn compare_changed_verdict_is_listed() {
        let [old, new] = [1.0, 3.0].map(|figure| {
            let mut result = result(&[]);
            let claim = Claim::paper(Quantity::new("id", "costs", "%"), "2", ClaimBound::AtMost(2.0), "as published");
            result.findings.quantity("id", figure);
            result.findings.claims = decide(vec![claim], &result.findings.measured).unwrap();
            result
        });
        assert_eq!(changes("x", Some(&old), Some(&new)), ["x: costs, %: so -> not so"]);
    }
}
