//! The page of results: what stands on it, and where.

use super::{html, markdown};
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
    let page = html(&[result(true)], Some("abc")).unwrap();
    for wanted in [
        "<caption>Failed claims and missed aims</caption>",
        "<a href=\"#P1.T5\">P1.T5</a>",
        "<h2 id=\"P1.T5\">P1.T5 Two compiles</h2>",
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
    assert!(picture.starts_with("<svg") && page.contains(&format!("![Figure 1]({name})")), "{page}");
    let rows = [
        "| P1.T5 pi3 | not so | costs, % | 12 | 10 \\| more | at most 10 | as published |",
        "| P1.T5 | Two compiles | pi3 | Of the paper's 2 claims: 0 so, 1 not so, 1 not tested; of our 1 aim",
        "| cc <1> \\| ld | 12 |",
        "short form",
        "revision abc`",
        "A note.",
        "Figure 1. a curve (P1.T5, pi3)",
        "| exceeded | saves, % | 48 | - | at least 15; exceeded at least 45 | a sixth |",
    ];
    rows.iter().for_each(|wanted| assert!(page.contains(wanted), "no `{wanted}` in {page}"));
}

/// Holds: bench-report.
#[test]
fn page_section_has_finding_figure_method_and_threats_in_order() {
    let page = markdown(&[result(false)], Some("abc")).unwrap().0;
    let section = page.split_once("## P1.T5 Two compiles").expect("a section").1;
    let places = [
        "**Published.** ",
        "Finding\n\n| Verdict | Of the paper's 2 claims: 0 so, 1 not so, 1 not tested",
        "| not so | costs, % | 12 | 10 \\| more |",
        "A note.",
        "![Figure 1]",
        "ms & more",
        "revision abc`",
        "**Method.** ",
        "**Threats to validity.** One claim was not tested; its table says why.",
    ]
    .map(|part| section.find(part).unwrap_or_else(|| panic!("no `{part}` in {section}")));
    assert!(places.is_sorted(), "{places:?}: {section}");
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
