//! Exact counts of the rows' short forms, which may not grow: `bench/counts.json`.
//!
//! Counts are what a change of the code changes, not what a machine does: so a test holds them. RENGA_BLESS=1 writes
//! what was counted.

use super::result::RowResult;
use anyhow::{Context, Result};
use renga_workspace::environment::Environment;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// A count may grow by so many of a hundred, or by one.
const MARGIN_PERCENT: u64 = 5;

/// By row and profile: counts by name.
type Counts = BTreeMap<String, BTreeMap<String, u64>>;

fn file(environment: &Environment) -> PathBuf {
    environment.root.join("bench/counts.json")
}

fn counted(result: &RowResult) -> (String, BTreeMap<String, u64>) {
    // Times say nothing that counts do not, and change with every instruction.
    let counts = result.findings.figures.iter().filter(|(name, _)| !name.ends_with(" ns"));
    let row = format!("{} {}", result.row, result.machine());
    (row, counts.map(|(name, count)| (name.clone(), *count)).collect())
}

/// What has grown by more than the margin, a line each.
///
/// # Errors
/// If the file cannot be read, or written.
pub fn evaluate(environment: &Environment, results: &[RowResult]) -> Result<Vec<String>> {
    let path = file(environment);
    let text = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_string());
    let mut allowed: Counts = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    if std::env::var_os("RENGA_BLESS").is_some() {
        allowed.extend(results.iter().map(counted).filter(|(_, counts)| !counts.is_empty()));
        let text = serde_json::to_string_pretty(&allowed)? + "\n";
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(results.iter().map(counted).flat_map(|(row, counts)| grown(&allowed, &row, &counts)).collect())
}

fn grown(allowed: &Counts, row: &str, counts: &BTreeMap<String, u64>) -> Vec<String> {
    let Some(allowed) = allowed.get(row) else { return Vec::new() };
    let line = |(name, allowed): (&String, &u64)| match counts.get(name) {
        None => Some(format!("{row}: `{name}` is counted no more")),
        Some(count) if *count > allowed + (allowed * MARGIN_PERCENT / 100).max(1) => {
            Some(format!("{row}: {name}: {allowed} -> {count}"))
        }
        Some(_) => None,
    };
    allowed.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{Counts, grown};
    use std::collections::BTreeMap;

    /// Holds: bench-counts.
    #[test]
    fn counts_growth_above_margin_is_reported() {
        let map = |counts: &[(&str, u64)]| -> BTreeMap<String, u64> {
            counts.iter().map(|(name, count)| ((*name).to_string(), *count)).collect()
        };
        let allowed = Counts::from([("P1.T2 pi3".to_string(), map(&[("calls", 100), ("few", 2)]))]);
        let grown_rows = |counts: &[(&str, u64)]| grown(&allowed, "P1.T2 pi3", &map(counts)).len();
        assert_eq!(grown_rows(&[("calls", 105), ("few", 3)]), 0);
        assert_eq!(grown_rows(&[("calls", 106), ("few", 3)]), 1);
        assert_eq!(grown_rows(&[("calls", 1), ("few", 4)]), 1);
        assert_eq!(grown_rows(&[("calls", 1)]), 1, "a count that is missing is reported, too");
        assert!(grown(&allowed, "P1.T1 pi3", &map(&[("calls", 106)])).is_empty());
    }
}
