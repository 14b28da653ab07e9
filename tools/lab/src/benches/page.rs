//! Results as a page: one HTML file that needs no other, and the same as Markdown with pictures beside it.
//!
//! Invariant: all figures come from results; what is said around them is said by the rows.
//!
//! No `maud`: the same code writes HTML and Markdown, and one function escapes text.

use super::result::RowResult;
use super::{heat_map, plot};
use anyhow::Result;
use renga_bench::findings::{Claim, FindingVerdict, Findings, FindingsTable};
use renga_bench::rows::{ROWS, find};
use std::fmt::Write;

const STYLE: &str = "body{font:16px/1.5 Georgia,serif;max-width:82em;margin:2em auto;padding:0 1em;color:#222}\
h1,h2,h3{font-family:Helvetica,Arial,sans-serif;line-height:1.2}h2{border-top:1px solid #bbb;padding-top:1em;margin-top:2em}\
table{border-collapse:collapse;font:13px/1.4 Helvetica,Arial,sans-serif;margin:.6em 0 1.2em;font-variant-numeric:tabular-nums}\
th,td{padding:.15em .7em;text-align:right;white-space:nowrap}th{border-bottom:1px solid #444}\
td:first-child,th:first-child{text-align:left}caption{text-align:left;font-style:italic;padding-bottom:.3em}\
.wide{overflow-x:auto}.verdict{font:bold 13px Helvetica,Arial,sans-serif;padding:.1em .6em;border-radius:.7em;color:#fff}\
.beaten{background:#00795a}.confirmed{background:#0060a0}.refuted{background:#b04a00}.none{background:#777}.small{color:#555;font-size:14px}.published{background:#f2f0ea;color:#444}code{font-size:.9em}figure{margin:1em 0}";

const LIMITS: &str = "Times are virtual, of models of processor, link and medium. So ratios within one profile, counts and waits count, not \
the speed of real boards. A verdict concerns the claim beside it alone. The same sources give the same figures, to the nanosecond.";

/// Of a revision's sum.
const REVISION_DIGITS: usize = 12;

/// The title, and the limits, which are the same for all.
const TITLE: &str = "Results of the papers, regenerated";

/// What the results of short runs are.
const SHORT: &str = "These are the results of the short form of each experiment (`--short`): fewer programs, sizes and repetitions, no \
monolithic system, and one machine. A verdict here concerns the short form.";

/// What has to be said of all results.
fn limits(results: &[RowResult]) -> String {
    if results.iter().any(|result| result.short) { format!("{SHORT}\n\n{LIMITS}") } else { LIMITS.to_string() }
}

/// The claim that decides the verdict: the worst of those that count.
fn deciding(result: &RowResult) -> Option<&Claim> {
    result.findings.claims.iter().filter(|claim| claim.counts).min_by_key(|claim| claim.verdict)
}

/// The verdict in words: on how much it hangs, and which claim decides.
fn paragraph(result: &RowResult) -> String {
    let claims: Vec<_> = result.findings.claims.iter().filter(|claim| claim.counts).collect();
    let Some(worst) = deciding(result) else {
        return "Nothing is judged: no such figure was published, or what it is about was not measured yet."
            .to_string();
    };
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let counted = [FindingVerdict::Beaten, FindingVerdict::Confirmed, FindingVerdict::Refuted]
        .map(|verdict| (count(verdict), verdict));
    let said: Vec<String> =
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, verdict)| format!("{count} {verdict}")).collect();
    let hangs = match &said[..] {
        [said] if claims.len() == 1 => {
            format!("The verdict hangs on one claim, which is {}", said.trim_start_matches("1 "))
        }
        said => format!("Of {} claims on which the verdict hangs: {}", claims.len(), said.join(", ")),
    };
    format!(
        "{hangs}. What decides: {}, {:.3} here, {} as published ({}).",
        worst.what, worst.ours, worst.published, worst.bound
    )
}

