//! A page as one HTML file.

use super::parts::{CellKind, PageCell, PagePart, PageTable};
use renga_bench::claims::ClaimVerdict;
use std::fmt::Write;

pub(crate) const STYLE: &str = "body{font:16px/1.5 Georgia,serif;max-width:82em;margin:2em auto;padding:0 1em;color:#222}\
h1,h2,h3{font-family:Helvetica,Arial,sans-serif;line-height:1.2}h2{border-top:1px solid #bbb;padding-top:1em;margin-top:2em}\
table{border-collapse:collapse;font:13px/1.4 Helvetica,Arial,sans-serif;margin:.6em 0 1.2em;font-variant-numeric:tabular-nums}\
th,td{padding:.15em .7em;text-align:right;white-space:nowrap}th{border-bottom:1px solid #444}\
td:first-child,th:first-child,.words{text-align:left}.words{white-space:normal}caption{text-align:left;font-style:italic;padding-bottom:.3em}\
.wide{overflow-x:auto}.verdict{font:bold 13px Helvetica,Arial,sans-serif;padding:.1em .6em;border-radius:.7em;color:#fff}\
.exceeded{background:#00795a}.so,.met{background:#0060a0}.not-so,.missed{background:#b04a00}.not-tested{background:#777}.small{color:#555;font-size:14px}.published{background:#f2f0ea;color:#444}code{font-size:.9em}figure{margin:1em 0}";

/// The page.
pub fn print(parts: &[PagePart]) -> String {
    let title = parts.iter().find_map(|part| match part {
        PagePart::Heading { level: 1, text } => Some(escaped(text)),
        _ => None,
    });
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style></head>\
         <body>\n",
        title.unwrap_or_default()
    );
    parts.iter().for_each(|part| print_part(&mut page, part));
    page + "</body></html>\n"
}

fn print_part(page: &mut String, part: &PagePart) {
    let _ = match part {
        PagePart::Heading { level: 2, text } => {
            let anchor = text.split(' ').next().unwrap_or_default();
            writeln!(page, "<h2 id=\"{}\">{}</h2>", escaped(anchor), escaped(text))
        }
        PagePart::Heading { level, text } => writeln!(page, "<h{level}>{}</h{level}>", escaped(text)),
        PagePart::Paragraph { label: "", text } => writeln!(page, "<p>{}</p>", prose(text)),
        PagePart::Paragraph { label, text } => writeln!(page, "<p><b>{label}.</b> {}</p>", prose(text)),
        PagePart::Facts(facts) => writeln!(page, "<p class=\"small\">{}</p>", escaped(&facts.join(", "))),
        PagePart::Table(table) => writeln!(page, "{}", print_table(table)),
        PagePart::Figure { caption, svg, .. } => {
            writeln!(page, "<figure>{svg}<figcaption>{}</figcaption></figure>", escaped(caption))
        }
    };
}

fn print_table(table: &PageTable) -> String {
    let line = |tag: &str, cells: Vec<String>| {
        let cell = |(cell, (_, kind)): (&String, &(String, CellKind))| format!("<{tag}{}>{cell}</{tag}>", class(*kind));
        format!("<tr>{}</tr>\n", cells.iter().zip(&table.columns).map(cell).collect::<String>())
    };
    let heads = line("th", table.columns.iter().map(|(head, _)| escaped(head)).collect());
    let rows: String = table.rows.iter().map(|row| line("td", row.iter().map(cell).collect())).collect();
    let caption = escaped(&table.caption);
    format!("<div class=\"wide\"><table><caption>{caption}</caption>{heads}{rows}</table></div>")
}

fn class(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Number => "",
        CellKind::Words => " class=\"words\"",
        CellKind::Published => " class=\"published\"",
    }
}

fn cell(cell: &PageCell) -> String {
    let verdict = match cell {
        PageCell::Text(text) => return escaped(text),
        PageCell::Row(row) => return format!("<a href=\"#{0}\">{0}</a>", escaped(row)),
        PageCell::Verdict(verdict) => verdict,
    };
    let class = match verdict {
        ClaimVerdict::NotSo => "not-so",
        ClaimVerdict::Missed => "missed",
        ClaimVerdict::NotTested => "not-tested",
        ClaimVerdict::So => "so",
        ClaimVerdict::Met => "met",
        ClaimVerdict::Exceeded => "exceeded",
    };
    format!("<span class=\"verdict {class}\">{verdict}</span>")
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
