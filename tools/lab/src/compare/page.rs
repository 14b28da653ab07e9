//! The results of a comparison for people: a table on the terminal, a page as Markdown and as HTML.
//!
//! Invariant: all three have the same cells. Not here: the plot (`chart`).

use super::findings::{ComparedCase, Comparison, OffsetSpread, PhaseFigures};
use crate::benches::{STYLE, escaped};
use std::fmt::Write;

const NS_PER_MS: f64 = 1e6;
const BYTES_PER_KIB: f64 = 1024.0;

/// Rows of cells, the first of them the head.
fn cells(comparison: &Comparison) -> Vec<Vec<String>> {
    let (keys, phases) = (&comparison.varied, comparison.phase_names());
    let mut head: Vec<String> = keys.iter().map(|varied| varied.key.clone()).collect();
    head.push("total, ms".to_string());
    // One phase is the total.
    let phases = if phases.len() > 1 { phases } else { Vec::new() };
    head.extend(phases.iter().map(|phase| format!("{phase}, ms")));
    head.extend(["calls across", "could release", "released", "frames", "KiB", "link busy, %"].map(String::from));
    let row = |case: &ComparedCase| {
        let values = keys.iter().map(|varied| case.settings.get(&varied.key).cloned().unwrap_or_default());
        let mut row: Vec<String> = values.collect();
        row.push(spread(case.total.ns, NS_PER_MS, 3));
        row.extend(
            phases
                .iter()
                .map(|phase| case.phase(phase).map_or("-".to_string(), |phase| spread(phase.ns, NS_PER_MS, 3))),
        );
        let PhaseFigures { calls, releasable, released, frames, bytes, .. } = case.total;
        row.extend([calls, releasable, released, frames].map(|count| spread(count, 1.0, 0)));
        row.push(spread(bytes, BYTES_PER_KIB, 0));
        row.push(format!("{:.1}", case.total.busy_percent()));
        row
    };
    [head].into_iter().chain(comparison.cases.iter().map(row)).collect()
}

/// The median, and the range if there is one.
fn spread(OffsetSpread { median, least, most }: OffsetSpread, unit: f64, digits: usize) -> String {
    let [middle, low, high] = [median, least, most].map(|value| format!("{:.digits$}", value as f64 / unit));
    if low == high { middle } else { format!("{middle} ({low} to {high})") }
}

/// What did not vary.
fn facts(comparison: &Comparison) -> String {
    let facts: Vec<String> = comparison.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let count = comparison.offsets_us.len();
    let offsets = match count {
        1 => "the load starts at once".to_string(),
        _ => format!("median (least to most) of {count} starts, up to 5 s after the boards'"),
    };
    format!("{}; {offsets}.", facts.join(", "))
}

/// The table, for a terminal.
pub(super) fn text(comparison: &Comparison) -> String {
    let rows = cells(comparison);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = format!("{}\n\n", facts(comparison));
    for row in &rows {
        let line: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        text += &(line.join("  ") + "\n");
    }
    comparison.reasons.iter().fold(text, |text, reason| text + "\n" + reason + "\n")
}

/// The page as Markdown; the plot is beside it.
pub(super) fn markdown(comparison: &Comparison) -> String {
    let rows = cells(comparison);
    let mut text = format!("# Comparison\n\n{}\n\n", facts(comparison));
    for (at, row) in rows.iter().enumerate() {
        let _ = writeln!(text, "| {} |", row.join(" | ")); // a String takes everything
        if at == 0 {
            text += &format!("|{}\n", "---|".repeat(row.len()));
        }
    }
    text += "\n![Time](compare.svg)\n";
    comparison.reasons.iter().fold(text, |text, reason| text + "\n" + reason + "\n")
}

/// The page as HTML, whole in one file.
pub(super) fn html(comparison: &Comparison, svg: &str) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Comparison</title><style>{STYLE}</style></head>\
         <body>\n<h1>Comparison</h1>\n<p>{}</p>\n<div class=\"wide\"><table>\n",
        escaped(&facts(comparison))
    );
    for (at, row) in cells(comparison).iter().enumerate() {
        let tag = if at == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        let _ = writeln!(text, "<tr>{cells}</tr>"); // a String takes everything
    }
    let _ = writeln!(text, "</table></div>\n<figure>{svg}</figure>");
    for reason in &comparison.reasons {
        let _ = writeln!(text, "<p>{}</p>", escaped(reason));
    }
    text + "<p class=\"small\">Times are virtual: the same inputs give the same figures on any machine.</p>\n</body></html>\n"
}
