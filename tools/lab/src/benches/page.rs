//! Results as a page: one HTML file that needs no other, and the same as Markdown with pictures beside it.
//!
//! Invariant: all figures come from results; what is said around them is said by the rows.
//!
//! No `maud`: the same code writes HTML and Markdown, and one function escapes text.

use super::result::RowResult;
use super::sources::stale;
use super::{heat_map, plot};
use anyhow::Result;
use renga_bench::claims::{ClaimVerdict, JudgedClaim, summary};
use renga_bench::findings::{Findings, FindingsTable};
use renga_bench::rows::{ROWS, find};
use std::fmt::Write;

pub(crate) const STYLE: &str = "body{font:16px/1.5 Georgia,serif;max-width:82em;margin:2em auto;padding:0 1em;color:#222}\
h1,h2,h3{font-family:Helvetica,Arial,sans-serif;line-height:1.2}h2{border-top:1px solid #bbb;padding-top:1em;margin-top:2em}\
table{border-collapse:collapse;font:13px/1.4 Helvetica,Arial,sans-serif;margin:.6em 0 1.2em;font-variant-numeric:tabular-nums}\
th,td{padding:.15em .7em;text-align:right;white-space:nowrap}th{border-bottom:1px solid #444}\
td:first-child,th:first-child,.words{text-align:left}.words{white-space:normal}caption{text-align:left;font-style:italic;padding-bottom:.3em}\
.wide{overflow-x:auto}.verdict{font:bold 13px Helvetica,Arial,sans-serif;padding:.1em .6em;border-radius:.7em;color:#fff}\
.exceeded{background:#00795a}.so,.met{background:#0060a0}.not-so,.missed{background:#b04a00}.not-tested{background:#777}.small{color:#555;font-size:14px}.published{background:#f2f0ea;color:#444}code{font-size:.9em}figure{margin:1em 0}";

const LIMITS: &str = "Times are virtual, of models of processor, link and medium. So ratios within one profile, counts and waits count, not \
the speed of real boards. A paper's claim is so, not so or not tested here; an aim of ours is met, exceeded or missed.";

/// Of a revision's sum.
const REVISION_DIGITS: usize = 12;

/// The title, and the limits, which are the same for all.
const TITLE: &str = "Results of the papers, regenerated";

/// What the results of short runs are.
const SHORT: &str = "These are the results of the short form of each experiment (`--short`): fewer programs, sizes and repetitions, no \
monolithic system, and one machine.";

/// What has to be said of all results, beside sources of the revision `now`.
fn limits(results: &[RowResult], now: Option<&str>) -> String {
    let short = results.iter().any(|result| result.short).then(|| SHORT.to_string());
    let said = stale(results, now).into_iter().chain(short).chain([LIMITS.to_string()]);
    said.collect::<Vec<_>>().join("\n\n")
}

/// The columns of claims.
const CLAIM_COLUMNS: [&str; 6] = ["Verdict", "Claim", "Here", "Published", "Required", "Why"];

/// A claim as cells: verdict, what, here, published, required, why.
fn cells(judged: &JudgedClaim) -> [String; 6] {
    let claim = &judged.claim;
    let (verdict, what) = (judged.verdict.to_string(), claim.quantity.to_string());
    [verdict, what, judged.here(), claim.published().to_string(), claim.required(), judged.remark()]
}

/// The claims that failed, of all results.
fn failed(results: &[RowResult]) -> impl Iterator<Item = (&RowResult, &JudgedClaim)> {
    let of_result = |result| claims(result).iter().map(move |judged| (result, judged));
    results.iter().flat_map(of_result).filter(|(_, judged)| judged.verdict.failed())
}

fn claims(result: &RowResult) -> &[JudgedClaim] {
    &result.findings.claims
}

/// The head line of a result.
fn head_line(result: &RowResult) -> String {
    let mut text = summary(claims(result));
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The text as HTML shows it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace("<=", "≤").replace(">=", "≥").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The same, and what stands between backquotes as code.
fn prose(text: &str) -> String {
    let parts = escaped(text);
    let of =
        |(place, part): (usize, &str)| if place % 2 == 1 { format!("<code>{part}</code>") } else { part.to_string() };
    parts.split('`').enumerate().map(of).collect()
}

/// A verdict as a class of the page's style.
fn class(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::NotSo => "not-so",
        ClaimVerdict::Missed => "missed",
        ClaimVerdict::NotTested => "not-tested",
        ClaimVerdict::So => "so",
        ClaimVerdict::Met => "met",
        ClaimVerdict::Exceeded => "exceeded",
    }
}

