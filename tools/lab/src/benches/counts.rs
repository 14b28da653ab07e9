//! Exact counts of the rows' short forms, which may not grow, and all figures of some cheap rows, which may not
//! change: `bench/counts.json`.
//!
//! Counts are what a change of the code changes, not what a machine does: so a test holds them. Of the rows that are
//! exact to the digit times count, too. RENGA_BLESS=1 writes what was counted.

use super::result::RowResult;
use anyhow::{Context, Result};
use renga_bench::rows::EXACT;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A count may grow by so many of a hundred, or by one.
const MARGIN_PERCENT: u64 = 5;

/// By row and profile: counts by name.
type CountsByRow = BTreeMap<String, BTreeMap<String, u64>>;

fn file(environment: &Environment) -> PathBuf {
    environment.root.join("bench/counts.json")
}

fn is_exact(row: &str) -> bool {
    EXACT.iter().any(|exact| row.split(' ').next() == Some(exact))
}

fn counted(result: &RowResult) -> (String, BTreeMap<String, u64>) {
    // Elsewhere times say nothing that counts do not, and change with every instruction.
    let with_times = is_exact(&result.row);
    let counts = result.findings.figures.iter().filter(|(name, _)| with_times || !name.ends_with(" ns"));
    let row = format!("{} {}", result.row, result.machine());
    (row, counts.map(|(name, count)| (name.clone(), *count)).collect())
}

/// What has grown by more than the margin, and what has changed at all where every digit counts, a line each.
///
/// # Errors
/// If the file cannot be read, or written.
pub fn evaluate(environment: &Environment, results: &[RowResult]) -> Result<Vec<String>> {
    let path = file(environment);
    let mut allowed = read(&path)?;
    if std::env::var_os("RENGA_BLESS").is_some() {
        allowed.extend(results.iter().map(counted).filter(|(_, counts)| !counts.is_empty()));
        let text = serde_json::to_string_pretty(&allowed)? + "\n";
        output::replace(&path, text.as_bytes())?;
    }
    Ok(results.iter().map(counted).flat_map(|(row, counts)| differing(&allowed, &row, &counts)).collect())
}

/// The counts that are allowed; a release has no file of them, and one that cannot be read allows nothing.
pub(super) fn read(path: &Path) -> Result<CountsByRow> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(CountsByRow::new()),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    serde_json::from_str(&text).with_context(|| format!("{} holds no counts", path.display()))
}

fn differing(allowed: &CountsByRow, row: &str, counts: &BTreeMap<String, u64>) -> Vec<String> {
    let Some(allowed) = allowed.get(row) else { return Vec::new() };
    if is_exact(row) { changed(allowed, row, counts) } else { grown(allowed, row, counts) }
}

fn changed(kept: &BTreeMap<String, u64>, row: &str, counts: &BTreeMap<String, u64>) -> Vec<String> {
    let figure = |found: Option<&u64>| found.map_or("nothing".to_string(), u64::to_string);
    let names: BTreeSet<&String> = kept.keys().chain(counts.keys()).collect();
    let both = names.into_iter().map(|name| (name, kept.get(name), counts.get(name)));
    let line = |(name, old, new)| format!("CHANGED {row}: {name}: {} -> {}", figure(old), figure(new));
    both.filter(|(_, old, new)| old != new).map(line).collect()
}

fn grown(allowed: &BTreeMap<String, u64>, row: &str, counts: &BTreeMap<String, u64>) -> Vec<String> {
    let line = |(name, allowed): (&String, &u64)| match counts.get(name) {
        None => Some(format!("GROWN {row}: `{name}` is counted no more")),
        Some(count) if *count > allowed + (allowed * MARGIN_PERCENT / 100).max(1) => {
            Some(format!("GROWN {row}: {name}: {allowed} -> {count}"))
        }
        Some(_) => None,
    };
    allowed.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{CountsByRow, EXACT, differing};
    use std::collections::BTreeMap;

    fn map(counts: &[(&str, u64)]) -> BTreeMap<String, u64> {
        counts.iter().map(|(name, count)| ((*name).to_string(), *count)).collect()
    }

    /// Holds: bench-counts.
    #[test]
    fn counts_of_exact_row_may_not_change_by_one() {
        for row in EXACT {
            let name = format!("{row} pi3");
            let kept = CountsByRow::from([(name.clone(), map(&[("calls", 100), ("all ns", 1_000_000)]))]);
            let changed = |counts: &[(&str, u64)]| differing(&kept, &name, &map(counts));
            assert!(changed(&[("calls", 100), ("all ns", 1_000_000)]).is_empty());
            assert_eq!(
                changed(&[("calls", 100), ("all ns", 999_999)]),
                [format!("CHANGED {name}: all ns: 1000000 -> 999999")]
            );
            assert_eq!(changed(&[("calls", 99), ("all ns", 1_000_000)]).len(), 1, "fewer is a change");
            assert_eq!(changed(&[("calls", 100), ("all ns", 1_000_000), ("new", 1)]).len(), 1);
            assert_eq!(changed(&[("calls", 100)]), [format!("CHANGED {name}: all ns: 1000000 -> nothing")]);
        }
    }

    /// Holds: bench-counts.
    #[test]
    fn counts_growth_above_margin_is_reported() {
        let allowed = CountsByRow::from([("P1.T1 pi3".to_string(), map(&[("calls", 100), ("few", 2)]))]);
        let grown_rows = |counts: &[(&str, u64)]| differing(&allowed, "P1.T1 pi3", &map(counts)).len();
        assert_eq!(grown_rows(&[("calls", 105), ("few", 3)]), 0);
        assert_eq!(grown_rows(&[("calls", 106), ("few", 3)]), 1);
        assert_eq!(grown_rows(&[("calls", 1), ("few", 4)]), 1);
        assert_eq!(grown_rows(&[("calls", 1)]), 1, "a count that is missing is reported, too");
        assert!(differing(&allowed, "P1.F2 pi3", &map(&[("calls", 106)])).is_empty());
    }
}
