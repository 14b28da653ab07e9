//! A page as Markdown, whose pictures are files beside it.

use super::parts::{PageCell, PagePart, PageTable};

/// The page, and its pictures: names and contents.
pub fn print(parts: Vec<PagePart>) -> (String, Vec<(String, String)>) {
    let (mut text, mut pictures) = (Vec::new(), Vec::new());
    for part in parts {
        text.push(match part {
            PagePart::Heading { level, text } => format!("{} {text}\n", "#".repeat(level.into())),
            PagePart::Paragraph { label: "", text } => text + "\n",
            PagePart::Paragraph { label, text } => format!("**{label}.** {text}\n"),
            PagePart::Facts(facts) => format!("`{}`\n", facts.join(", ")),
            PagePart::Table(table) => print_table(&table),
            PagePart::Figure { file, caption, svg } => {
                let text = format!("![{}]({file})\n\n{caption}\n", caption.split(". ").next().unwrap_or_default());
                pictures.push((file, svg));
                text
            }
        });
    }
    (text.join("\n"), pictures)
}

fn print_table(table: &PageTable) -> String {
    let heads = table.columns.iter().map(|(head, _)| escaped(head));
    let mut text = format!("{}\n\n{}|{}\n", table.caption, line(heads), "---|".repeat(table.columns.len()));
    let cells = |row: &Vec<PageCell>| line(row.iter().map(cell));
    text.extend(table.rows.iter().map(cells));
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn cell(cell: &PageCell) -> String {
    match cell {
        PageCell::Text(text) | PageCell::Row(text) => escaped(text),
        PageCell::Verdict(verdict) => verdict.to_string(),
    }
}

/// The text of a cell, which a bar would end.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
