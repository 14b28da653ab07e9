//! Views as text and as JSON.

use crate::composed::{TraceFile, events, header, written, written_later};
use renga_trace::summary::summary;
use renga_view::plain::{PlainOptions, each_interval, once};
use renga_view::table::Scale;
use renga_view::{TracePlayer, ViewKind};
use serde_json::Value;

const INTERVAL_NS: u64 = 100_000_000;

fn wanted(json: bool) -> PlainOptions {
    PlainOptions { views: ViewKind::ALL.to_vec(), board: None, json, scale: Scale::Sums }
}

fn printed(wanted: &PlainOptions, whole: bool) -> String {
    let file = TraceFile::new(None);
    let mut player = TracePlayer::open(&file.0, INTERVAL_NS).expect("a trace");
    let mut out = Vec::new();
    let print = if whole { once } else { each_interval };
    assert!(print(&mut player, wanted, &mut out).expect("it is whole"));
    String::from_utf8(out).expect("text")
}

#[test]
fn printed_total_matches_summary() {
    let text = printed(&wanted(false), true);
    let has = |line: &str| text.lines().any(|found| found.split_whitespace().collect::<Vec<_>>().join(" ") == line);
    assert!(has("0.000 us to 1000000.000 us: 705 events"), "{text}");
    assert!(has("a 300000.000 100000.000 600000.000 100 0 0 0 0.000 - 0 0 0 0.000 0"), "{text}");
    assert!(has("b 0.000 0.000 1000000.000 0 0 1 90 250000.000 4.000 0 0 0 0.000 0"), "{text}");
    assert!(has("a 0 300000.000 100000.000 600000.000"), "{text}");
    assert!(has("7 worker a 300000.000 100000.000 ended - -"), "{text}");
    assert!(has("a file 1 100000.000 100 1000.000 0.000 0"), "{text}");
    assert!(has("a: user a: file Read - 100 100 100000.000 0.000 1000.000"), "{text}");
}

/// Holds: top-live.
#[test]
fn printed_json_matches_summary() {
    let line: Value = serde_json::from_str(&printed(&wanted(true), true)).expect("an object");
    let sums = summary(&header(), &events());
    assert_eq!(line["events"], sums.events);
    let rows = ["boards", "cores"].map(|view| line[view].as_array().unwrap().clone());
    assert_eq!(rows.each_ref().map(Vec::len), [2, 2], "of a core each");
    for (row, (name, core)) in rows.iter().flatten().zip(sums.cores.iter().cycle()) {
        assert_eq!(row["board"], *name);
        let printed = ["programs_ns", "system_ns", "idle_ns"].map(|key| row[key].as_u64().unwrap());
        assert_eq!(printed, [core.programs_ns, core.system_ns, core.idle_ns]);
    }
    let (edge, sum) = sums.edges.first_key_value().expect("one edge");
    let row = &line["edges"][0];
    assert_eq!((row["from"].as_str(), row["to"].as_str()), (Some(edge.from.as_str()), Some(edge.to.as_str())));
    assert_eq!((row["calls"].as_u64(), row["time_ns"].as_u64()), (Some(sum.calls), Some(sum.total_ns)));
}

#[test]
fn printed_intervals_add_up_to_total() {
    let text = printed(&wanted(true), false);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines.len(), 10);
    let ends: Vec<u64> = lines.iter().map(|line| line["until_ns"].as_u64().unwrap()).collect();
    assert_eq!(ends, (1..=10).map(|interval| interval * INTERVAL_NS).collect::<Vec<_>>());
    let sum = |key: &str| lines.iter().map(|line| line["boards"][0][key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("programs_ns"), sum("idle_ns"), sum("local_calls")), (300_000_000, 600_000_000, 100));
}

#[test]
fn printed_intervals_start_at_first_event() {
    let file = TraceFile::of(&written_later(2 * INTERVAL_NS + 1));
    let mut player = TracePlayer::open(&file.0, INTERVAL_NS).expect("a trace");
    let mut out = Vec::new();
    assert!(each_interval(&mut player, &wanted(true), &mut out).expect("it is whole"));
    let text = String::from_utf8(out).expect("text");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let ends: Vec<u64> = lines.iter().map(|line| line["until_ns"].as_u64().unwrap()).collect();
    let last_ns = 12 * INTERVAL_NS + 1;
    assert_eq!(ends, (3..=12).map(|interval| interval * INTERVAL_NS).chain([last_ns]).collect::<Vec<_>>());
}

#[test]
fn printed_rates_are_per_interval() {
    let rates = PlainOptions { scale: Scale::Rates, views: vec![ViewKind::Boards], board: Some(0), json: false };
    let text = printed(&rates, false);
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with("a ")).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row[1..5] == ["30.0", "10.0", "60.0", "100"]), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("b ")));
}

#[test]
fn printed_truncated_trace_is_shown_to_its_end() {
    let file = TraceFile::new(Some(written().len() - 2));
    let mut player = TracePlayer::open(&file.0, INTERVAL_NS).expect("a trace");
    let mut out = Vec::new();
    assert!(!once(&mut player, &wanted(false), &mut out).expect("it may go on"));
    assert!(String::from_utf8(out).unwrap().contains("705 events"));
}
