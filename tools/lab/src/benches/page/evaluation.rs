//! The parts of a page of results, as an evaluation section of a paper has them: what was found, the figures, the
//! method, the threats to validity.
//!
//! Invariant: claims that failed stand before all else.

use super::parts::{CellKind, PageCell, PagePart, PageTable};
use crate::benches::result::RowResult;
use crate::benches::sources::stale;
use crate::benches::{heat_map, plot};
use anyhow::Result;
use renga_bench::claims::{JudgedClaim, summary};
use renga_bench::findings::{Findings, FindingsTable};
use renga_bench::rows::{LedgerRow, ROWS, RowPlan, find};
use renga_bench::run::BenchRun;

const TITLE: &str = "Results of the papers, regenerated";

/// What holds of all results.
const LIMITS: &str =
    "Times are virtual: ratios within a profile, counts and waits count, not the speed of real boards.";

/// What the results of short runs are.
const SHORT: &str = "These are the results of the short form of each experiment (`--short`): fewer programs, sizes and repetitions, no \
monolithic system, and one machine.";

/// Of a revision's sum.
const REVISION_DIGITS: usize = 12;
/// Of a figure.
const DIGITS: usize = 4;

/// The page's parts, beside sources of the revision `now`.
///
/// # Errors
/// If plotting fails.
pub fn parts(results: &[RowResult], now: Option<&str>) -> Result<Vec<PagePart>> {
    let mut parts = vec![PagePart::Heading { level: 1, text: TITLE.to_string() }];
    let short = results.iter().any(|result| result.short).then(|| SHORT.to_string());
    let limits = stale(results, now).into_iter().chain(short).chain([LIMITS.to_string()]);
    parts.extend(limits.map(|text| PagePart::Paragraph { label: "", text }));
    parts.extend(failed_claims(results));
    parts.push(overview(results));
    let mut figures = 0;
    for row in results.chunk_by(|one, other| one.row == other.row) {
        section(&mut parts, row, &mut figures)?;
    }
    parts.extend(threats(results).map(|text| PagePart::Paragraph { label: "Threats to validity", text }));
    Ok(parts)
}

fn claims(result: &RowResult) -> &[JudgedClaim] {
    &result.findings.claims
}

/// All claims, each beside its result.
fn claims_of(results: &[RowResult]) -> impl Iterator<Item = (&RowResult, &JudgedClaim)> {
    results.iter().flat_map(|result| claims(result).iter().map(move |judged| (result, judged)))
}

/// A table of the claims that failed, of all results.
fn failed_claims(results: &[RowResult]) -> Option<PagePart> {
    let failed = claims_of(results).filter(|(_, judged)| judged.verdict.failed());
    let row = |(result, judged): (&RowResult, _)| {
        let name = PageCell::Text(format!("{} {}", result.row, result.machine()));
        [name].into_iter().chain(claim_cells(judged)).collect()
    };
    let rows: Vec<Vec<PageCell>> = failed.map(row).collect();
    let columns = [("Row", CellKind::Number)].into_iter().chain(CLAIM_COLUMNS);
    (!rows.is_empty()).then(|| table("Failed claims and missed aims", columns, rows))
}

/// A table of all rows.
fn overview(results: &[RowResult]) -> PagePart {
    let (number, words) = (CellKind::Number, CellKind::Words);
    let columns = [("Row", number), ("What", words), ("Profile", number), ("Claims", words)];
    let row = |result: &RowResult| {
        let [what, profile, claims] =
            [result.title.clone(), result.machine().to_string(), head_line(result)].map(PageCell::Text);
        vec![PageCell::Row(result.row.clone()), what, profile, claims]
    };
    table("All rows", columns, results.iter().map(row).collect())
}

/// The columns of claims.
const CLAIM_COLUMNS: [(&str, CellKind); 6] = [
    ("Verdict", CellKind::Number),
    ("Claim", CellKind::Words),
    ("Here", CellKind::Number),
    ("Published", CellKind::Number),
    ("Required", CellKind::Words),
    ("Why", CellKind::Words),
];

fn claim_cells(judged: &JudgedClaim) -> [PageCell; 6] {
    let claim = &judged.claim;
    let texts = [here(judged), claim.published().to_string(), claim.required(), judged.remark()];
    let [here, published, required, why] = texts.map(PageCell::Text);
    [PageCell::Verdict(judged.verdict), PageCell::Text(claim.quantity.to_string()), here, published, required, why]
}

fn table<'a>(
    caption: &str,
    columns: impl IntoIterator<Item = (&'a str, CellKind)>,
    rows: Vec<Vec<PageCell>>,
) -> PagePart {
    let columns = columns.into_iter().map(|(head, kind)| (head.to_string(), kind)).collect();
    PagePart::Table(PageTable { caption: caption.to_string(), columns, rows })
}

/// The figure of a claim, or the median and from where to where, with digits that say something; `-` without one.
fn here(judged: &JudgedClaim) -> String {
    match (judged.figure, judged.spread) {
        (None, _) => "-".to_string(),
        (Some(figure), Some(spread)) if spread.least < spread.most => {
            format!("{} ({} to {})", rounded(figure), rounded(spread.least), rounded(spread.most))
        }
        (Some(figure), _) => rounded(figure),
    }
}

