//! The report's table: a section for each group, a row for each script, in the order of their names.
//!
//! Invariant: a row that no run has made stays as it is, and the text around the rows is not changed.

use super::run::PackageRow;
use crate::support::root;
use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, PoisonError};

const REPORT: &str = "docs/results/packages/report.md";
/// Groups run at once, in one program.
static REPORT_IN_USE: Mutex<()> = Mutex::new(());

/// Writes the rows into the report if that is wished.
pub(super) fn bless(group: &str, rows: &[PackageRow]) {
    let _one = REPORT_IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    if std::env::var_os("RENGA_BLESS").is_some() {
        let path = root().join(REPORT);
        let report = fs::read_to_string(&path).expect("the report is there");
        let lines: Vec<String> = rows.iter().map(PackageRow::line).collect();
        fs::write(&path, with_rows(&report, group, &lines)).expect("the report can be written");
    }
}

/// Fails unless the report's rows of the group are these, and each difference has a reason. A script without a row is
/// only listed.
pub(super) fn expect(group: &str, rows: &[PackageRow]) {
    let _one = REPORT_IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    let report = fs::read_to_string(root().join(REPORT)).expect("the report is there");
    let reported: BTreeSet<String> = rows_of(&report, group).iter().map(|row| without_version(row)).collect();
    let (rows, unreported): (Vec<_>, Vec<_>) = rows.iter().partition(|row| is_reported(&report, group, &row.line()));
    unreported.iter().for_each(|row| println!("not reported yet: {}\n{}", row.line(), row.differences));
    let mut faults: Vec<String> = rows.iter().filter_map(|row| row.fault()).collect();
    let missing = rows.iter().filter(|row| !reported.contains(&without_version(&row.line())));
    faults.extend(missing.map(|row| format!("{REPORT} lacks {} (RENGA_BLESS=1)\n{}", row.line(), row.differences)));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A row without the package's version, which a mirror may have raised.
fn without_version(row: &str) -> String {
    let cells = row.split(" | ").enumerate().filter(|(number, _)| *number != 1);
    cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(" | ")
}

fn heading(group: &str) -> String {
    format!("## {}{}", group[..1].to_uppercase(), &group[1..])
}

/// The rows in the section of a group.
fn rows_of<'a>(report: &'a str, group: &str) -> Vec<&'a str> {
    let heading = heading(group);
    let section = report.lines().skip_while(|line| *line != heading).skip(1);
    section.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `")).collect()
}

/// Whether the report has any row of this row's script.
fn is_reported(report: &str, group: &str, row: &str) -> bool {
    rows_of(report, group).iter().any(|reported| name(reported) == name(row))
}

/// The name of a row's script.
fn name(row: &str) -> &str {
    row.split('`').nth(1).unwrap_or_default()
}

/// The report with these rows instead of those of the same names.
fn with_rows(report: &str, group: &str, lines: &[String]) -> String {
    let names: BTreeSet<&str> = lines.iter().map(|line| name(line)).collect();
    let kept = rows_of(report, group).into_iter().filter(|row| !names.contains(name(row)));
    let mut rows: Vec<&str> = kept.chain(lines.iter().map(String::as_str)).collect();
    rows.sort_by_key(|row| name(row));
    let heading = heading(group);
    let (mut text, mut is_in_section) = (String::new(), false);
    for line in report.lines() {
        is_in_section = line == heading || is_in_section && !line.starts_with("## ");
        if is_in_section && line.starts_with("| `") {
            continue;
        }
        text += &format!("{line}\n");
        if is_in_section && line.starts_with("|---") {
            rows.iter().for_each(|row| text += &format!("{row}\n"));
        }
    }
    text
}

#[test]
fn package_table_takes_rows_of_its_group() {
    let report = "# P\n\n## One\n\n| x |\n|---|\n| `b` | 1 |\n| `c` | 1 |\n\n## Two\n\n|---|\n| `b` | 3 |\n";
    let changed = with_rows(report, "one", &["| `c` | 2 |".into(), "| `a` | 2 |".into()]);
    let expected =
        "# P\n\n## One\n\n| x |\n|---|\n| `a` | 2 |\n| `b` | 1 |\n| `c` | 2 |\n\n## Two\n\n|---|\n| `b` | 3 |\n";
    assert_eq!(changed, expected);
    assert_eq!(rows_of(&changed, "two"), ["| `b` | 3 |"]);
    assert!(is_reported(&changed, "one", "| `c` | 9 |") && !is_reported(&changed, "two", "| `c` | 9 |"));
    assert_eq!(without_version("| `a` | 1 | w | done |"), "| `a` | w | done |");
}
