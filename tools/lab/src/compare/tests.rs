//! What is written of a comparison: cells, CSV, plots, pages.

use super::findings::{ComparedCase, Comparison};
use super::reason::reasons;
use super::record::RunRecord;
use super::variation::{VariedKey, combinations};
use super::{chart, page};
use renga_trace::phases::{LinkUse, RunPhase};
use std::collections::BTreeMap;

/// The load as its two phases, of which the second comes twice.
fn record(ns: u64) -> RunRecord {
    let link = LinkUse { calls: 10, releasable: 2, released: 1, frames: 5, bytes: 2048, wire_ns: ns / 4 };
    let phase = |name: &str, begin_ns, end_ns| RunPhase { name: name.to_string(), begin_ns, end_ns, link };
    let phases = vec![phase("load", 0, ns), phase("store", ns, 2 * ns), phase("store", 2 * ns, 4 * ns)];
    RunRecord { phases, ..RunRecord::default() }
}

fn comparison(vary: &[&str], offsets: u64) -> Comparison {
    let varied: Vec<VariedKey> = vary.iter().map(|text| VariedKey::of(text).unwrap()).collect();
    let cases = (1..).zip(combinations(&varied)).map(|(number, combination)| {
        let records: Vec<RunRecord> = (1..=offsets).map(|offset| record(number * 1_000_000 * offset)).collect();
        ComparedCase::of(&combination, &["key".to_string()], &records)
    });
    let facts = BTreeMap::from([("load".to_string(), "work<1>.sh".to_string())]);
    let cases: Vec<ComparedCase> = cases.collect();
    let reasons = reasons(&cases);
    Comparison::new(facts, varied, (0..offsets).collect(), cases, reasons)
}

#[test]
fn comparison_phase_marked_twice_is_one() {
    let found = comparison(&["mode=sync"], 1);
    let [case] = &found.cases[..] else { panic!("one case") };
    let times: Vec<_> = case.phases.iter().map(|phase| (phase.name.as_str(), phase.measured.ns.median)).collect();
    assert_eq!(times, [("load", 1_000_000), ("store", 3_000_000)]);
    assert_eq!((case.total.ns.median, case.total.calls.median), (4_000_000, 30));
}

#[test]
fn comparison_of_offsets_has_median_and_range() {
    let found = comparison(&["mode=sync,async"], 3);
    let ns = found.cases[1].total.ns;
    assert_eq!((ns.median, ns.least, ns.most), (16_000_000, 8_000_000, 24_000_000));
    let text = page::text(&found);
    assert!(text.contains("16.000 (8.000 to 24.000)") && text.contains("of 3 starts"), "{text}");
    assert!(page::text(&comparison(&["mode=sync"], 1)).contains(" 4.000 "));
}

#[test]
fn comparison_csv_has_a_line_for_each_phase() {
    let csv = comparison(&["mode=sync,async", "link.rate_mbit_s=1,18"], 1).csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 4 * 3);
    assert!(lines[0].starts_with("mode,link.rate_mbit_s,phase,ns_median,ns_least,ns_most,calls_median"), "{csv}");
    assert!(lines[4].starts_with("sync,18,total,8000000,8000000,8000000,30,"), "{csv}");
    let columns = |line: &&str| line.split(',').count();
    assert!(lines.iter().all(|line| columns(line) == columns(&lines[0])));
}

#[test]
fn comparison_plot_is_curves_over_numbers_and_bars_over_names() {
    let curves = chart::drawn(&comparison(&["mode=sync,async", "link.rate_mbit_s=1,18,100"], 3)).unwrap();
    for wanted in ["link.rate_mbit_s", "\nsync\n", "\nasync\n", "time, ms", "\n100\n"] {
        assert!(curves.contains(wanted), "{wanted}: {curves}");
    }
    let many = comparison(&["seed=1,2,3,4,5,6", "link.rate_mbit_s=1,2,4,8,18,50,100"], 1);
    assert!(chart::drawn(&many).unwrap().contains("5 of 6 curves"), "what is left out is said");
    assert!(!curves.contains(" curves"), "{curves}");
    let bars = chart::drawn(&comparison(&["mode=sync,async"], 3)).unwrap();
    assert_eq!(bars.matches("height=\"22\"").count(), 2 * 2, "a part of each bar for each phase: {bars}");
    assert!(bars.contains(">async<") && bars.contains("store") && bars.contains("work&lt;1&gt;.sh"), "{bars}");
}

#[test]
fn comparison_page_has_the_cells_of_the_table() {
    let found = comparison(&["mode=sync,async"], 1);
    let (markdown, html) = (page::markdown(&found), page::html(&found, "<svg></svg>"));
    let cells = ["could release", "store, ms", "sync", "async", "8.000"];
    assert!(cells.iter().all(|cell| markdown.contains(cell) && html.contains(cell)), "{markdown}\n{html}");
    assert!(html.contains("<svg></svg>") && !html.contains("<1>"), "{html}");
    assert_eq!(found.reasons.len(), 1);
}