fn escaped(text: &str) -> String {
    text.replace("<=", "≤").replace(">=", "≥").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The same, and what stands between backquotes as code.
fn prose(text: &str) -> String {
    let parts = escaped(text);
    let of =
        |(place, part): (usize, &str)| if place % 2 == 1 { format!("<code>{part}</code>") } else { part.to_string() };
    parts.split('`').enumerate().map(of).collect()
}

fn verdict(result: &RowResult) -> (&'static str, String) {
    let verdict = result.findings.verdict();
    let class = match verdict {
        Some(FindingVerdict::Beaten) => "beaten",
        Some(FindingVerdict::Confirmed) => "confirmed",
        Some(FindingVerdict::Refuted) => "refuted",
        None => "none",
    };
    (class, verdict.map_or("no verdict".to_string(), |verdict| verdict.to_string()))
}

fn parameters(result: &RowResult) -> String {
    let of = |(name, value): (&String, &String)| format!("{name} {value}");
    result.parameters.iter().map(of).collect::<Vec<_>>().join(", ")
}

fn revision(result: &RowResult) -> &str {
    result.revision.as_deref().map_or("with changes", |revision| revision.get(..REVISION_DIGITS).unwrap_or(revision))
}

/// The page.
///
/// # Errors
/// If plotting fails.
pub fn html(results: &[RowResult]) -> Result<String> {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{TITLE}</title><style>{STYLE}</style></head>\
         <body>\n<h1>{TITLE}</h1>\n"
    );
    for said in limits(results).split("\n\n") {
        let _ = writeln!(page, "<p>{}</p>", prose(said));
    }
    page += "<table><caption>Verdicts</caption><tr><th>row</th><th style=\"text-align:left\">what</th><th>profile</th><th>verdict</th></tr>\n";
    for result in results {
        let (class, verdict) = verdict(result);
        let (row, title, profile) = (&result.row, escaped(&result.title), result.machine());
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#{row}\">{row}</a></td><td style=\"text-align:left;white-space:normal\">{title}</td><td>{profile}</td>\
             <td><span class=\"verdict {class}\">{verdict}</span></td></tr>"
        );
    }
    page += "</table>\n";
    let mut before = "";
    for result in results {
        if before != result.row {
            page += &html_head(result);
            before = &result.row;
        }
        page += &html_result(result)?;
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

fn html_result(result: &RowResult) -> Result<String> {
    let (class, verdict) = verdict(result);
    let mut text = format!(
        "<h3>{} <span class=\"verdict {class}\">{verdict}</span></h3>\n<p class=\"small\">{}; revision {}</p>\n",
        result.machine(),
        escaped(&parameters(result)),
        revision(result)
    );
    let _ = writeln!(text, "<p>{}</p>", escaped(&paragraph(result)));
    for table in &result.findings.tables {
        text += &html_table(table);
    }
    text += "<ul>\n";
    for claim in &result.findings.claims {
        let beside = if claim.counts { "" } else { " (beside)" };
        let (what, published, bound) =
            (escaped(&claim.what), escaped(&claim.published), escaped(&claim.bound.to_string()));
        let _ = writeln!(
            text,
            "<li><span class=\"verdict {verdict}\">{verdict}</span> {what}{beside}: <b>{:.3}</b>; published: {published}; {bound}</li>",
            claim.ours,
            verdict = claim.verdict
        );
    }
    text += "</ul>\n";
    for note in &result.findings.notes {
        let _ = writeln!(text, "<p class=\"small\">{}</p>", prose(note));
    }
    for (_, picture) in pictures(&result.findings)? {
        let _ = writeln!(text, "<figure>{picture}</figure>");
    }
    Ok(text)
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

/// The title, the limits, the verdicts.
fn markdown_head(results: &[RowResult]) -> String {
    let mut page =
        format!("# {TITLE}\n\n{}\n\n| Row | What | Profile | Verdict |\n|---|---|---|---|\n", limits(results));
    for result in results {
        let (row, title, profile) = (&result.row, &result.title, result.machine());
        let _ = writeln!(page, "| {row} | {title} | {profile} | {} |", verdict(result).1);
    }
    page
}

/// The claims, one row each; the verdict that decides is bold.
fn markdown_claims(result: &RowResult) -> String {
    let claims = &result.findings.claims;
    if claims.is_empty() {
        return String::new();
    }
    let worst = deciding(result).map(|claim| claim.what.as_str());
    let mut text = "\n| Verdict | Claim | Here | Published | |\n|---|---|---|---|---|\n".to_string();
    for claim in claims {
        let mark = if worst == Some(claim.what.as_str()) { "**" } else { "" };
        let beside = if claim.counts { "" } else { " (beside)" };
        let (what, published) = (cell(&claim.what), cell(&claim.published));
        let _ = writeln!(
            text,
            "| {mark}{}{mark} | {what}{beside} | {:.3} | {published} | {} |",
            claim.verdict, claim.ours, claim.bound
        );
    }
    text
}

/// A cell of a Markdown table, in which a bar would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The same as Markdown, and its pictures: names and contents.
///
/// # Errors
/// If plotting fails.
pub fn markdown(results: &[RowResult]) -> Result<(String, Vec<(String, String)>)> {
    let (mut page, mut pictures, mut before) = (markdown_head(results), Vec::new(), "");
    for result in results {
        if before != result.row {
            let said =
                find(&result.row, ROWS).map_or(String::new(), |row| format!("{}\n\n{}\n", row.published, row.method));
            let _ = write!(page, "\n## {} {}\n\n{said}", result.row, result.title);
            before = &result.row;
        }
        let (_, verdict) = verdict(result);
        let (profile, revision) = (result.machine(), revision(result));
        let parameters = parameters(result).replace(", ", "`, `");
        let _ = write!(page, "\n### {profile}: {verdict}\n\n`{parameters}`; revision `{revision}`\n");
        for table in &result.findings.tables {
            let line = |cells: &[String]| {
                format!("| {} |\n", cells.iter().map(|text| cell(text)).collect::<Vec<_>>().join(" | "))
            };
            let rule = format!("|{}\n", "---|".repeat(table.columns.len()));
            let rows: String = table.rows.iter().map(|row| line(row)).collect();
            let _ = write!(page, "\n{}\n\n{}{rule}{rows}", table.title, line(&table.columns));
        }
        page += &markdown_claims(result);
        for note in &result.findings.notes {
            let _ = write!(page, "\n{note}\n");
        }
        for (number, (title, picture)) in self::pictures(&result.findings)?.into_iter().enumerate() {
            let name = format!("{}.{}.{number}.svg", result.row.to_lowercase(), result.machine());
            let _ = write!(page, "\n![{title}]({name})\n");
            pictures.push((name, picture));
        }
    }
    Ok((page, pictures))
}

#[cfg(test)]
mod tests {
    use super::{SHORT, html, markdown, prose};
    use crate::benches::RowResult;
    use renga_bench::findings::{Bound, Claim, Curve, Findings, FindingsTable, Plot};
    use renga_bench::run::CostProfile;
    use std::collections::BTreeMap;

    fn result(short: bool) -> RowResult {
        let mut table = FindingsTable::new("ms & more", &["what", "published"]);
        table.rows = vec![vec!["cc <1> | ld".to_string(), "12".to_string()]];
        let curves = vec![Curve { label: "one".to_string(), points: vec![(0.0, 1.0), (2.0, 3.0)] }];
        let plot = Plot { title: "a curve".to_string(), axes: ["x".to_string(), "y".to_string()], curves };
        let claims = vec![
            Claim::new("saves, %", "25", 48.0, Bound::AtLeast(15.0, 45.0)),
            Claim::new("costs, %", "10", 12.0, Bound::AtMost(10.0, 5.0)),
            Claim::new("not judged", "1", 0.0, Bound::Reaches(1.0)).beside(),
        ];
        let notes = vec!["A note.".to_string()];
        RowResult {
            row: "P1.T5".to_string(),
            title: "Two compiles".to_string(),
            profile: CostProfile::Pi3,
            machine: None,
            short,
            parameters: BTreeMap::from([("link".to_string(), "18 Mbit/s".to_string())]),
            revision: Some("abc".to_string()),
            runs: Vec::new(),
            findings: Findings { tables: vec![table], claims, plots: vec![plot], notes, ..Findings::default() },
        }
    }

    /// Holds: bench-report.
    #[test]
    fn page_html_is_self_contained() {
        let page = html(&[result(false)]).unwrap() + &prose(SHORT);
        for wanted in [
            "refuted",
            "2 claims",
            "1 beaten, 1 refuted",
            "confirmed if ≤ 10",
            "<code>--short</code>",
            "<td class=\"published\">12</td>",
            "costs, %, 12.000 here, 10 as published",
            "cc &lt;1&gt; | ld",
            "<svg",
            "A note.",
        ] {
            assert!(page.contains(wanted), "no `{wanted}` in {page}");
        }
        for other in ["src=", "<link", "<script", "url(", "@import"] {
            assert!(!page.contains(other), "`{other}` asks for another file");
        }
        assert!(!html(&[result(false)]).unwrap().contains("short form"));
    }

    /// Holds: bench-report.
    #[test]
    fn page_markdown_has_pictures_and_marks_short_runs() {
        let (page, pictures) = markdown(&[result(true)]).unwrap();
        let [(name, picture)] = &pictures[..] else { panic!("one picture: {pictures:?}") };
        assert!(picture.starts_with("<svg") && page.contains(&format!("![a curve]({name})")), "{page}");
        let rows = [
            "| P1.T5 | Two compiles | pi3 | refuted |",
            "| cc <1> \\| ld | 12 |",
            "short form",
            "revision `abc`",
            "A note.",
            "| **refuted** | costs, % | 12.000 | 10 | confirmed if <= 10, beaten if <= 5 |",
        ];
        rows.iter().for_each(|wanted| assert!(page.contains(wanted), "no `{wanted}` in {page}"));
    }
}