fn parameters(result: &RowResult) -> String {
    let of = |(name, value): (&String, &String)| format!("{name} {value}");
    let starts = (result.phases > 1).then(|| result.starts());
    result.parameters.iter().map(of).chain(starts).collect::<Vec<_>>().join(", ")
}

fn revision(result: &RowResult) -> &str {
    result.revision.as_deref().map_or("with changes", |revision| revision.get(..REVISION_DIGITS).unwrap_or(revision))
}

/// The page, beside sources of the revision `now`.
///
/// # Errors
/// If plotting fails.
pub fn html(results: &[RowResult], now: Option<&str>) -> Result<String> {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{TITLE}</title><style>{STYLE}</style></head>\
         <body>\n<h1>{TITLE}</h1>\n"
    );
    for said in limits(results, now).split("\n\n") {
        let _ = writeln!(page, "<p>{}</p>", prose(said));
    }
    page += &html_claims("Claims that are not so, and aims that are missed", failed(results), true);
    page += "<table><caption>All rows</caption><tr><th>row</th><th class=\"words\">what</th><th>profile</th><th class=\"words\">claims</th></tr>\n";
    for result in results {
        let (row, title, profile) = (&result.row, escaped(&result.title), result.machine());
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#{row}\">{row}</a></td><td class=\"words\">{title}</td><td>{profile}</td><td class=\"words\">{}</td></tr>",
            escaped(&head_line(result))
        );
    }
    page += "</table>\n";
    let (mut before, mut figures) = ("", 0);
    for result in results {
        if before != result.row {
            page += &html_head(result);
            before = &result.row;
        }
        page += &html_result(result, &mut figures)?;
    }
    Ok(page + "</body></html>\n")
}

fn html_head(result: &RowResult) -> String {
    let mut text = format!("<h2 id=\"{}\">{} {}</h2>\n", result.row, result.row, escaped(&result.title));
    if let Some(row) = find(&result.row, ROWS) {
        let [published, method] = [row.published, row.method].map(prose);
        let _ = writeln!(text, "<p><b>Published.</b> {published}</p>\n<p><b>Here.</b> {method}</p>");
    }
    text
}

/// A result, before which the page has so many figures.
fn html_result(result: &RowResult, figures: &mut u32) -> Result<String> {
    let mut text = format!(
        "<h3>{}</h3>\n<p>{}.</p>\n<p class=\"small\">{}; revision {}</p>\n",
        result.machine(),
        escaped(&head_line(result)),
        escaped(&parameters(result)),
        revision(result)
    );
    text += &html_claims("Claims", claims(result).iter().map(|judged| (result, judged)), false);
    for table in &result.findings.tables {
        text += &html_table(table);
    }
    for note in &result.findings.notes {
        let _ = writeln!(text, "<p class=\"small\">{}</p>", prose(note));
    }
    for (title, picture) in pictures(&result.findings)? {
        let caption = escaped(&caption(result, title, figures));
        let _ = writeln!(text, "<figure>{picture}<figcaption>{caption}</figcaption></figure>");
    }
    Ok(text)
}

/// A table of claims, with their rows in front where these differ.
fn html_claims<'a>(
    caption: &str,
    claims: impl Iterator<Item = (&'a RowResult, &'a JudgedClaim)>,
    with_rows: bool,
) -> String {
    let row = |(result, judged): (&RowResult, &JudgedClaim)| {
        let [verdict, what, numbers @ .., required, why] = cells(judged).map(|text| escaped(&text));
        let name = if with_rows { format!("<td>{} {}</td>", result.row, result.machine()) } else { String::new() };
        let numbers: String = numbers.iter().map(|text| format!("<td>{text}</td>")).collect();
        let words = [required, why].map(|text| format!("<td class=\"words\">{text}</td>")).concat();
        let class = class(judged.verdict);
        format!(
            "<tr>{name}<td><span class=\"verdict {class}\">{verdict}</span></td><td class=\"words\">{what}</td>{numbers}{words}</tr>\n"
        )
    };
    let rows: String = claims.map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heads: String =
        with_rows.then_some("Row").into_iter().chain(CLAIM_COLUMNS).map(|head| format!("<th>{head}</th>")).collect();
    format!("<div class=\"wide\"><table><caption>{caption}</caption><tr>{heads}</tr>\n{rows}</table></div>\n")
}

/// What stands under a figure, with the next number.
fn caption(result: &RowResult, title: &str, figures: &mut u32) -> String {
    *figures += 1;
    format!("Figure {figures}. {title} ({}, {})", result.row, result.machine())
}

