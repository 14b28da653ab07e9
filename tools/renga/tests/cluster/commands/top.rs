//! `renga top` beside a run: it follows the trace while that grows, and in the end says what `renga trace` says.

use crate::support::{Renga, Scratch, clusters_can_run};
use renga_trace::summary::exact_us;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

const TYPED: &[u8] = b"ls -l /bin | remote -b b sort | head -n 3; echo hi > /tmp/f; sync\n";

/// Displays each interval of a trace until its end; after the first one, the run's shell is ended.
fn follow(trace: PathBuf, keys: Sender<Vec<u8>>) -> JoinHandle<Vec<Value>> {
    thread::spawn(move || {
        let mut keys = Some(keys);
        let top = Renga::command(&["top", "--json", "--interval-s", "0.01"]).with([trace]);
        let ended = top.end_disturbed(|_, output| {
            let seen = output.contains(&b'\n');
            if seen && let Some(keys) = keys.take() {
                keys.send(b"exit 3\n".to_vec()).expect("the run goes on until its shell ends");
            }
            seen
        });
        lines(&ended.expect_status(0).text())
    })
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn figure(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("no figure {key} in {row}"))
}

/// As the summary of `renga trace` has it.
fn us(row: &Value, key: &str) -> String {
    exact_us(figure(row, key))
}

fn words(text: &str) -> BTreeSet<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// What is added to the whole run says what the summary says.
fn compare_with_the_summary(whole: &Value, trace: &Path) {
    let summary = words(&Renga::command(&["trace"]).with([trace]).end().expect_status(0).text());
    let has = |line: String| assert!(summary.contains(&line), "the summary has no line `{line}`: {summary:#?}");
    let rows = |view: &str| whole[view].as_array().expect("a view").clone();
    let name = |row: &Value, key: &str| row[key].as_str().expect("a name").to_string();
    let span_ns = figure(whole, "until_ns") - figure(whole, "from_ns");
    has(format!("{} events in {}.{:03} us", figure(whole, "events"), span_ns / 1000, span_ns % 1000));
    for row in rows("boards") {
        let times = ["programs_ns", "system_ns", "idle_ns"].map(|key| us(&row, key));
        has(format!("{} {}", name(&row, "board"), times.join(" ")));
    }
    let edges = rows("edges");
    assert!(edges.len() > 50);
    for row in &edges {
        let arrow = format!("{} -> {}, {}", name(row, "from"), name(row, "to"), name(row, "entry"));
        has(format!("{} {} {} {arrow}", figure(row, "calls"), us(row, "time_ns"), us(row, "waiting_ns")));
    }
    let edge_lines = summary.iter().filter(|line| line.contains(" -> ")).count();
    assert_eq!(edge_lines, edges.len(), "the summary lists each edge");
    let sum = |view: &str, key: &str| rows(view).iter().map(|row| figure(row, key)).sum::<u64>();
    assert_eq!(sum("programs", "itself_ns"), sum("boards", "programs_ns"));
    assert_eq!(sum("programs", "on_its_behalf_ns"), sum("boards", "system_ns"));
}

/// The programs that ran are named, and their pids are.
fn programs_are_named(whole: &Value) {
    for (name, board) in [("ls", "a"), ("sort", "b"), ("head", "a"), ("sync", "a")] {
        let programs = whole["programs"].as_array().expect("a view");
        let found = programs.iter().find(|row| row["name"] == name && row["board"] == board);
        let row = found.unwrap_or_else(|| panic!("no {name} on {board}: {programs:#?}"));
        assert!(figure(row, "pid") > 0 && figure(row, "itself_ns") > 0 && figure(row, "on_its_behalf_ns") > 0, "{row}");
        assert_eq!(row["state"], "ended");
    }
}

/// Holds: top-live.
#[test]
fn top_of_live_run_matches_trace() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("top");
    let trace = scratch.join("trace");
    let (keys, typed) = channel();
    keys.send(TYPED.to_vec()).expect("it is listened to");
    let (mut keys, mut top) = (Some(keys), None);
    let run = Renga::run().with(["--system".as_ref(), "pair".as_ref(), "--trace".as_ref(), trace.as_os_str()]);
    run.input_from(typed)
        .end_disturbed(|_, _| {
            let begun = std::fs::metadata(&trace).is_ok_and(|file| file.len() > 0);
            if begun {
                top = keys.take().map(|keys| follow(trace.clone(), keys));
            }
            begun
        })
        .expect_status(3);
    let intervals = top.expect("it was followed").join().expect("it is followed to its end");
    let once = Renga::command(&["top", "--once", "--json"]).with([&trace]).end().expect_status(0);
    let [whole] = &lines(&once.text())[..] else { panic!("one line: {}", once.report()) };
    compare_with_the_summary(whole, &trace);
    programs_are_named(whole);
    for (board, key) in [(0, "programs_ns"), (0, "local_calls"), (1, "system_ns"), (0, "disk_requests"), (1, "frames")]
    {
        let sum: u64 = intervals.iter().map(|line| figure(&line["boards"][board], key)).sum();
        assert_eq!(sum, figure(&whole["boards"][board], key), "{key} of all intervals");
    }
    println!("{} intervals, {} events", intervals.len(), whole["events"]);
}
