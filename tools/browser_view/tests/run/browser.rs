//! The page in headless Chromium: it tries itself by keys and pointers (`page/self_test.js`), and says what it found.

use crate::command::view;
use crate::support::{ROUTER, TestFolder, events, header, trace, trace_of};
use renga_trace::{Timed, TraceEvent};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the page tries: a check that is not made would not be missed otherwise.
const CHECKS: [&str; 20] = [
    "boards_share_is_mean_of_cores",
    "boards_show_their_stops",
    "call_shows_its_parts",
    "difference_is_shown",
    "drawn",
    "filter_narrows_rows_and_steps",
    "frame_shows_its_call",
    "groups_open_by_keys",
    "keys_step_by_events",
    "keys_zoom_and_move",
    "nothing_was_loaded",
    "parts_of_calls_sum_up",
    "paths_end_where_chains_do",
    "paths_fill_programs",
    "pointer_drags_time_and_window",
    "print_has_all_rows_on_light",
    "program_shows_its_critical_path",
    "search_finds_programs",
    "space_plays_at_chosen_speed",
    "theme_changes_colours",
];

/// Bound of one run of Chromium, in the form of `timeout`.
const TIMEOUT: &str = "300";
/// Debian's name, and others'.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

/// What the page says of itself, by check; none without a browser.
fn results(folder: &TestFolder, page: &Path) -> Option<BTreeMap<String, serde_json::Value>> {
    let Some(browser) = browser() else {
        renga_skip::skipped("there is no chromium: on Debian as root, apt-get install chromium");
        return None;
    };
    let mut chromium = Command::new("timeout");
    chromium.arg(TIMEOUT).arg(browser);
    chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    chromium.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    chromium.arg(format!("--user-data-dir={}", folder.0.join("profile").display()));
    chromium.args(["--window-size=1440,900", "--virtual-time-budget=30000", "--dump-dom"]);
    let output = chromium.arg(format!("file://{}#test", page.display())).output().expect("chromium starts");
    assert!(output.status.success(), "chromium, bounded by {TIMEOUT} s: {}", output.status);
    let document = String::from_utf8_lossy(&output.stdout);
    let found = document.split_once("<pre id=\"results\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (json, _) = found.unwrap_or_else(|| {
        let end = document.len().saturating_sub(2000);
        panic!("the page wrote no results: ...{}", document.get(end..).unwrap_or_default())
    });
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(serde_json::from_str(&json).expect("the page writes JSON"))
}

fn expect_all_true(results: &BTreeMap<String, serde_json::Value>) {
    let failed: Vec<_> = results.iter().filter(|(_, result)| **result != serde_json::Value::Bool(true)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(results.keys().map(String::as_str).collect::<Vec<_>>(), CHECKS);
}

/// Holds: view-page.
#[test]
fn page_in_browser_obeys_keys_and_pointers() {
    let folder = TestFolder::new("browser");
    let file = folder.file("x.trace", &trace(&events()));
    assert!(view(&[&file], &[]).status.success());
    results(&folder, &folder.0.join("x.trace.html")).iter().for_each(expect_all_true);
}

#[test]
fn page_of_two_runs_in_browser_shows_their_difference() {
    let folder = TestFolder::new("browser-diff");
    let (mut later, page) = (events(), folder.0.join("both.html"));
    later.iter_mut().filter(|timed| timed.time_ns >= 690).for_each(|timed| timed.time_ns += 50);
    let [one, other] = [("one", events()), ("other", later)].map(|(name, events)| folder.file(name, &trace(&events)));
    let words = ["--diff", other.to_str().expect("a plain name"), "--out", page.to_str().expect("a plain name")];
    assert!(view(&[&one], &words).status.success());
    results(&folder, &page).iter().for_each(expect_all_true);
}

/// Two cores, each with work of its own: the strip of the whole run shows both.
#[test]
fn page_of_board_with_two_cores_shares_its_time_among_them() {
    let folder = TestFolder::new("browser-cores");
    let mut header = header();
    header.boards[0].more_cores = 1;
    let second = [
        Timed { time_ns: 110, board: 0, core: 1, event: TraceEvent::Dispatch { process: ROUTER } },
        Timed { time_ns: 150, board: 0, core: 1, event: TraceEvent::Idle {} },
    ];
    let mut events: Vec<Timed> = second.into_iter().chain(events()).collect();
    events.sort_by_key(|timed| timed.time_ns);
    let file = folder.file("x.trace", &trace_of(&header, &events));
    assert!(view(&[&file], &[]).status.success());
    results(&folder, &folder.0.join("x.trace.html")).iter().for_each(expect_all_true);
}