/// Titles and drawings of all plots and heat maps.
fn pictures(findings: &Findings) -> Result<Vec<(&str, String)>> {
    let plots = findings.plots.iter().map(|plot| Ok((plot.title.as_str(), plot::svg(plot)?)));
    let maps = findings.maps.iter().map(|map| Ok((map.title.as_str(), heat_map::svg(map)?)));
    plots.chain(maps).collect()
}

fn html_table(table: &FindingsTable) -> String {
    // What was published stands on a ground of its own.
    let published = table.columns.iter().position(|column| column.starts_with("published")).unwrap_or(usize::MAX);
    let cells = |cells: &[String], tag: &str| -> String {
        let class = |place: usize| if place >= published { " class=\"published\"" } else { "" };
        let cell = |(place, cell): (usize, &String)| format!("<{tag}{}>{}</{tag}>", class(place), escaped(cell));
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let rows: String = table.rows.iter().map(|row| cells(row, "td")).collect();
    let (caption, head) = (escaped(&table.title), cells(&table.columns, "th"));
    format!("<div class=\"wide\"><table><caption>{caption}</caption>{head}{rows}</table></div>\n")
}

/// A line of a Markdown table.
fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.iter().map(|text| cell(text)).collect::<Vec<_>>().join(" | "))
}

/// The head of a Markdown table.
fn heads(columns: &[String]) -> String {
    format!("\n{}|{}\n", line(columns), "---|".repeat(columns.len()))
}

/// The title, the limits, the claims that failed, the rows.
fn markdown_head(results: &[RowResult], now: Option<&str>) -> String {
    let mut page = format!("# {TITLE}\n\n{}\n", limits(results, now));
    let failed: Vec<_> = failed(results).collect();
    if !failed.is_empty() {
        page += &heads(&["Row"].into_iter().chain(CLAIM_COLUMNS).map(String::from).collect::<Vec<_>>());
        for (result, judged) in failed {
            let name = format!("{} {}", result.row, result.machine());
            page += &line(&[[name].as_slice(), cells(judged).as_slice()].concat());
        }
    }
    page += &heads(&["Row", "What", "Profile", "Claims"].map(String::from));
    for result in results {
        page += &line(&[result.row.clone(), result.title.clone(), result.machine().to_string(), head_line(result)]);
    }
    page
}

/// The claims, one row each, under the head line.
fn markdown_claims(result: &RowResult) -> String {
    if claims(result).is_empty() {
        return String::new();
    }
    let mut columns = CLAIM_COLUMNS.map(String::from);
    columns[1] = head_line(result);
    claims(result).iter().fold(heads(&columns), |text, judged| text + &line(&cells(judged)))
}

/// A cell of a Markdown table, in which a bar would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The same as Markdown, and its pictures: names and contents.
///
/// # Errors
/// If plotting fails.
pub fn markdown(results: &[RowResult], now: Option<&str>) -> Result<(String, Vec<(String, String)>)> {
    let (mut page, mut pictures, mut before) = (markdown_head(results, now), Vec::new(), "");
    let mut figures = 0;
    for result in results {
        if before != result.row {
            let said =
                find(&result.row, ROWS).map_or(String::new(), |row| format!("{}\n\n{}\n", row.published, row.method));
            let _ = write!(page, "\n## {} {}\n\n{said}", result.row, result.title);
            before = &result.row;
        }
        let (profile, revision) = (result.machine(), revision(result));
        let parameters = parameters(result).replace(", ", "`, `");
        let _ = write!(page, "\n### {profile}\n\n`{parameters}`; revision `{revision}`\n{}", markdown_claims(result));
        for table in &result.findings.tables {
            let rows: String = table.rows.iter().map(|row| line(row)).collect();
            let _ = write!(page, "\n{}\n{}{rows}", table.title, heads(&table.columns));
        }
        for note in &result.findings.notes {
            let _ = write!(page, "\n{note}\n");
        }
        for (number, (title, picture)) in self::pictures(&result.findings)?.into_iter().enumerate() {
            let name = format!("{}.{}.{number}.svg", result.row.to_lowercase(), result.machine());
            let _ = write!(page, "\n![{title}]({name})\n\n{}\n", caption(result, title, &mut figures));
            pictures.push((name, picture));
        }
    }
    Ok((page, pictures))
}

#[cfg(test)]
mod tests {
    use super::{SHORT, html, markdown, prose};
    use crate::benches::RowResult;
    use renga_bench::claims::{Claim, ClaimBound, MeasuredQuantities, Quantity, decide};
    use renga_bench::findings::{Curve, Findings, FindingsTable, Plot};
    use renga_bench::run::CostProfile;
    use std::collections::BTreeMap;