/// A figure with [`DIGITS`] digits, of which three at most stand behind the point.
fn rounded(figure: f64) -> String {
    let before = (figure.abs().max(1.0).log10().floor() as usize).saturating_add(1);
    let text = format!("{figure:.*}", DIGITS.saturating_sub(before));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// How many claims have which verdict.
fn head_line(result: &RowResult) -> String {
    let mut text = summary(claims(result));
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The section of a row: its results with each machine, then how they were had.
fn section(parts: &mut Vec<PagePart>, results: &[RowResult], figures: &mut u32) -> Result<()> {
    let [first, ..] = results else { return Ok(()) };
    let row = find(&first.row, ROWS);
    parts.push(PagePart::Heading { level: 2, text: format!("{} {}", first.row, first.title) });
    let paragraph = |label, text: &str| PagePart::Paragraph { label, text: text.to_string() };
    parts.extend(row.map(|row| paragraph("Published", row.published)));
    for result in results {
        findings(parts, result, figures)?;
    }
    parts.extend(row.map(|row| paragraph("Method", row.method)));
    Ok(())
}

/// What a row found with one machine: in words, in figures, in tables.
fn findings(parts: &mut Vec<PagePart>, result: &RowResult, figures: &mut u32) -> Result<()> {
    parts.push(PagePart::Heading { level: 3, text: result.machine().to_string() });
    if !claims(result).is_empty() {
        let said = head_line(result);
        let columns = CLAIM_COLUMNS.map(|(head, kind)| (if head == "Claim" { said.as_str() } else { head }, kind));
        let rows = claims(result).iter().map(|judged| claim_cells(judged).into()).collect();
        parts.push(table("Finding", columns, rows));
    }
    let notes = result.findings.notes.iter();
    parts.extend(notes.map(|text| PagePart::Paragraph { label: "", text: text.clone() }));
    for (number, (title, svg)) in pictures(&result.findings)?.into_iter().enumerate() {
        *figures += 1;
        let (row, machine) = (&result.row, result.machine());
        parts.push(PagePart::Figure {
            file: format!("{}.{machine}.{number}.svg", row.to_lowercase()),
            caption: format!("Figure {figures}. {title} ({row}, {machine})"),
            svg,
        });
    }
    parts.extend(result.findings.tables.iter().map(findings_table));
    parts.push(facts(result));
    Ok(())
}

/// Titles and drawings of all plots and heat maps.
fn pictures(findings: &Findings) -> Result<Vec<(&str, String)>> {
    let plots = findings.plots.iter().map(|plot| Ok((plot.title.as_str(), plot::svg(plot)?)));
    let maps = findings.maps.iter().map(|map| Ok((map.title.as_str(), heat_map::svg(map)?)));
    plots.chain(maps).collect()
}

fn findings_table(found: &FindingsTable) -> PagePart {
    let published = found.columns.iter().position(|column| column.starts_with("published")).unwrap_or(usize::MAX);
    let kind = |place: usize| if place >= published { CellKind::Published } else { CellKind::Number };
    let columns = found.columns.iter().enumerate().map(|(place, column)| (column.as_str(), kind(place)));
    let row = |row: &Vec<String>| row.iter().cloned().map(PageCell::Text).collect();
    table(&found.title, columns, found.rows.iter().map(row).collect())
}

/// What the figures of a result depend on.
fn facts(result: &RowResult) -> PagePart {
    let parameters = result.parameters.iter().map(|(name, value)| format!("{name} {value}"));
    let starts = (result.phases > 1).then(|| result.starts());
    let revision = match result.revision.as_deref() {
        Some(revision) => format!("revision {}", revision.get(..REVISION_DIGITS).unwrap_or(revision)),
        None => "revision with changes".to_string(),
    };
    PagePart::Facts(parameters.chain(starts).chain([revision]).collect())
}

/// What the results do not show: other starts of a load, and why claims were not tested.
fn threats(results: &[RowResult]) -> Option<String> {
    let has_one_start = |result: &&RowResult| {
        let plan = RowPlan { profile: result.profile, short: result.short };
        let varies = |row: &LedgerRow| (row.runs)(plan).iter().any(BenchRun::has_phases);
        result.phases == 1 && find(&result.row, ROWS).is_some_and(varies)
    };
    let mut rows: Vec<&str> = results.iter().filter(has_one_start).map(|result| result.row.as_str()).collect();
    rows.dedup();
    let starts = format!("The load of {} starts at one offset; `--phases 16` measures the spread.", rows.join(", "));
    let untested = claims_of(results).filter(|(_, judged)| judged.untested.is_some()).count();
    let untested = match untested {
        0 => None,
        1 => Some("One claim was not tested; its table says why.".to_string()),
        count => Some(format!("{count} claims were not tested; their tables say why.")),
    };
    let said: Vec<String> = (!rows.is_empty()).then_some(starts).into_iter().chain(untested).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn evaluation_figures_have_four_digits() {
        let figures = [0.0, 0.0784, 1.0, 1.002, 46.727, 310.65, 1234.5, 98765.4, -0.1134, -97.25];
        let wanted = ["0", "0.078", "1", "1.002", "46.73", "310.6", "1234", "98765", "-0.113", "-97.25"];
        assert_eq!(figures.map(rounded), wanted);
    }
}