    fn result(short: bool) -> RowResult {
        let mut table = FindingsTable::new("ms & more", &["what", "published"]);
        table.rows = vec![vec!["cc <1> | ld".to_string(), "12".to_string()]];
        let curves = vec![Curve::new("one".to_string(), vec![(0.0, 1.0), (2.0, 3.0)])];
        let plot = Plot::new("a curve".to_string(), ["x", "y"], curves);
        let quantity = |id: &str| Quantity::new(id, id, "%");
        let claims = vec![
            Claim::aim(quantity("saves"), ClaimBound::AtLeast(15.0), "a sixth").exceeded(ClaimBound::AtLeast(45.0)),
            Claim::paper(quantity("costs"), "10 | more", ClaimBound::AtMost(10.0), "as published"),
            Claim::paper(quantity("asks"), "1", ClaimBound::AtMost(1.0), "as published").untested("another question"),
        ];
        let measured = [("saves", 48.0), ("costs", 12.0)].map(|(id, figure)| (id.to_string(), Ok(figure)));
        let claims = decide(claims, &MeasuredQuantities::from(measured)).unwrap();
        let notes = vec!["A note.".to_string()];
        RowResult {
            row: "P1.T5".to_string(),
            title: "Two compiles".to_string(),
            profile: CostProfile::Pi3,
            machine: None,
            short,
            phases: 1,
            parameters: BTreeMap::from([("link".to_string(), "18 Mbit/s".to_string())]),
            revision: Some("abc".to_string()),
            runs: Vec::new(),
            findings: Findings { tables: vec![table], claims, plots: vec![plot], notes, ..Findings::default() },
        }
    }

    /// Holds: bench-report.
    #[test]
    fn page_html_is_self_contained() {
        let page = html(&[result(false)], Some("abc")).unwrap() + &prose(SHORT);
        for wanted in [
            "<caption>Claims that are not so, and aims that are missed</caption>",
            "<td>P1.T5 pi3</td><td><span class=\"verdict not-so\">not so</span></td>",
            "Of the paper's 2 claims: 0 so, 1 not so, 1 not tested; of our 1 aim: 0 met, 1 exceeded, 0 missed",
            "at least 15; exceeded at least 45",
            "as published. Not tested: another question",
            "<code>--short</code>",
            "<td class=\"published\">12</td>",
            "cc &lt;1&gt; | ld",
            "<svg",
            "<figcaption>Figure 1. a curve (P1.T5, pi3)</figcaption>",
            "A note.",
        ] {
            assert!(page.contains(wanted), "no `{wanted}` in {page}");
        }
        for other in ["src=", "<link", "<script", "url(", "@import"] {
            assert!(!page.contains(other), "`{other}` asks for another file");
        }
        assert!(!html(&[result(false)], None).unwrap().contains("short form"));
    }

    /// Holds: bench-report.
    #[test]
    fn page_markdown_has_pictures_and_marks_short_runs() {
        let (page, pictures) = markdown(&[result(true)], Some("abc")).unwrap();
        let [(name, picture)] = &pictures[..] else { panic!("one picture: {pictures:?}") };
        assert!(picture.starts_with("<svg") && page.contains(&format!("![a curve]({name})")), "{page}");
        let rows = [
            "| P1.T5 pi3 | not so | costs, % | 12 | 10 \\| more | at most 10 | as published |",
            "| P1.T5 | Two compiles | pi3 | Of the paper's 2 claims: 0 so, 1 not so, 1 not tested; of our 1 aim",
            "| cc <1> \\| ld | 12 |",
            "short form",
            "revision `abc`",
            "A note.",
            "Figure 1. a curve (P1.T5, pi3)",
            "| exceeded | saves, % | 48 | - | at least 15; exceeded at least 45 | a sixth |",
        ];
        rows.iter().for_each(|wanted| assert!(page.contains(wanted), "no `{wanted}` in {page}"));
    }

    /// Holds: bench-report.
    #[test]
    fn page_of_other_sources_is_stale() {
        let other = || RowResult { row: "P1.T1".to_string(), revision: Some("def".to_string()), ..result(false) };
        let head = |results: &[RowResult], now| {
            let page = markdown(results, now).unwrap().0;
            assert_eq!(page.contains("STALE"), html(results, now).unwrap().contains("<p>STALE"), "{page}");
            page.lines().nth(2).unwrap().to_string()
        };
        assert!(!head(&[result(false)], Some("abc")).contains("STALE"));
        assert_eq!(
            head(&[other(), result(false)], Some("abc")),
            "STALE: the sources have changed since these rows ran: P1.T1 pi3."
        );
        let all = "STALE: the sources have changed since these rows ran.";
        assert_eq!([Some("ghi"), None].map(|now| head(&[other(), result(false)], now)), [all, all]);
    }
}
